/*
 * The forms of sentences that make signs worth less, and the resources that limits
 * are claimed of. Patterns meet plain text: see claim_impl.h.
 */
#include "core/claim_impl.h"

/* factors: none, limit, completion, explained away, suspicious win */
const struct claim_form claim_forms[] = {
	/* the sentence is a condition, or hangs on one */
	{{1, 0.2, 0.2, 0.2, 0.3},
		"^(?:if (?!you (?:have no|agree|don't|are ok|are fine))|unless |should the|"
		"should it|should this|were |had |suppose|"
		"supposing|assuming|imagine|provided|in case|what if|whether|as soon as|"
		"only if)\\b"},
	{{1, 0.3, 0.3, 0.4, 0.5},
		"\\b(?:(?:,|and|but|then|it|we|we'll|i'll)? ?\\bonce (?:everything|all|"
		"that|this|it|the)|until (?:the|all|it|that|every|lint|i|we)|(?<!,) "
		"before (?:i|we) |, if (?:it|the|that|we|this|i)|\\bif (?:it|that|this|"
		"the|we|i|all)\\b.{0,60}\\b(?:i'll|we can|we could|i can|then))\\b"},
	{{1, 0.7, 0.4, 0.8, 1}, "^when |\\bwhen (?:it|every|all|they|the|a) "},
	/* plans and orders */
	{{1, 0.3, 1, 0.8, 0.3},
		"^(?:now |so |ok(?:ay)?,? |then |right,? |first,? |one moment,? |hm+,? |"
		"well,? |next,? )*(?:let me|let's|let us|i'll|i will|i'm going to|i am "
		"going to|i need to|we need to|i want to|i would like to|i'd like to|i'd "
		"better|i should|we should|we'll|next|i plan|i'm about|first i|going to|"
		"time to)\\b"},
	{{1, 0.2, 0.2, 0.2, 0.2},
		"^(?:now |then |please |always |first,? |also |do the |before "
		"\\w+.{0,40}, (?:though, |however, )?)*(?:(?:compute|derive|measure|"
		"verify|make sure|do not|don't|never stop|beware|ensure|please|calculate|"
		"determine|estimate|prove|todo|remember|treat|assume|avoid)\\b|(?:check|"
		"find|add|mark|run|note|use|write|read|see|ask|report|flag|list|count|"
		"test|fix|give|put|look|keep in mind|show|explain) (?:the|a|an|all|this|"
		"that|these|those|for|if|how|what|which|whether|where|each|every|any|"
		"your|our|its|me|it|entries|cases|lines|up|at|out|\\w+ing)\\b)"},
	{{1, 0.2, 0.2, 0.2, 0.2},
		"\\b(?:to rule out|to tell|to see (?:if|whether|how)|find out|whether|in "
		"order to know|to know (?:if|which|whether)|to check|so i know|"
		"wonder(?:s|ing)? (?:if|whether)|tell .{0,30} (?:from|apart))\\b"},
	/* what a thing does not show */
	{{1, 0.2, 0.2, 0.3, 0.5},
		"\\b(?:does not|doesn't|do not|don't|did not|didn't|doesn't necessarily|"
		"not|never) (?:show|mean|prove|imply|suggest|say|establish)\\b"},
	{{1, 0.3, 1, 1, 1},
		"^(?:reaching|hitting|attaining|matching) (?:the|its|"
		"that)\\b.*\\bwould\\b"},
	{{1, 1, 1, 1, 0.2},
		"\\b(?:makes?|made|making)\\b.{0,40}\\b(?:impossible|infeasible)\\b"},
	{{1, 0.2, 0.3, 0.3, 1},
		"\\bwould (?:tell|show|mean|suggest|indicate|imply|prove|let us)\\b"},
	{{1, 1, 1, 1, 0.3},
		"\\b(?:reaching|getting|going|achieving|exceeding|beating|more|further|"
		"faster)\\b.{0,30} (?:is|are|seems?) (?:\\w+ )?(?:impossible|not "
		"possible|infeasible)\\b"},
	{{1, 0.2, 1, 1, 1},
		"\\b(?:haven't|hasn't|have not|has not|not yet|isn't|is not|aren't) (?:yet |"
		"even |"
		"quite |really )*(?:reach\\w*|hit|at|near|close to|touch\\w*|there)\\b"},
	/* denials and retractions */
	{{1, 0.2, 1, 1, 1},
		"\\b(?:isn't|is not|it's not|not|no|aren't|wasn't|never|nor|n't|no such) "
		"(?:\\w+ )?(?:a |an |any |some |the |really |actually |about "
		")*(?:hard(?:ware)? |physical |real |fundamental |true |actual "
		")*(?:limits?|ceiling|law|wall|floor|optimal|bottleneck|limitation|the "
		"limit)\\b"},
	{{1, 1, 0.1, 1, 1},
		"\\b(?:rather not|not|n't|never) (?:yet |want to |going to )?(?:stop|end|"
		"finish|close|pause|quit)\\b|\\b(?:not|n't|isn't|aren't|never|far from|"
		"nowhere near|hardly) (?:\\w+ ){0,3}?(?:complete|done|finished|over|"
		"ready|met|good enough|fast enough|enough)\\b|\\b(?:incomplete|"
		"unfinished)\\b|\\bmust not (?:claim|stop)\\b|\\bstill (?:to do|open|"
		"fails?|missing|need)"},
	{{1, 1, 1, 0.2, 1},
		"\\b(?:(?:is|are|it's|was) (?:not|n't) (?:just |only |mere )*(?:noise|"
		"rounding|flak\\w+|precision)|real (?:bug|defect|mismatch|race|slow\\w*)|"
		"(?:mismatch|failure|error|difference) is real|now fixed|i (?:broke|"
		"caused|introduced)|turned out (?:to be )?(?:a|an|my|the)|actual (?:bug|"
		"defect)|(?:is|are) mine|my (?:own )?(?:bug|mistake|fault|masking|"
		"reduction)|will (?:fix|repair)|i'll (?:fix|add|repair)|(?:must|has to) "
		"be broken|need to fix|so i(?:'ll| will) (?:add|fix|repair)|exposed|"
		"stays and i)\\b"},
	{{1, 0.3, 1, 1, 1},
		"\\b(?:i was (?:wrong|mistaken)|i (?:had )?thought|far (?:from|below)|"
		"nowhere near|untapped|still on the table|still has|not yet|(?:factor|"
		"times) (?:of )?\\d+ (?:below|from|under)|but i measured|we are at "
		"\\d)\\b"},
	{{1, 0.3, 0.4, 0.3, 0.4},
		"\\b(?:maybe(?! (?:\\d|one|another|a ))|not sure|unsure|unclear|perhaps(?! "
		"\\d)|may be|"
		"might be|can't tell|cannot tell|don't know|do not know|won't know|"
		"before (?:i|we) know|would be plausible|impossible to say|hard to "
		"say)\\b"},
	/* what others said */
	{{1, 0.3, 0.3, 0.4, 0.9},
		"\\b(?:(?:he|she|they|user|agent|paper|report|doc\\w*|comment|author|it) "
		"(?:said|says|claim\\w*|wrote|states|argued)|so[- ]called|the word|is "
		"called|must not claim|claims? (?:a|an|that))\\b"},
	/* a claim inside another sentence, which does not make it */
	{{1, 0.2, 0.2, 0.2, 0.3},
		"\\b(?:you|he|she|they|nobody|no one|anyone|someone|people|agent|user) "
		"(?:has |have |had |ever |just |may |can )*(?:said|says?|claim\\w*|show[ns]?|"
		"showed|proven?|wrote|writes?|thinks?|believed?) (?:that|it|so|it's)\\b|"
		"\\b(?:never|don't|do not|"
		"before \\w+|why (?:do|would|should) \\w+|how (?:do|would|can) \\w+|not|n't) "
		"(?:say|says|write|think|believe|assume|claim|conclude|know|true|sure|certain|"
		"convinced|the case|clear|shown|proven) (?:that|whether|it)\\b"},
	{{1, 0.2, 0.2, 0.2, 0.3},
		"\\b(?:claim|idea|notion|statement|assumption|belief|theory) that\\b.*\\b(?:"
		"refuted|wrong|false|untrue|rejected|denied|disproved|withdrawn|not hold|n't hold)"
		"\\b|\\b(?:i|we) (?:first |once |had )?(?:thought|believed|assumed|said|claimed|"
		"expected)\\b.*\\b(?:but|wrong|mistaken|turned out)\\b"},
	{{1, 0.3, 0.2, 0.3, 0.4},
		"^(?:why|how|is it|are we|do you|did you|does|has|have we|what if|so is|is this|"
		"is the|is that)\\b.*\\?"},
	/* facts about a machine, and its messages */
	{{1, 0.1, 0.3, 0.2, 0.3},
		"^(?!.*\\b(?:(?:so|hence|thus|therefore),? (?:we|i|nothing|there|it|no|"
		"this|that)|unavoidable|nothing|ceiling)\\b).*\\b(?:per (?:thread "
		"?)?block|per (?:sm|thread|warp|cta|multiprocessor|wave)|threads (?:a|an|"
		"each|in a) \\w+|max(?:imum)? threads|each (?:sm|thread|block|warp|"
		"multiprocessor)|handles? at most|at most \\d+ (?:rows|columns|threads|"
		"elements|bytes)|limit:? ?\\d)"},
	{{1, 0.1, 0.1, 0.2, 0.1},
		"^(?:error\\b|warning:|ptxas|nvcc|gcc|clang|ld:|make:|traceback|grep:|"
		"usage:|test \\d|\\w+error:|info:|fatal)|\\b(?:usage limit|rate limit|"
		"quota|time limit|character limit|context limit|token limit|limit "
		"reached|weekly|retrying in)\\b"},
	/* sums */
	{{1, 0.4, 1, 1, 0.6},
		"(?:\\d[^a-z]{0,4}(?:[a-z/]+)? ?[*/+] ?\\d.*=|= ?~?\\d[\\d.]* ?(?:us|ms|"
		"gb|tb|mb|kb|bytes)?\\.?$)"},
	{{1, 0.5, 0.5, 0.7, 0.4},
		"^(?:any|every|no) (?:result|speedup|figure|number|candidate|so-called|"
		"kernel)\\b"},
	{{1, 1, 1, 1, 0.3},
		"\\b(?:evaluator|rejected|flags?|haunted|attempts?|beware|check the|"
		"cheating check|manual|to be checked)\\b"},
	/* put off, not given up */
	{{1, 0.4, 0.2, 1, 1},
		"\\b(?:leave|leaving|park|parking|save|keep|put|come back|coming back|return|"
		"wait|postpone\\w*|defer\\w*)\\b.{0,40}\\b(?:for (?:the end|later|last|after|"
		"another (?:turn|round|time)|(?:the next|this|a later) (?:turn|step|round))|"
		"until (?:the|then|after|later)|to (?:this|that|it) (?:when|after|once|"
		"later))\\b"},
	/* how much of a thing its working takes */
	{{1, 0.3, 1, 1, 1},
		"\\b(?:we|one|you|it|i|they)(?:'d| would)? (?:will )?needs? (?:some |about |"
		"around |at least )?(?:\\d+|two|three|four|five|six|seven|eight|ten|twelve|"
		"sixteen)\\b"},
	/* what a change would do, if it were made */
	{{1, 0.3, 0.4, 0.6, 0.4},
		"^(?:an?|another|one|two|using|moving|swapping|merging|packing|fusing|"
		"splitting|sorting|unrolling|keeping|writing|reading) .{0,70}\\bwould "
		"(?:\\w+ )?(?:take (?:most|all|care|away|half)|remove|halve|hide|help|"
		"shorten|avoid|cover|double|give|let|make|allow)\\b(?! (?:nothing|little|"
		"no|hardly|at most))"},
	/* what a piece of code does not hold */
	{{1, 0.2, 1, 1, 1},
		"\\bno (?!slack|room|headroom|waste|gain|bubble|win)\\w+ (?:\\w+ ){0,6}in "
		"(?:that|this|the|my) (?:\\w+ )?(?:sketch|loop|listing|disassembly|assembly|"
		"function|file|code|binary|source|body)\\b"},
	/* said from memory */
	{{1, 0.3, 0.6, 0.6, 0.5},
		"\\b(?:as far as i (?:remember|recall)|if i (?:remember|recall)|from memory)"
		"\\b"},
	/* wrong on purpose */
	{{1, 1, 1, 0.2, 1},
		"\\b(?:results?|outputs?|answers?|values?|numbers?) (?:is|are|will be|would be) "
		"(?:wrong|garbage|meaningless|nonsense)(?: then| here)?,? (?:of course|on "
		"purpose|naturally|by construction|in this (?:experiment|copy))\\b|\\bwrong "
		"(?:results?|output),? (?:of course|naturally|on purpose)\\b"},
	/* a step is over, not the work */
	{{1, 1, 0.2, 1, 1},
		"^(?:the )?(?:build|download|first \\w+|second \\w+|benchmark|compile|"
		"compilation|install\\w*|profiling|warm-?up|run|sweep)\\b.{0,20}\\b(?:is "
		"|are )?(?:complete[d]?|done|finished)\\b|; next\\b|\\bnext i\\b|\\bnow "
		"(?:running|the|to the|on to)\\b|^done with the|\\bthen (?:measure|run|"
		"check)\\b"},
};
const size_t claim_form_count = sizeof(claim_forms) / sizeof(claim_forms[0]);

