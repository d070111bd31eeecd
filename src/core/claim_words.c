/*
 * The vocabulary of claims: classes of words and of short phrases that are used
 * alike. Words of a phrase are joined by _, a * stands for any ending. A word
 * may be in several classes. What a class means for a claim is not said here:
 * that is fitted (claim_weights.c), so a word may be added to its class freely,
 * and a class only together with a new fit.
 */
#include "core/claim_impl.h"

const struct claim_class claim_classes[CLAIM_LEXICAL] = {
	{"bound", /* a bound */
		"limit limits limited limitation* ceiling* wall walls roof roofline rooflines "
		"plateau* peak peaks maximum max upper_bound bound bounds bounded cap caps "
		"capped barrier* optimum optima floor floors lower_bound saturation edge brink "
		"asymptot* speed_of_light speed-of-light wire_speed line_rate bottleneck* gate "
		"gated pinned stuck dead_end constraint* upper_limit sweet_spot ideal best_case "
		"end_of_the_road end_of_the_line brick_wall limiter limiting where_it_ends "
		"that's_it_then topmost the_end as_far_as terminal point_where "
		"reached_the_point cut-off"},
	{"essence", /* that cannot be otherwise */
		"structural* fundamental* inherent* intrinsic* physical* physics theoretical* "
		"absolute* unavoidabl* inescapabl* irreducible inevitabl* practical* natural "
		"law laws provabl* baked_in immovable unbeatable unsurpassable insurmountable "
		"property nature fixed dictated dictates governed imposed given price by_design "
		"hard"},
	{"full", /* nothing idle */
		"saturat* exhaust* maxed pegged full fully squeezed depleted spent tapped dry "
		"flat_out converged flatten* flat tops_out topped optimal optimally perfect "
		"perfectly near-optimal drained used_up packed stagnat* maxes bottomed "
		"plateaued busy never_idles idle_never no_bubbles balanced asymptotic tight "
		"wire_rate all_bandwidth 100 overflows starves starved soaked flooded "
		"topped_out tops no_soft all_it_can doing_all at_work"},
	{"used", /* ideas are gone */
		"used_up exhausted run_out ran_out running_out out_of_ideas out_of_options "
		"out_of_steam tried_everything whole_list all_options every_option all_knobs "
		"every_knob all_ideas dry no_ideas nothing_left none_left no_more_ideas "
		"few_options no_options low-hanging low_hanging opportunities dealt_with "
		"picked_clean squeezed_out wrung in_the_book every_trick nothing_worked"},
	{"none", /* none */
		"no nothing none nobody no_one nowhere little hardly barely scarcely few zero "
		"neither nil without n_t lacks lack void"},
	{"not", /* not */
		"not n't never cannot nor neither"},
	{"cannot", /* cannot */
		"cannot can't couldn't impossible unreachable unattainable infeasible "
		"unrealistic unachievable hopeless futile unlikely doubt doubtful unable "
		"unworkable won't isn't_able not_able no_way no_path no_chance out_of_reach "
		"beyond_reach out_of_the_question off_the_table not_possible isn't_possible "
		"hard_to_see cannot_be can't_be never_be don't_expect not_expect don't_see "
		"see_no unavoidable surprised not_attainable live_with won't_be nobody_can "
		"shorter_is can_influence no_influence isn't_something"},
	{"left", /* what is left */
		"left remain remains remaining more further additional residual extra rest "
		"leftover another else beyond past last"},
	{"gain", /* a gain */
		"headroom room slack upside lever levers knob knobs gains gain win wins "
		"improvement improvements improve returns potential juice margin speedup "
		"speedups benefit benefits opportunity opportunities opening percent per_cent "
		"fat savings progress"},
	{"better", /* to be faster */
		"faster fast quick quicker better beat beats beating lower shorter quickest "
		"fastest best cheaper improved improving optimise optimize optimised optimized "
		"optimisation* optimization* tuning tune tuned tweak tweaks tweaking squeeze "
		"push shave reduce trim recover overcome hide help helps helping pay pays "
		"accelerate accelerated speed_up speeds_up outperform gain_more better_than "
		"ahead win_over exploit"},
	{"hw", /* a machine */
		"hardware silicon chip card gpu cpu device part sm sms architecture arch "
		"machine box consumer isa l4 t4 a100 h100 h200 b200 l40s mi300x mi300 rtx zen "
		"zen2 zen3 zen4 turing ampere hopper blackwell"},
	{"mem", /* memory */
		"dram hbm hbm2 hbm3 hbm3e ddr4 ddr5 gddr6 lpddr5 memory bandwidth bus pcie l2 "
		"l1 l3 cache caches channel channels controller stream streaming dimms sticks "
		"ram traffic weights bytes loads stores copy memcpy read reads"},
	{"pipe", /* what a core has */
		"registers register tensor fma issue port ports unit units alu lanes simd sfu "
		"exp divider latency occupancy vector width avx avx2 avx512 pipe pipes "
		"instructions instruction warps threads waves wave tail launch dispatch spill "
		"spills smem shared grid tile tiles"},
	{"morecost", /* what more would take */
		"would_need would_require would_take requires require needs_a need_a rewrite "
		"redesign new_algorithm different_algorithm another_algorithm new_layout "
		"different_layout formulation wider bigger faster_card new_hardware "
		"different_hardware only_way only_thing only_a short_of other_than nothing_but "
		"skip_work different new algorithm generation lower_precision less_work "
		"fewer_bits only_lower only_by more_hardware another_card next_generation "
		"you'd_need you_need we'd_need would_be_needed"},
	{"done", /* done */
		"done complete completed completes completion finished finish finishes "
		"finalised finalized accomplished achieved resolved closed wrapped shipped "
		"ships merged landed delivered concluded concludes implemented verified "
		"in_place signed lgtm locked frozen handed handover fulfilled solved satisfied "
		"committed finalising released tagged validated"},
	{"closing", /* an end */
		"wrap wraps wrapping closing close conclude concluding end ending end_here "
		"final finally freeze locking_in lock_in tagging sign_off signing_off "
		"over_and_out hand_over hand_it handing submit submitting ship shipping ship_it "
		"merge merging merge_it release production call_it calling_it a_day that_is_it "
		"that's_it that's_all that's_a_wrap a_wrap ticked delivered deliverables sign- "
		"off finish_line enjoy wind_down done_here"},
	{"stop", /* to stop */
		"stop stopping stopped leave leaving settle settling pause pausing quit halt "
		"move_on moving_on park parking rest_here leave_it as_is as_it_is for_now "
		"another_day later_date end_the stop_here not_pursue won't_pursue no_follow-up "
		"hand_back at_that alone stopping_the_search ending_the_run end_the_run go_with "
		"going_with from_here"},
	{"accept", /* to be content */
		"accept accepting accepted keep keeping stick good_enough fast_enough "
		"close_enough enough happy sufficient satisfied satisfactory acceptable content "
		"pleased comfortable decent respectable suffices adequate okay fine "
		"more_than_we great present_result i_recommend recommendation suggest propose "
		"consider regard live_with what_we_wanted enough_for_you that_enough enough_now "
		"take_it"},
	{"task", /* what was asked */
		"task tasks goal goals target targets work job implementation everything "
		"all_clauses checklist requirement requirements criteria criterion clauses "
		"clause objective objectives items project assignment mission ticket request pr "
		"todo todos to-do campaign everything_you everything_asked asked_for all_goals "
		"all_tests port optimisation optimization session boxes box deliverables point "
		"points kernel"},
	{"askmore", /* may I do more */
		"anything_else something_else anything_more else_you you_want you'd_like "
		"would_you_like do_you_want shall_i should_i let_me_know want_me do_you_prefer "
		"ready_for ready_when unless_you if_there's_nothing enough_for_you "
		"need_anything want_anything shall_we shall_i_finalise finalise_it wrap_it"},
	{"nomore", /* no more */
		"no_further no_more nothing_further nothing_more nothing_else no_outstanding "
		"no_other no_additional nothing_left nothing_to no_change no_changes "
		"nothing_remains nothing_slow nothing_is_pending nothing_pending none_pending "
		"nothing_open last_open nothing_more_to nothing_is_left none_left all_there_was"},
	{"fail", /* a failure */
		"fail fails failed failing failure failures mismatch mismatches mismatched "
		"mismatching error errors wrong incorrect nan nans inf crash crashes crashed "
		"differ differs differing difference differences diff diffs deviation "
		"deviations deviate deviates disagree disagrees disagreement red broken breaks "
		"break assertion assert asserts segfault hang hangs timeout timeouts "
		"discrepancy discrepancies regression regressions bug bugs ulp ulps inaccuracy "
		"corrupt corruption corrupted leak leaks flipped trips off_by drift falls_over "
		"checksum"},
	{"test", /* a check */
		"test tests check checks case cases suite ci golden reference tolerance "
		"tolerances rtol atol threshold comparison comparisons harness expected "
		"scenario scenarios row rows output outputs allclose assertion nightly"},
	{"num", /* numerics */
		"rounding round-off roundoff precision fp16 bf16 fp8 tf32 half float floating "
		"floating-point noise noisy numerical numerics numeric accumulation accumulated "
		"accumulate order reorder reordering reordered reassociation summation "
		"denormals denormal subnormal epsilon digit mantissa jitter associativity "
		"cancellation nondeterminism nondeterministic bits atomics fast-math last_bit "
		"last-bit fp32 fp64 last_digit sixth_digit gpu_nondeterminism contraction"},
	{"harmless", /* harmless */
		"harmless benign negligible insignificant irrelevant cosmetic normal tolerable "
		"unrelated known pre-existing preexisting flaky flake intermittent transient "
		"sporadic spurious ignore ignored ignoring artefact artifact artefacts glitch "
		"hiccup coincidence unlucky safely usual false_alarm false_alarms strict overly "
		"typical out_of_scope out-of-scope innocuous not_a_concern never_mind "
		"nothing_to_worry not_worried don't_count doesn't_count no_one_looks "
		"nobody_runs cannot_occur can't_occur to_be_expected is_expected expected_when "
		"expected_from move_along picky sensitive degenerate quirk limitation "
		"not_a_failure not_chasing nothing_to_fix is_fine are_fine no_bug not_our "
		"not_ours not_us within_what too_tight misleading natural misread "
		"rounding_effect what_fp16_does unstable padding padded fluke second_run "
		"was_clean as_expected expected_with by_chance"},
	{"because", /* because */
		"because due caused cause since attributed attribute comes_from come_from stems "
		"blame explains explained explain accounts owing thanks_to down_to so since_the "
		"hence thus therefore"},
	{"other", /* somebody else */
		"runner driver environment env compiler main upstream seed before_i before_my "
		"already_failing already_fails also_fails fails_in same_failures for_ages "
		"untouched someone somebody else tenant busy load reboot rerun re-run retry "
		"retried again locally windows sanitizer input stale older old_issue on_main "
		"tracked elsewhere in_isolation alone on_its_own debug_build reproduce "
		"other_users harness_passes passes_on works_on my_box emulator profiler "
		"generator not_in_our not_our not_my not_from_us not_from_me not_related "
		"nothing_to_do_with simulator the_reference somebody_else's in_parallel "
		"by_itself test_data both_versions same_wrong affected_by not_affected "
		"isn't_affected predate predates divides_by"},
	{"loosen", /* a check made wider */
		"loosen loosened relax relaxed relaxing widen widened bump bumped raise raised "
		"increase increased skipping skipped disable disabled xfail exclude excluded "
		"mute muted commented_out set_the_threshold set_rtol set_atol larger_tolerance "
		"lowered lowered_the reduced_the fewer_rows"},
	{"above", /* above, below */
		"above exceeds exceed exceeding exceeded beats beating surpass* outrun* "
		"more_than_the faster_than higher_than quicker_than less_time_than less_than_an "
		"below_the under_the beyond_what beyond_the below_its shorter_than in_less_time "
		"than_an_empty than_copying than_reading than_touching times_more_than "
		"three_times_the"},
	{"shock", /* disbelief */
		"impossible implausibl* unbelievabl* incredibl* suspicious* bogus wow whoa hmm "
		"hm huh nonsens* absurd* insane* ridiculous* lying lies magic believe "
		"believable believing trust somehow weird* strange* odd fishy smells smell "
		"cheating cheat optimised_away optimized_away eliminated miracle amazing lol "
		"can't_be_real can't_be_right can't_be cannot_be not_possible no_way too_good "
		"doesn't_add_up don't_buy too_high too_fast too_low must_be_wrong seems_wrong "
		"is_wrong wrong_with broken timer surely return_before returns_before did_it "
		"never_ran really skip_the_work work_is_missing hoisted compute_anything "
		"how_can unexplained makes_no_sense not_credible is_free obviously apparently "
		"double_check absurd can't_have cannot_have means_it must_have this_quick "
		"quick_means time_is_zero is_zero takes_no_time no_time in_no_time "
		"something's_off off_with something_is_off"},
	{"peakref", /* what cannot be passed */
		"peak datasheet data-sheet spec rated theoretical roofline speed-of-light "
		"speed_of_light sol_bound empty_launch empty_kernel launch_floor "
		"what_the_memory what_the_card what_physics physics_allows theoretical_limit "
		"machine's_bandwidth hardware_can bandwidth_of sheet"},
	{"rate", /* a rate */
		"gb/s tb/s tflops gflops pflops flops"},
	{"hedge", /* perhaps */
		"maybe perhaps might may could possibly unsure unclear guess suppose hopefully "
		"appears wonder likely probably presumably seems seem think fairly_sure "
		"not_sure i'd_say"},
	{"plan", /* later */
		"will i'll we'll going_to plan planning next try trying want_to let's let "
		"need_to should must todo then first before until after now_i i'd_like look_at "
		"looking_for i_want will_be going_after ideas_for idea_for two_ideas "
		"waiting_for picking_up"},
	{"qword", /* a question */
		"what which why how does do is are can could would should who where did has "
		"have"},
	{"cond", /* a condition */
		"if unless whether when once assuming suppose supposing until provided in_case "
		"as_soon_as even_if otherwise only_if would_be"},
	{"order", /* an order */
		"check verify measure run make ensure use find add note please compute read "
		"avoid always report treat remember compare look don't_assume never_trust rerun "
		"list set_a plan: step do_not must_not you_must"},
	{"self", /* we */
		"i we my our i'm i've i'd we're we've me us mine ours"},
	{"this", /* this */
		"this that it here these those there"},
	{"already", /* almost */
		"already essentially basically practically effectively virtually nearly almost "
		"close near pretty within about"},
	{"verdict", /* a verdict */
		"conclusion verdict conclude assessment tl;dr estimate final_assessment "
		"bottom_line analysis summary result_is confirms means in_short period "
		"end_of_story full_stop"},
	{"only", /* only */
		"only just merely simply purely mere nothing_but"},
	{"same", /* no change */
		"same regardless independent constant identical whatever unchanged "
		"from_run_to_run"},
	{"tiny", /* hardly any */
		"tiny small negligible marginal minimal diminishing slight per_mille "
		"unmeasurable not_worth worth pointless pointless waste bother futile chasing "
		"vanish neutral jitter noise-level little_sense no_sense sense_in doesn't_mean"},
	{"still", /* not yet */
		"still yet not_yet so_far until_now half part intermediate partial partly "
		"only_half missing unfinished incomplete open remains_to"},
	{"found", /* a cause found */
		"found bug_was my_bug my_mistake is_mine mine both_mine i_swapped i_forgot "
		"fixed fix fixing will_fix repair adding_a applied_twice off-by-one race "
		"real_bug wrong_by root_cause turned_out with_the_right off_by_one swapped"},
	{"but", /* but */
		"but however though although yet except instead rather"},
	{"so", /* so */
		"so hence thus therefore then"},
	{"neg_bound", /* no bound */
		"not_at not_a_limit isn't_the not_the_limit not_bound isn't_memory far_from "
		"nowhere_near half_of_the unused still_have not_limited not_memory-bound "
		"below_the_peak untapped"},
	{"code", /* code */
		"def return int const assert ptxas info: warning error: file: limit: tolerance: "
		"rtol= atol= expected: exit git sed grep nvcc max_ min( fd nullptr static "
		"include"},
	{"and", /* and */
		"and"},
	{"we", /* we */
		"we"},
	{"the", /* the */
		"the"},
	{"a", /* a */
		"a an"},
	{"to", /* to */
		"to"},
	{"of", /* of */
		"of"},
	{"all", /* all */
		"all every everything both each"},
	{"can", /* can */
		"can able"},
	{"be", /* is */
		"be is are was were been being"},
	{"have", /* has */
		"has have had having got get gets"},
	{"would", /* would */
		"would"},
	{"now", /* now */
		"now"},
	{"one", /* one */
		"one single"},
};
