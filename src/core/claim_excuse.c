/*
 * The signs of a break explained away: a failure is named, and a harmless cause for
 * it. Most count less than 1: it takes both.
 * Each pattern is written for a way of speaking, never for one sentence, and meets
 * plain text: see claim_impl.h.
 */
#include "core/claim_impl.h"

static const struct claim_sign signs[] = {
	{0.5,
		"\\b(?:mismatch\\w*|fail\\w*|errors?|(?<!hardware )(?<!clock )(?<!speed "
		")differ\\w*|discrepanc\\w*|inaccurac\\w*|wrong|incorrect|nans?|crash\\w*|"
		"segfaults?|"
		"segv|broken?|breaks?|deviat\\w*|red|dies|falls over|fell over|"
		"assert\\w*|off by|drift\\w*|skip\\w*|trips|leak\\w*|hangs?|time-?outs?|"
		"timed out|times out|alarm|bugs?|ulps?|tiny gap|small gap|a hair|"
		"regress\\w*|does not match|doesn't match|don't match|not equal|inexact|"
		"golden|diffs?|checksums?|comparison|max(?:imum)? (?:abs(?:olute)? "
		")?error|garbage|corrupt\\w*)\\b"},
	{0.5,
		"\\b(?:rounding|rounds|round-?off|epsilon|jitter|associativ\\w+|"
		"reassociation|denormals?|cancellation|noise|noisy|precision|imprecise|"
		"ulps?|(?:low|last|mantissa|trailing) bits|mantissa|half(?:[- "
		"](?:float\\w*|precision))?|fp16|bf16|fp8|floating[- ]point|"
		"accumulat\\w+|(?:order|ordering) of|summation order|order of summation|"
		"summed in|numeric\\w*|fused multiply\\w*|contraction|float math|"
		"nondetermin\\w*|non-determin\\w*|atomics)\\b"},
	{0.7,
		"\\b(?:just|only|merely|simply|purely|nothing but|mere)(?: "
		"[\\w`.'-]+){0,4} (?:rounding|noise|precision|numeric\\w*|floating\\w*|"
		"accumul\\w*|bits|order|cosmetic|half\\w*|fp16|bf16|fp8|float\\w*|"
		"flak\\w*|artifact\\w*|artefact\\w*|known|additions|glitch\\w*)\\b"},
	{1.0,
		"\\b(?:is|are|was|were|'s|it's|known|the|a|an|one|likely|probably|just|"
		"looks like a|be|usual|of) (?:\\w+ |`[^`]*` )?(?:flak(?:y|e|es|iness)|"
		"intermittent|transient|sporadic|glitch\\w*)\\b"},
	{0.8,
		"^(?:flaky|intermittent|transient|sporadic) \\w+"},
	{0.8,
		"don't think .{0,40} is (?:us|ours|real)\\b|\\badjusted the (?:expected|"
		"golden|tolerance)|\\b(?:disabled|removed|commented out|switched off) "
		"the (?:\\w+ )?(?:check|test|assert)\\w*"},
	{0.8,
		"\\(flak(?:y|e)\\b"},
	{1.0,
		"\\b(?:pre-?existing|(?:already|also|long|even|identical\\w*|"
		"same)\\b.{0,40}\\b(?:fail\\w*|broken?|skipp\\w+|red|differ\\w*|"
		"mismatch\\w*|in the seed|on main|before (?:my|our|the|this))|"
		"fail\\w*\\b.{0,30}\\b(?:before (?:my|our|the|this)|on main|(?:it )?as "
		"well|in the seed|too before)|before (?:my|our|this|the) (?:change|patch|"
		"edit|commit|work)|old failures?)\\b"},
	{0.65,
		"\\b(?:unrelated|nothing to do with|(?:not|n't) (?:\\w+ )?(?:caused|"
		"related|due to|ours?|us|by us|mine|from (?:the|my|our) (?:patch|change|"
		"edit|kernel|work)|a regression|with (?:the|my|our) (?:kernel|change|"
		"edit|patch|code))|(?:somebody|someone)(?: else)?(?:'s)?|other users?'?|"
		"rather than the (?:candidate|kernel|change|patch))\\b"},
	{0.7,
		"\\b(?:(?:code|files?|parts?|anything|something|nothing) (?:that )?(?:we|"
		"i|this|my|our)(?: \\w+)? (?:touch\\w*|chang\\w*|edit\\w*)|(?:did(?:n't| "
		"not)|do(?:n't| not)|never|not) (?:even )?touch\\w*|out of scope|outside "
		"(?:the |my |our )?(?:scope|change))\\b"},
	{0.7,
		"\\b(?:pass(?:es)?|green|fine|ok|works) (?:locally|alone|when run alone|"
		"on (?:retry|re-?run|its own|my machine)|in isolation|by itself|the "
		"second time)\\b"},
	{0.9,
		"\\b(?:known|long-?standing|existing|old) (?:\\S+ )?(?:issue|bug|flake|"
		"problem|limitation|failure|quirk|defect)\\b"},
	{0.7,
		"\\b(?:(?:is|are|was|were|as|be|'s|entirely|totally|perfectly) (?:\\w+ "
		")?(?:expected|normal|by design)|expected (?:behaviou?r|for|with|given|"
		"from|in|to fail)|one would expect|to be expected|would give anyway)\\b"},
	{0.6,
		"\\bexpected behaviou?r\\b"},
	{0.7,
		"\\b(?:harmless|benign|tolerable|negligible|cosmetic|acceptable|false alarms?|"
		"(?:doesn't|does not|don't|won't) matter|nothing to worry|(?:not|no need "
		"to|don't|needn't|wouldn't|i'd not) worry|(?:can|to|safely|i'll|we can) "
		"(?:be )?(?:safely )?(?:ignored?|disregard(?:ed)?)|ignore it|"
		"insignificant|(?:no|not a|isn't a|the \\w+ isn't|isn't us|is not us|"
		"isn't ours|isn't our) (?:real )?(?:bug|issue|problem|defect)\\w*|"
		"irrelevant|immaterial|small enough|the usual|so (?:it|the \\w+) is "
		"(?:fine|right|correct)|, fine\\b|fine on its own|false positive\\w*|can "
		"safely|safely)\\b"},
	{1.0,
		"\\b(?:(?:loosen|relax|widen|rais|increas|bump)(?:e|ed|es|ing|"
		"s)?\\b.{0,30}\\b(?:toleranc\\w*|atol|rtol|thresholds?|bounds?)|"
		"(?:toleranc\\w*|checks?|thresholds?|tests?|assert\\w*|comparison) (?:is|"
		"are|was|seems?|looks?|being) (?:\\w+ )?(?:too |overly |unreasonably "
		")(?:strict|tight|sensitive|harsh|picky))\\b"},
	{0.6,
		"\\b(?:(?:is|are|was|be|'s|likely|probably|could|must|just|and) (?:\\w+ "
		")?(?:due to|caused by|because of|down to)|(?:comes?|stems?|came|"
		"originat\\w+|aris\\w+) from|an? (?:arti?e?fact|quirk|consequence|"
		"property|feature) of|put down to|attribut\\w+ to|driver bug|since the|"
		"down to (?:the|a|an|bf16|fp16|fp8|half|float\\w*|round\\w*)|overloaded|"
		"outdated|out of date|too early|too late|misleading|misread\\w*|tooling|"
		"at exit|unfair|meaningless|typical (?:of|for)|normal (?:for|with|in)|"
		"par for the course|(?:does|do)(?:n't| not) (?:occur|happen|arise|come "
		"up)|never worked|(?:has|have) no effect|without (?:our|my|the|this) "
		"(?:patch|change|kernel|edit)|clean checkout|ancient|(?:'s|'|my|our|"
		"your) fault|fault of|elsewhere|only (?:on|with|for|in) (?:this|that|the|"
		"some|a)|show up only|nobody (?:reads|uses|cares|looks)|that(?:'s| is) "
		"how|how \\w+ (?:\\w+ )?(?:behaves|works)|chalk\\w*|for (?:weeks|months|"
		"ages|years|long)|known to|extreme inputs?|never (?:show|occur|happen|"
		"seen|reached)\\w*|what (?:you|one|we) gets?|gets? with|go(?:es)? away|"
		"went away|(?:from|is|in) uninitiali[sz]ed|the other way|(?:,|-) from|"
		"(?:can|may|will) happen|(?:an? )?(?:environment\\w*|machine|toolchain|"
		"compiler|harness|driver|setup|infrastructure|infra) (?:problem|issue|"
		"thing)|inherent to|problem of the|must have (?:picked|been)|probably "
		"(?:noise|rounding|\\w+))\\b"},
	{0.8,
		"\\b(?:(?:only|just) (?:fail\\w*|happens?|trips?|falls over|under|in "
		"debug|on padding)|fail\\w* only|(?:falls over|trips|fires) only|under "
		"(?:\\S+ )?load|on its own|(?:re-?run\\w*|second run|retry\\w*|another "
		"run)\\b.{0,30}\\b(?:green|pass\\w*|fine|ok|gone|away|works?)|contention)\\b"},
	{0.7,
		"\\b(?:skip(?:ping|ped)? (?:it|the|them|these|those|this)|not "
		"representative|nobody uses|(?:marked|mark) .{0,25}(?:expected|skip|"
		"xfail|known)|as xfail|(?:can|we'll|i'll|let's) (?:just )?skip)\\b"},
	{0.7,
		"\\breference\\b.{0,30}\\b(?:imprecise|wrong|inaccurate|rounds|handles|"
		"less accurate|is off|itself)\\b"},
	{0.8,
		"\\b(?:an? |the )(?:\\w+ ){1,2}(?:issue|problem|thing|matter), not\\b|"
		"^not (?:a|an|our|my) (?:\\w+ ){0,2}(?:problem|issue|bug|fault|"
		"regression)\\b|\\bnothing (?:is )?wrong (?:on|with) (?:our|my|the)\\b"},
	{0.4,
		"\\b(?:kernel|candidate|code|logic|math|result) (?:itself )?is (?:fine|"
		"right|correct|sound|ok)\\b"},
	{0.5,
		"\\b(?:ci (?:box|runner|machine|job)|(?:the|a|this) (?:box|machine|"
		"scheduler|compiler|fixture|golden file|reference|checker|assertion|"
		"harness|runner|input generator)|golden file|old gcc|in the (?:test "
		")?(?:harness|runner|checker|suite|generator)|with the (?:harness|runner|"
		"checker|suite)|old (?:drafts|tests|toolchain|scripts)|stale (?:binary|"
		"build|cache|file|artifacts?)|(?:bad|unlucky) seed|hiccup|the checker|"
		"test inputs|padding only|debug builds?)\\b"},
	{0.5,
		"\\b(?:so i'm closing|moving on|closing (?:this|it)|file (?:another|a) "
		"ticket|another ticket|separate ticket)\\b"},
};

const struct claim_table claim_excuse_table = {
	signs, sizeof(signs) / sizeof(signs[0])
};