/* The first that is in the sentence; what is named more closely comes first. */
const struct claim_resource claim_resources[] = {
	{"launch overhead", KS_LAYER_H,
		"\\b(?:launch(?:es|ing)?|dispatcher|call overhead|invocation|invok\\w+|"
		"per[- ]call)\\b"},
	{"host path", KS_LAYER_H,
		"\\b(?:host|python|wrapper|interpreter|system calls?|syscalls?|driver|"
		"pcie|page faults?)\\b"},
	{"registers", KS_LAYER_X,
		"\\b(?:register(?:s|-bound|-limited)?|register file|spills?|spilling)\\b"},
	{"occupancy", KS_LAYER_G,
		"\\b(?:occupancy|resident (?:blocks|warps)|blocks? per sm)\\b"},
	{"shared memory", KS_LAYER_S,
		"\\b(?:shared[- ]memory|smem|lds|tensor memory|tmem|on-chip|bank "
		"conflicts?|staging)\\b"},
	{"inner cache", KS_LAYER_S,
		"\\b(?:l1d?|l1 cache|load ports?|store ports?|tlb)\\b"},
	{"last-level cache", KS_LAYER_M,
		"\\b(?:l2|l3|llc|last[- ]level|cache (?:hierarchy|capacity)|cache)\\b"},
	{"memory bandwidth", KS_LAYER_M,
		"\\b(?:bandwidth|dram|hbm\\d?|gddr\\d?|memory|ddr\\d?|gb/s|tb/s|dimms?|"
		"streams? dram|bytes)\\b"},
	{"matrix unit", KS_LAYER_P,
		"\\b(?:tensor cores?|matrix (?:unit|pipe|core)s?|wgmma|hmma|mma|wmma|"
		"mfma|amx)\\b"},
	{"exponent unit", KS_LAYER_P,
		"\\b(?:exp|exp2|exponent\\w*|mufu|sfu|special function|transcendental)\\b"},
	{"vector width", KS_LAYER_P,
		"\\b(?:avx\\S*|sse|neon|sve|simd|vector (?:unit|width|lanes?))\\b"},
	{"instruction issue", KS_LAYER_P,
		"\\b(?:issue (?:slots?|rate)|instruction (?:rate|throughput|issue|count)|"
		"div(?:ision)? instruction|fetch|decode(?:r)? width)\\b"},
	{"synchronisation", KS_LAYER_O,
		"\\b(?:synchroni[sz]\\w*|barriers?|atomics?|locks?|fences?)\\b"},
	{"latency", KS_LAYER_O,
		"\\b(?:latency|latencies|latency-bound|dependency chains?|stalls?|"
		"pipeline|cycles per step)\\b"},
	{"grid", KS_LAYER_G,
		"\\b(?:waves?|tail|grid|sms?\\b|processors|threads?|cores|"
		"multiprocessors?|thread count|small batch\\w*|batch)\\b"},
	{"arithmetic", KS_LAYER_P,
		"\\b(?:compute(?:-bound)?|alu|fma|flops?|tflops|gflops|arithmetic|math|"
		"fp32|fp16|bf16|fp8)\\b"},
	{"compiler", KS_LAYER_X,
		"\\b(?:compiler|codegen|code generation|vectoriser|vectorizer|"
		"instruction set)\\b"},
	{"numerics", KS_LAYER_V,
		"\\b(?:error budget|accuracy|precision|tolerance|rounding)\\b"},
	{"clock", KS_LAYER_V,
		"\\b(?:clocks?|power (?:cap|limit)|thermal)\\b"},
	{"algorithm", KS_LAYER_C,
		"\\b(?:algorithm|formulation|reduction|passes|combine|layout|format)\\b"},
};
const size_t claim_resource_count = sizeof(claim_resources) / sizeof(claim_resources[0]);
