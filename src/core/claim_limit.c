/*
 * The signs of a claimed limit: a bound is reached, nothing can be bettered,
 * nothing is left, what there is is the best there is, or what is final.
 * Each pattern is written for a way of speaking, never for one sentence, and meets
 * plain text: see claim_impl.h.
 */
#include "core/claim_impl.h"

/* nouns for a bound, and words for getting better */
#define BOUND "(?:limits?|limitations?|ceiling|wall|roof(?:line)?|plateau|maximum|max|" \
	"upper bound|hard bound|speed of light|saturation|hard floor|barrier|optimum|" \
	"edge of what|end of the (?:road|line)|dead end|peak|constraint)"
#define HARD "(?:hard(?:ware)?|physical|physics|fundamental|inherent|intrinsic|absolute|" \
	"structural|theoretical|natural|silicon|machine|device|practical)"
#define BETTER "(?:fast(?:er)?|quick(?:er)?|improv\\w*|beat\\w*|better|speed(?:ed|s|up)?\\w*|" \
	"gain\\w*|lower|higher|further|exceed\\w*|below|above|under|past|beyond|" \
	"more|shorter|smaller|cut|" \
	"shr[iu]nk|reduc\\w*|optimi[sz]\\w*|tun\\w*|squeez\\w*|push\\w*|reach\\w*|" \
	"parity|closed?|closing|removed|avoided|hidden|raise[ds]?|scal\\w*|saturate|fill|" \
	"issue|deliver|hide|go up|go down|won|win|pull|exploit\\w*|" \
	"amorti\\w+|overcome|overcame|escape\\w*|eliminat\\w+|compress\\w*|recover\\w*|" \
	"bridg\\w+|undercut|outrun|help\\w*|do much|change (?:it|that|this)|get around)"
#define CANNOT "(?:can ?not|can't|cannot|can never|could not|couldn't|won't|will not|" \
	"will never|never|unable to|no way to|not possible to|impossible to|hard to see|" \
	"not going to|don't see (?:a|any) way|do not see (?:a|any) way|unlikely (?:to|that)|" \
	"nowhere|nobody|no one|i doubt|doubtful|" \
	"(?:do(?:n't| not)|would(?:n't| not)) expect|expect (?:no|little))"

static const struct claim_sign signs[] = {
	/* ---- limit: a bound is reached ---- */
	{1.0,
		"\\b(?:at|hit|hits|hitting|reach(?:ed|es|ing)?|against|up against|sits? "
		"on|sitting at|running into|runs? into|ran into|near(?:ing|ly at)?|on|"
		"meets?|touch(?:es|ing)?|exhausted|approach(?:es|ing|ed)?) (?:the |its |"
		"their |our |a |an |that |this |very )*(?:real |true |hw |" HARD
		" |performance |memory |bandwidth |compute |throughput |latency )*" BOUND
		"\\b"},
	{0.8,
		"\\b(?:is|are|was|'s|be|remains|means|of|from|by|so that's|thus|here) "
		"(?:also |clearly |simply |really |just |now |thus |basically )*(?:a |an "
		"|the |our |its )?(?:pure |real |true |very )*" HARD "[- ](?:\\w+ )?" BOUND
		"\\b"},
	{0.8,
		"\\b(?:that|this|it|here|which|what|there it)(?:'s| is|,? is| remains|,? "
		"then, is) (?:already |simply |really |just |basically |clearly )*(?:the "
		"|a |an |our |my )(?:\\w+ ){0,2}" BOUND "\\b"},
	{0.7,
		"\\b(?:the|its|our) (?:\\w+ ){0,3}(?:is|are|was|remains|becomes) "
		"(?:already |simply |really |now |thus |clearly )*(?:the|a|an|at its|at "
		"the) (?:\\w+ )?(?:limit|ceiling|wall|hard floor|floor|maximum|cap)\\b"},
	{0.8,
		"\\b(?:fundamental(?:ly)?|inherent(?:ly)?|intrinsic(?:ally)?|unavoidable|"
		"inescapable|irreducible|structural(?:ly)?|by (?:its "
		")?nature)\\b.{0,40}\\b(?:limit\\w*|bound|cost|overhead|price|latency|"
		"cap|gap|trade-?off|floor|bottleneck|rule|to (?:the|this))\\b"},
	{0.8,
		"\\b(?:is|are|be|remains?|'s|seems?|anything \\w+ \\w+|which is) "
		"(?:simply |just |largely |mostly |therefore |thus )*(?:unavoidable|"
		"inescapable|inherent|irreducible|unreachable|unattainable|infeasible|"
		"unachievable)\\b"},
	{1.0,
		"\\b(?:makes?|anything|getting|going|reaching|closing|beating|gains?|"
		"more|further|faster|improvements?|speedups?|last|remaining|less|below|"
		"parity)\\b.{0,60}\\b(?:infeasible|impossible|unachievable|unreachable|"
		"out of reach|hopeless|out of the question|(?:isn't|not|is not|un) "
		"?realistic|not possible|no longer possible)\\b"},
	/* ---- limit: it cannot be bettered ---- */
	{1.0,
		"\\b" CANNOT "\\b(?: [\\w%.'-]+){0,7} " BETTER "\\b"},
	{0.7,
		"\\b(?:rate|peak|bandwidth|gap|time|limit|speed|throughput|roofline|"
		"target|figure|occupancy|latency|cost|overhead)\\b.{0,30}\\b(?:can't|"
		"cannot|can not|won't|will not|never) be\\b"},
	{1.0,
		"\\b(?:nobody|no one|no (?:\\w+ )?(?:rewrite|variant|trick|code change|"
		"kernel|alternative|change|amount|implementation|schedule|tiling|"
		"compiler)|nothing (?:in|we|i|short|on|else))\\b.{0,50}\\b(?:quicker|"
		"faster|beat|beats|better|change|changes|help|helps|around|lower|improve|"
		"than|gets?|to it|for that|make|can do|will)\\b"},
	{1.0,
		"\\bnever (?:go |get |run |drop |fall |be )?(?:below|under|above|beyond|"
		"faster|beat|exceed|reach|better|higher|lower)\\b"},
	{0.8,
		"\\b(?:no (?:lower|faster|better|higher|less) than|can be no|no more "
		"than (?:~|about |roughly )?[\\d.]+ ?(?:x|%|tflops|gflops|gb/s|tb/s)|at "
		"best we|at best it)\\b"},
	{0.8,
		"\\b(?:(?:doesn't|does not|won't|will not|don't|do not|cannot|can't) "
		"(?:simply )?(?:allow|permit) (?:\\w+ )?(?:more|any|further|better|"
		"faster|it|another)|rules? out|forbids?|precludes?|(?:makes?|made) "
		".{0,30}(?:impossible|infeasible))\\b"},
	/* ---- limit: nothing is left ---- */
	{1.0,
		"\\b(?:nothing|no|little|hardly (?:any|anything)|hardly|barely (?:any|"
		"anything)|not much|scarcely|isn't much|almost nothing|few|very few|zero|"
		"there's no|there is no)\\b(?: [\\w'-]+){0,4} (?:left|headroom|(?:more|"
		"further|else) (?:to|can|from|speed|perf\\w*|gain\\w*|improvement\\w*|"
		"win\\w*|optimi\\w*)|to (?:gain|win|give|squeeze|spare|be (?:had|gained|"
		"won))|further (?:gains?|wins?|speed\\w*|improvements?)|options? (?:left|"
		"remain\\w*)|room (?:left|for|to)|cycles to spare|upside|slack)\\b"},
	{0.9,
		"\\b(?:headroom|room (?:for|to)|upside|slack)\\b.{0,40}\\b(?:is|are|has|"
		"have)\\b.{0,20}\\b(?:tiny|gone|exhausted|nil|none|minimal|negligible|"
		"used up|small|marginal|over)\\b"},
	{0.8,
		"\\b(?:leaves?|leaving) (?:us |me )?(?:nothing|no (?:room|headroom|"
		"slack)|little|almost nothing)\\b"},
	{1.0,
		"\\b(?:(?:is|are|'s|we've|we have|i've|i have|has been|have been|already|"
		"now|completely|fully|all) (?:now |already |fully |both |completely |all "
		"|basically |pretty much )*(?:exhausted|squeezed|maxed out|pegged|tapped "
		"out|used up|wrung))\\b"},
	{0.6,
		"\\b(?:is|are|'s) (?:now |already |fully |both |completely "
		")*(?:saturated|full)\\b"},
	{1.0,
		"\\bdiminishing returns\\b"},
	{0.8,
		"\\b(?:(?:not|n't|hardly|barely) worth (?:it|the|any|more|\\w+ing)|no "
		"longer worth|buys? (?:us )?nothing|brings? (?:us )?nothing|costs? more "
		"than (?:it|they)|no (?:real )?point (?:in )?(?:\\w+ing|to)|pointless|"
		"futile|waste of (?:time|effort))\\b"},
	{0.8,
		"\\b(?:has |have |is |are )?plateaued\\b|\\bon a plateau\\b"},
	/* ---- limit: the best there is ---- */
	{1.0,
		"\\b(?!as far as (?:i|we) (?:can|know|could|see))as (?:fast|good|"
		"quick|low|close|high|well|far|short|small) as (?:it|"
		"this|that|we|i|the|one|you|anything|physic\\w*|possible|is|can)\\b(?: "
		"[\\w'-]+){0,3}(?: (?:gets?|goes|can|could|will|allows?|permits?|"
		"possible|be|supports?|offers?|get))?"},
	{0.9,
		"\\b(?:the|its|our|my) (?:very |absolute )?(?:best|maximum|most) (?:\\w+ "
		")?(?:i'll|i will|we'll|we will|we can|i can|one can|it can|you can|"
		"achievable|attainable|possible|reachable|available|this|any|anyone|"
		"there is|that can)\\b"},
	{0.9,
		"\\b(?:is|are|'s|was|already|essentially|basically|practically|nearly|"
		"near|close to|virtually|effectively|provably|pretty much|be|at)[ "
		"-](?:already |essentially |now |near[- ]|very near |close to "
		")*(?:optimal|the optimum|optimum|fully optimi[sz]ed)\\b"},
	{0.9,
		"\\b(?:8[5-9]|9\\d|100)(?:\\.\\d+)? ?(?:%|percent|per cent)(?: of)?(?: "
		"the| its| our| rated| measured| achievable| copy| peak| device| dram| "
		"card's)* (?:theoretical|peak|roofline|speed of light|best|maximum|max|"
		"limit|bandwidth|ideal|copy)\\b"},
	{0.6,
		"\\b\\d+(?:\\.\\d+)? ?% of (?:the )?(?:peak|roofline|bandwidth|dram rate|"
		"theoretical)\\b.{0,60}\\b(?:is the best|can't|cannot|won't|never|no "
		"more|the most|at most)\\b"},
	{1.0,
		"\\b(?:gets?|extracts?|uses?|takes?|has|have|squeezed?|took|got) "
		"(?:already |about |nearly )?(?:everything|all|all that|all of "
		"what)\\b.{0,20}\\b(?:silicon|hardware|machine|card|core|device|chip|"
		"this|out of|has|offers?|can)\\b"},
	{0.8,
		"\\b(?:theoretical|realistic|practical|achievable) (?:maximum|max|limit|"
		"best|ceiling|peak)\\b.{0,50}\\b(?:and|so|which) (?:we|i|it|that)\\b"},
	{0.8,
		"\\b(?:any (?:further|more|other|additional)|further|more|beyond (?:this|"
		"that)|the rest|going (?:any )?(?:further|beyond|faster)|every remaining|"
		"nothing short|getting more)\\b.{0,50}\\b(?:would (?:need|require|take|"
		"break|cost|mean)|needs?|requires?|short of|costs?)\\b"},
	{0.9,
		"\\b(?:the rest|what remains|what is left|the remainder|remaining \\w+|"
		"remaining|the gap)\\b.{0,25}\\b(?:is|are|comes from|stems from|belongs "
		"to|comes down to)\\b.{0,20}\\b(?:hardware|physics|silicon|set by|"
		"dictated by|down to|the machine|latency|the price|the cost|the wall|"
		"memory wall|inherent|a cost|cost of)\\b"},
	{0.6,
		"\\b(?:hard floor|floor|from physics|is physics)\\b.{0,60}\\b(?:we(?:'re|"
		" are)|no more|nothing|can't|cannot|on it|puts?|under every|never|above "
		"it)\\b"},
	{0.8,
		"\\b(?:hard|absolute|physical|irreducible) floor\\b"},
	{0.6,
		"\\b(?:is|are|'s) (?:simply |just |really |now )?the (?:floor|limit|"
		"ceiling|cap|maximum|wall|bound)\\b"},
	{0.5,
		"\\b(?:we(?:'re| are) (?:now |already |basically |right )?(?:on|at|there|"
		"\\d+ ?%? ?(?:us|ms)? (?:above|off|short of))\\b|so (?:\\w+ )?(?:scaling|"
		"progress|it|that) (?:stops|ends)|scaling (?:stops|ends))"},
	{0.8,
		"\\b(?:(?:comes? from|is|are|by|beyond|past|the laws? of|pure|that's|"
		"just) physics|(?:physics|math|maths|silicon|hardware) (?:permits?|"
		"allows?|won't|says no|wins|sets|dictates|itself))\\b"},
	{0.8,
		"\\b(?:(?:run|ran|running) out of (?:ideas|options|levers|knobs|road|"
		"steam|tricks|things)|only so much|(?:no|none|nothing|n't|not) "
		".{0,40}mov\\w+ the needle|end of the (?:road|line)|dead end|bone dry|"
		"last drop|brick wall|out of (?:ideas|options|tricks)|we(?:'re| are) "
		"stuck)\\b"},
	{0.8,
		"\\b(?:(?:tops?|topped|maxes|maxed|caps?|capped|bottoms?|bottomed|"
		"flattens?|flattened) out|levels? off|levell?ed off|flat-?lines?d?)\\b"},
	{0.8,
		"\\b(?:all|everything|the most|the best) (?:that )?(?:it|this|the|you|we|"
		"one|i|a|any|these|those)(?: \\w+){0,3} (?:has|have|can|could|will ever|"
		"will|offers?|gives?|supports?|delivers?|gets?|allows?)\\b"},
	{0.9,
		"\\bwithin (?:about |roughly |~)?(?:\\d|[1-9]\\.\\d|1[0-2])(?:\\.\\d+)? "
		"?(?:%|percent|per cent) of (?:the |its |our )?(?:\\w+ )?(?:peak|"
		"roofline|optimal|optimum|theoretical|ideal|maximum|limit|bound|speed of "
		"light|best)\\b"},
	{0.7,
		"\\b(?:marginal|negligible|minimal|tiny|incremental)(?: \\w+)? (?:gains?|"
		"returns?|improvements?|benefits?|wins?|at best)\\b"},
	{0.7,
		"\\b(?:needs?|requires?|takes?|would (?:need|take|require)|without|short "
		"of) (?:an? )?(?:entirely |completely |totally |whole )*(?:new|different|"
		"newer|bigger|another|faster) (?:\\w+ )?(?:hardware|silicon|card|gpu|cpu|"
		"chip|machine|algorithm|formulation|approach|architecture|design|"
		"generation)\\b"},
	{0.5,
		"\\b(?:bounds?|caps?|limits?) (?:us|the whole|everything|it|the kernel|"
		"this)\\b|\\b(?:is|are|'s) (?:now |fundamentally |purely |entirely "
		")*(?:capped|limited|bounded) by\\b|\\b\\w+[- ](?:bound|limited) (?:at|"
		"by|on)\\b"},
	{0.6,
		"\\b(?:i|we) (?:only )?have (?:very )?(?:few|hardly any|no|not many) "
		"(?:\\w+ )?(?:options|ideas|levers|knobs|choices|ways)\\b"},
	/* ---- limit: finality, and gains denied ---- */
	{0.8,
		"\\b(?:no|zero|little|hardly any|not any|n't any)(?: \\w+){0,2} "
		"(?:benefits?|gains?|advantages?|improvements?|speed-?ups?|upside|payoff|"
		"profit|wins?)\\b(?! (?:yet|so far))"},
	{0.8,
		"\\b(?:nothing|none|neither)\\b.{0,60}\\b(?:to (?:optimi[sz]e|tune|"
		"improve|gain|save)|helps?|gave (?:anything|any)|works?|improves?|"
		"changes (?:it|this|that)|makes (?:it|a)|pays)\\b"},
	{0.8,
		"\\b(?:end of story|period[.!]?$|full stop|no matter (?:what|how|which)|"
		"whatever (?:i|we|you|one) (?:try|do|change)s?|inevitabl[ey]|by "
		"definition|dictates?|it is what it is|out of (?:our|my|your) (?:hands|"
		"control|reach)|no control over|off the table|nothing (?:we|i|one|you|"
		"anyone) can do|there(?:'s| is| was) no way|no way (?:to|around)|too "
		"(?:small|short|tiny|few|little|narrow) (?:to|for)\\b|no (?:real "
		")?(?:other )?(?:choice|alternative|way))\\b"},
	{0.8,
		"\\b(?:is|that's|are) (?:about |roughly |simply )?(?:where|as far as) "
		"(?:\\w+ ){1,3}(?:ends?|stops?|goes|tops|can)\\b|\\bwhat (?:a |the "
		")?(?:peak|limit|optimal|ceiling|saturation|maximum) looks like\\b"},
	{0.8,
		"\\b(?:can|will|could)? ?only (?:get|go|gets|goes|do|push|take)s? "
		"(?:\\w+ )?so (?:far|fast|much|low|high)\\b|\\bso far and no\\b"},
	{1.0,
		"\\b(?:doesn't|does not|don't|do not|isn't going to|not going to) "
		"(?:really |ever |seem to )?(?:go|get|run|scale|come|become) (?:any |"
		"much )?(?:faster|better|lower|higher|quicker|further|below|above|past|"
		"beyond)\\b"},
	{0.6,
		"\\b(?:must be|is|that's|be|at) (?:simply |just |all |about |probably "
		")*what (?:the|this|a|one|our) (?:\\w+ ){1,3}(?:can|will|could|is able|"
		"gives?|delivers?|does|has)\\b"},
	{0.9,
		"\\b(?:caps?|limits?|bounds?|holds?|pins?) (?:us|it|this|that|everything|"
		"everyone|things|me|the \\w+) (?:at|to) (?:~|about )?\\d"},
	{0.9,
		"\\bdone (?:gaining|improving|getting faster|scaling)\\b"},
	{0.5,
		"\\b(?:amdahl|little's law)"},
	{0.8,
		"\\b(?:practically|basically|nearly|almost|essentially|virtually|"
		"effectively|already|pretty much|more or less|close to) (?:at |the |"
		"running at )*(?:full|maxed|perfect|all of|peak|optimal|saturat\\w*|"
		"exhausted|maximal|ideal|minimal|flat out|line rate|wire speed|top speed|"
		"as \\w+ as)\\b"},
	{0.8,
		"\\b(?:we|it|that|kernel|loop|which|already|fully|they|both) (?:already |"
		"fully |basically |completely |nearly |now )?saturates? (?:it|them|dram|"
		"hbm|the|both|all|memory|that|every)\\b"},
	{0.8,
		"\\b(?:bound to (?:lose|stay|remain|be)|lost to|doomed|hopeless|lost "
		"cause|destined to|condemned to|always (?:be|lose|stay))\\b"},
	{0.9,
		"\\bas \\w+ as (?:it|this|that|they|we|things) (?:\\w+ ){0,3}(?:gets?|be|"
		"can|could|goes|will|is going to)\\b"},
	{0.6,
		"\\b(?:is|are|'s|simply) (?:just |simply )?(?:the price|the cost|a given|"
		"intrinsic|part of the deal|a fact of life|baked in)\\b"},
	{0.8,
		"\\b(?:so ends|gives? up before|goes flat|went flat|flat from there|"
		"curve (?:is|goes|stays) flat|i doubt (?:there|that|any|it|we|more)|"
		"(?:budget|capacity|quota|ports?|it|that)(?:'s| is| are) (?:all "
		")?(?:spent|used up|taken|gone|full up)|(?:hence|so|thus|therefore) no "
		"(?:\\d|more|further|gain|speed|way|faster)|hard cap|nothing to (?:do|be "
		"done) (?:here|about|there|for)|(?:all|everything|rest|we're|"
		"differences?)(?:'s| is| are)? (?:\\w+ )?(?:in|within|inside|down to) "
		"the noise|local optimum|optimum (?:has been |is |was |now )?(?:reached|"
		"found)|is what it is|takes? what it takes)\\b"},
	{0.8,
		"\\b(?:hardware|silicon|machine|physics|memory|layout|format|device|chip|"
		"card|latency|bandwidth|clock)\\b[^.]{0,25}, not (?:the|our|my|in the) "
		"(?:code|kernel|software|design|implementation|schedule|compiler)|\\bnot "
		"(?:the|our|my) (?:code|kernel|software|implementation), (?:it's |but "
		")?the (?:hardware|silicon|machine|memory|layout|format|device|chip|"
		"card)\\b"},
	{0.8,
		"\\b(?:a|one|another|\\d|half a) (?:more |or two |last )?(?:percent|per "
		"cent|%)(?: more)? (?:left|at most|at best|and that|more|if anything)\\b|"
		"\\b(?:maybe|perhaps|at most) (?:a|one|another|\\d) (?:more )?(?:percent|"
		"per cent|%)"},
	{0.5,
		"\\b(?:only|sole|last|one) (?:remaining |other )?(?:lever|knob|option|"
		"thing left|way left|idea left)\\b|\\bwhatever one\\b"},
	{0.5,
		"\\b(?:can't|cannot|can not|couldn't) "
		"(?:be )?(?:fix|change|touch|control|influence|move|help)(?:ed|d)?\\b"},
	{0.5,
		"\\bcapable of\\b|\\bsets? the (?:pace|speed|time)\\b|\\b(?:is|are) (?:a "
		")?given\\b|\\bpure (?:launch|latency|overhead|bandwidth)\\b|"
		"\\b\\w+-limited\\b"},
	{0.4,
		"\\b(?:does|do|is|are|gets?) (?:already |exactly |just |about )?(?:what|all) "
		"(?:the|this|a|one|our) (?:\\w+ ){1,3}(?:is|are|can|could|allows?)\\b"},
	{0.8,
		"\\b(?:anything|everything|more \\w+|going|\\w+ing) (?:past|beyond|above|"
		"more than|over|further)\\b.{0,30}\\b(?:only|just|merely) (?:adds?|"
		"costs?|hurts?|brings?)\\b|\\bno free lunch\\b|\\bcosts what it costs\\b|"
		"\\b(?:limits?|ceiling|end) of (?:the|this|our|that|what) (?:current |"
		"whole )?(?:approach|design|method|algorithm|structure|machine|card|core|"
		"instruction set) (?:is|are|was|has)\\b"},
	{0.8,
		"\\b(?:inherently|fundamentally|intrinsically|essentially|by nature) "
		"(?:serial|sequential|limited|bound\\w*|\\w+-bound|slow|single-threaded|"
		"latency\\w*)\\b"},
	{0.5,
		"\\b(?:doesn't|does not|don't|do not|won't|cannot|can't) (?:really "
		")?help\\b|\\bnot much more \\w+|\\bn't much more \\w+"},
	{0.5,
		"\\bn't much (?:more|left|to)\\b|\\bnot much (?:more|left|to)\\b"},
	{0.9,
		"\\b(?:theoretical|physical|hardware|roofline)(?: \\w+)? (?:bound|"
		"minimum|min|floor|peak|limit|maximum|max|best|time|"
		"roofline)?\\b.{0,40}\\d.{0,20}\\b(?:and|while|but|,) (?:i'm|we're|i am|"
		"we are|i|we) (?:already |now |currently )?(?:measur\\w+|at|reach\\w*|"
		"get|gets|getting|achiev\\w+|see|seeing|hit)\\b"},
	{0.8,
		"\\b(?:highly|well|heavily|thoroughly|extremely|very) (?:\\w+ "
		")?(?:optimi[sz]ed|tuned)\\b"},
	{0.9,
		"\\b(?:unlikely|not likely) to (?:yield|give|bring|produce|provide|help|"
		"pay|matter|improve)\\b|\\bwould (?:only |just |at best )?(?:yield|give|"
		"bring|save|provide|gain) (?:us )?(?:only )?(?:minimal|marginal|"
		"negligible|at most|little|less than|no|a few)\\b|\\blimited (?:upside|"
		"room|headroom|potential)\\b|\\b(?:no|any) (?:further|additional|more) "
		"(?:optimi[sz]ations?|improvements?|gains?|speedups?)(?: \\w+){0,2} "
		"(?:possible|feasible|available|likely|achievable|to be)\\b"},
	{0.8,
		"\\b(?:fully|completely) (?:utili[sz]\\w+|saturat\\w+|occupied|used)\\b|"
		"\\b(?:at|near|close to) (?:its |the |full )*(?:full utili[sz]ation|line "
		"rate|capacity)\\b"},
	{0.9,
		"\\b(?:don't|do not|can't) (?:think|believe|see)\\b.{0,40}\\b(?:faster|"
		"better|more|"
		"further|exists?|possible|improve\\w*|gain\\w*|lower|how)\\b"},
	{0.8,
		"\\bas (?!far)\\w+ as (?:anyone|anybody|one|you|i|we) (?:\\w+ )?(?:gets?|"
		"can|could|"
		"will|goes)\\b|\\blost in (?:the )?noise\\b|\\bthe nature of (?:the|this|it|a|"
		"such|\\w+)\\b|\\bsaturates? at\\b|\\b(?:have|has|'ve|is|are) (?:\\w+ "
		")?converged\\b"},
	{0.8,
		"\\bwill always (?:be|stay|remain|trail|lose|lag|cost|need|take)\\b|"
		"\\b(?:not|n't) "
		"(?:something|anything) (?:\\w+ ){1,3}can\\b|\\b(?:inherent|built|baked) "
		"in(?:to)? "
		"(?:the|this|it)\\b"},
	{0.8,
		"\\b(?:potential|room|margin|win|reserve|opportunit(?:y|"
		"ies))\\b.{0,25}\\b(?:is|are|"
		"has been|looks?) (?:\\w+ )?(?:negligible|exhausted|gone|tiny|nil|small|"
		"limited|minimal|"
		"marginal)\\b"},
};

const struct claim_table claim_limit_table = {
	signs, sizeof(signs) / sizeof(signs[0])
};
