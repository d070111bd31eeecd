/*
 * The signs of claims, the forms of sentences, and the resources that limits
 * are claimed of. Patterns meet plain text (claim_impl.h). Each is written for
 * a way of speaking, never for one sentence; what is weighted below 1 needs a
 * second sign.
 */
#include "core/claim_impl.h"

#define LIMIT KS_CLAIM_LIMIT
#define DONE KS_CLAIM_COMPLETION
#define EXPLAINED KS_CLAIM_EXPLAINED
#define WIN KS_CLAIM_WIN

/* nouns for a bound, and words for getting better */
#define BOUND "(?:limits?|limitations?|ceiling|wall|roof(?:line)?|plateau|maximum|max|" \
	"upper bound|hard bound|speed of light|saturation|hard floor|barrier|optimum|" \
	"edge of what|end of the (?:road|line)|dead end|peak)"
#define HARD "(?:hard(?:ware)?|physical|physics|fundamental|inherent|intrinsic|absolute|" \
	"structural|theoretical|natural|silicon|machine|device|practical)"
#define BETTER "(?:fast(?:er)?|quick(?:er)?|improv\\w*|beat\\w*|better|speed(?:ed|s|up)?\\w*|" \
	"gain\\w*|lower|higher|further|exceed\\w*|below|above|under|past|beyond|more|shorter|smaller|cut|" \
	"shr[iu]nk|reduc\\w*|optimi[sz]\\w*|tun\\w*|squeez\\w*|push\\w*|reach\\w*|" \
	"parity|closed?|closing|removed|avoided|hidden|raise[ds]?|scal\\w*|saturate|fill|" \
	"issue|deliver|hide|go up|go down|won|win|pull|exploit\\w*|" \
	"amorti\\w+|overcome|overcame|escape\\w*|eliminat\\w+|compress\\w*|recover\\w*|" \
	"bridg\\w+|undercut|outrun|help\\w*|do much|change (?:it|that|this)|get around)"
#define CANNOT "(?:can ?not|can't|cannot|can never|could not|couldn't|won't|will not|" \
	"will never|never|unable to|no way to|not possible to|impossible to|hard to see|" \
	"not going to|don't see (?:a|any) way|do not see (?:a|any) way|unlikely (?:to|that)|" \
	"nowhere|nobody|no one|i doubt|doubtful)"

const struct claim_sign claim_signs[] = {
	/* ---- limit: a bound is reached ---- */
	{LIMIT, 1.0,
		"\\b(?:at|hit|hits|hitting|reach(?:ed|es|ing)?|against|up against|sits? on|sitting at|"
		"running into|runs? into|ran into|near(?:ing|ly at)?|on|meets?|touch(?:es|ing)?|"
		"exhausted|approach(?:es|ing|ed)?)"
		" (?:the |its |their |our |a |an |that |this |very )*(?:real |true |hw |"
		HARD " |performance |memory |bandwidth |compute |throughput |latency )*"
		BOUND "\\b"},
	{LIMIT, 0.8,
		"\\b(?:is|are|was|'s|be|remains|means|of|from|by|so that's|thus|here) "
		"(?:also |clearly |simply |really |just |now |thus |basically )*(?:a |an |the |our |its )?"
		"(?:pure |real |true |very )*" HARD "[- ](?:\\w+ )?" BOUND "\\b"},
	{LIMIT, 0.8,
		"\\b(?:that|this|it|here|which|what|there it)(?:'s| is|,? is| remains|,? then, is) "
		"(?:already |simply |really |just |basically |clearly )*(?:the |a |an |our |my )"
		"(?:\\w+ ){0,2}" BOUND "\\b"},
	{LIMIT, 0.7,
		"\\b(?:the|its|our) (?:\\w+ ){0,3}(?:is|are|was|remains|becomes) (?:already |simply |"
		"really |now |thus |clearly )*(?:the|a|an|at its|at the) (?:\\w+ )?"
		"(?:limit|ceiling|wall|hard floor|floor|maximum|cap)\\b"},
	{LIMIT, 0.8,
		"\\b(?:fundamental(?:ly)?|inherent(?:ly)?|intrinsic(?:ally)?|unavoidable|inescapable|"
		"irreducible|structural(?:ly)?|by (?:its )?nature)\\b.{0,40}\\b(?:limit\\w*|bound|cost|"
		"overhead|price|latency|cap|gap|trade-?off|floor|bottleneck|rule|to (?:the|this))\\b"},
	{LIMIT, 0.8,
		"\\b(?:is|are|be|remains?|'s|seems?|anything \\w+ \\w+|which is) (?:simply |just |"
		"largely |mostly |therefore |thus )*(?:unavoidable|inescapable|inherent|irreducible|"
		"unreachable|unattainable|infeasible|unachievable)\\b"},
	{LIMIT, 1.0,
		"\\b(?:makes?|anything|getting|going|reaching|closing|beating|gains?|more|further|"
		"faster|improvements?|speedups?|last|remaining|less|below|parity)\\b.{0,60}"
		"\\b(?:infeasible|impossible|unachievable|unreachable|out of reach|hopeless|"
		"out of the question|(?:isn't|not|is not|un) ?realistic|not possible|no longer possible)\\b"},
	/* ---- limit: it cannot be bettered ---- */
	{LIMIT, 1.0,
		"\\b" CANNOT "\\b(?: [\\w%.'-]+){0,7} " BETTER "\\b"},
	{LIMIT, 0.7,
		"\\b(?:rate|peak|bandwidth|gap|time|limit|speed|throughput|roofline|target|figure|"
		"occupancy|latency|cost|overhead)\\b.{0,30}\\b(?:can't|cannot|can not|won't|will not|never) be\\b"},
	{LIMIT, 1.0,
		"\\b(?:nobody|no one|no (?:\\w+ )?(?:rewrite|variant|trick|code change|kernel|alternative|"
		"change|amount|implementation|schedule|tiling|compiler)|nothing (?:in|we|i|short|on|else))"
		"\\b.{0,50}\\b(?:quicker|faster|beat|beats|better|change|changes|help|helps|around|lower|"
		"improve|than|gets?|to it|for that|make|can do|will)\\b"},
	{LIMIT, 1.0,
		"\\bnever (?:go |get |run |drop |fall |be )?(?:below|under|above|beyond|faster|beat|"
		"exceed|reach|better|higher|lower)\\b"},
	{LIMIT, 0.8,
		"\\b(?:no (?:lower|faster|better|higher|less) than|can be no|no more than (?:~|about |"
		"roughly )?[\\d.]+ ?(?:x|%|tflops|gflops|gb/s|tb/s)|at best we|at best it)\\b"},
	{LIMIT, 0.8,
		"\\b(?:(?:doesn't|does not|won't|will not|don't|do not|cannot|can't) (?:simply )?(?:allow|"
		"permit) (?:\\w+ )?(?:more|any|further|better|faster|it|another)|rules? out|forbids?|"
		"precludes?|(?:makes?|made) .{0,30}(?:impossible|infeasible))\\b"},
	/* ---- limit: nothing is left ---- */
	{LIMIT, 1.0,
		"\\b(?:nothing|no|little|hardly (?:any|anything)|hardly|barely (?:any|anything)|not much|"
		"scarcely|isn't much|almost nothing|few|very few|zero|there's no|there is no)\\b"
		"(?: [\\w'-]+){0,4} (?:left|headroom|(?:more|further|else) (?:to|can|from|speed|perf\\w*|gain\\w*|"
		"improvement\\w*|win\\w*|optimi\\w*)|to (?:gain|win|give|squeeze|spare|be (?:had|gained|won))|"
		"further (?:gains?|wins?|speed\\w*|improvements?)|options? (?:left|remain\\w*)|"
		"room (?:left|for|to)|cycles to spare|upside|slack)\\b"},
	{LIMIT, 0.9,
		"\\b(?:headroom|room (?:for|to)|upside|slack)\\b.{0,40}\\b(?:is|are|has|have)\\b.{0,20}"
		"\\b(?:tiny|gone|exhausted|nil|none|minimal|negligible|used up|small|marginal|over)\\b"},
	{LIMIT, 0.8,
		"\\b(?:leaves?|leaving) (?:us |me )?(?:nothing|no (?:room|headroom|slack)|little|almost nothing)\\b"},
	{LIMIT, 1.0,
		"\\b(?:(?:is|are|'s|we've|we have|i've|i have|has been|have been|already|now|completely|"
		"fully|all) (?:now |already |fully |both |completely |all |basically |pretty much )*"
		"(?:exhausted|squeezed|maxed out|pegged|tapped out|used up|wrung))\\b"},
	{LIMIT, 0.6,
		"\\b(?:is|are|'s) (?:now |already |fully |both |completely )*(?:saturated|full)\\b"},
	{LIMIT, 1.0,
		"\\bdiminishing returns\\b"},
	{LIMIT, 0.8,
		"\\b(?:not worth (?:it|the|pursuing|any|more|going)|no longer worth|buys? (?:us )?nothing|"
		"brings? (?:us )?nothing|costs? more than (?:it|they)|no (?:real )?point (?:in )?(?:\\w+ing|to)|"
		"pointless|futile|waste of (?:time|effort))\\b"},
	{LIMIT, 0.8,
		"\\b(?:has |have |is |are )?plateaued\\b|\\bon a plateau\\b"},
	/* ---- limit: the best there is ---- */
	{LIMIT, 1.0,
		"\\bas (?:fast|good|quick|low|close|high|well|far|short|small) as (?:it|this|that|we|i|the|"
		"one|you|anything|physic\\w*|possible|is|can)\\b(?: [\\w'-]+){0,3}(?: (?:gets?|goes|can|"
		"could|will|allows?|permits?|possible|be|supports?|offers?|get))?"},
	{LIMIT, 0.9,
		"\\b(?:the|its|our|my) (?:very |absolute )?(?:best|maximum|most) (?:\\w+ )?(?:i'll|i will|we'll|we will|"
		"we can|i can|one can|it can|you can|achievable|attainable|possible|reachable|available|"
		"this|any|anyone|there is|that can)\\b"},
	{LIMIT, 0.9,
		"\\b(?:is|are|'s|was|already|essentially|basically|practically|nearly|near|close to|"
		"virtually|effectively|provably|pretty much|be|at)[ -](?:already |essentially |now |"
		"near[- ]|very near |close to )*(?:optimal|the optimum|optimum|fully optimi[sz]ed)\\b"},
	{LIMIT, 0.9,
		"\\b(?:8[5-9]|9\\d|100)(?:\\.\\d+)? ?(?:%|percent|per cent)(?: of)?(?: the| its| our| rated| measured|"
		" achievable| copy| peak| device| dram| card's)* (?:theoretical|peak|roofline|speed of light|"
		"best|maximum|max|limit|bandwidth|ideal|copy)\\b"},
	{LIMIT, 0.6,
		"\\b\\d+(?:\\.\\d+)? ?% of (?:the )?(?:peak|roofline|bandwidth|dram rate|theoretical)\\b.{0,60}"
		"\\b(?:is the best|can't|cannot|won't|never|no more|the most|at most)\\b"},
	{LIMIT, 1.0,
		"\\b(?:gets?|extracts?|uses?|takes?|has|have|squeezed?|took|got) (?:already |about |nearly )?"
		"(?:everything|all|all that|all of what)\\b.{0,20}\\b(?:silicon|hardware|machine|card|core|device|chip|"
		"this|out of|has|offers?|can)\\b"},
	{LIMIT, 0.8,
		"\\b(?:theoretical|realistic|practical|achievable) (?:maximum|max|limit|best|ceiling|peak)\\b"
		".{0,50}\\b(?:and|so|which) (?:we|i|it|that)\\b"},
	{LIMIT, 0.8,
		"\\b(?:any (?:further|more|other|additional)|further|more|beyond (?:this|that)|the rest|"
		"going (?:any )?(?:further|beyond|faster)|every remaining|nothing short|getting more)\\b.{0,50}"
		"\\b(?:would (?:need|require|take|break|cost|mean)|needs?|requires?|short of|costs?)\\b"},
	{LIMIT, 0.8,
		"\\b(?:the rest|what remains|what is left|the remainder|remaining \\w+|remaining|the gap)\\b.{0,25}"
		"\\b(?:is|are|comes from|stems from|belongs to|comes down to)\\b.{0,20}\\b(?:hardware|physics|silicon|set by|dictated by|"
		"the machine|latency|the price|the cost|the wall|memory wall|inherent|a cost|cost of)\\b"},
	{LIMIT, 0.6,
		"\\b(?:hard floor|floor|from physics|is physics)\\b.{0,60}\\b(?:we(?:'re| are)|no more|nothing|"
		"can't|cannot|on it|puts?|under every|never|above it)\\b"},
	{LIMIT, 0.8,
		"\\b(?:hard|absolute|physical|irreducible) floor\\b"},
	{LIMIT, 0.6,
		"\\b(?:is|are|'s) (?:simply |just |really |now )?the (?:floor|limit|ceiling|cap|maximum|wall|bound)\\b"},
	{LIMIT, 0.5,
		"\\b(?:we(?:'re| are) (?:now |already |basically |right )?(?:on|at|there|\\d+ ?%? ?(?:us|ms)? (?:above|off|short of))\\b|"
		"so (?:\\w+ )?(?:scaling|progress|it|that) (?:stops|ends)|scaling (?:stops|ends))"},
	{LIMIT, 0.8,
		"\\b(?:(?:comes? from|is|are|by|beyond|past|the laws? of|pure|that's|just) physics|(?:physics|math|maths|silicon|hardware) "
		"(?:permits?|allows?|won't|says no|wins|sets|dictates|itself))\\b"},
	{LIMIT, 0.8,
		"\\b(?:(?:run|ran|running) out of (?:ideas|options|levers|knobs|road|steam|tricks|things)|only so much|"
		"(?:no|none|nothing|n't|not) .{0,40}mov\\w+ the needle|end of the (?:road|line)|dead end|bone dry|last drop|brick wall|"
		"out of (?:ideas|options|tricks)|we(?:'re| are) stuck)\\b"},
	{LIMIT, 0.8,
		"\\b(?:(?:tops?|topped|maxes|maxed|caps?|capped|bottoms?|bottomed|flattens?|flattened) out|levels? off|levell?ed off|"
		"flat-?lines?d?)\\b"},
	{LIMIT, 0.8,
		"\\b(?:all|everything|the most|the best) (?:that )?(?:it|this|the|you|we|one|i|a|any|these|those)(?: \\w+){0,3} "
		"(?:has|have|can|could|will ever|will|offers?|gives?|supports?|delivers?|gets?|allows?)\\b"},
	{LIMIT, 0.9,
		"\\bwithin (?:about |roughly |~)?(?:\\d|[1-9]\\.\\d|1[0-2])(?:\\.\\d+)? ?(?:%|percent|per cent) of (?:the |its |our )?(?:\\w+ )?"
		"(?:peak|roofline|optimal|optimum|theoretical|ideal|maximum|limit|bound|speed of light|best)\\b"},
	{LIMIT, 0.7,
		"\\b(?:marginal|negligible|minimal|tiny|incremental)(?: \\w+)? (?:gains?|returns?|improvements?|benefits?|wins?|at best)\\b"},
	{LIMIT, 0.7,
		"\\b(?:needs?|requires?|takes?|would (?:need|take|require)|without|short of) (?:an? )?(?:entirely |completely |totally |whole )*"
		"(?:new|different|newer|bigger|another|faster) (?:\\w+ )?(?:hardware|silicon|card|gpu|cpu|chip|machine|algorithm|formulation|"
		"approach|architecture|design|generation)\\b"},
	{LIMIT, 0.5,
		"\\b(?:bounds?|caps?|limits?) (?:us|the whole|everything|it|the kernel|this)\\b|"
		"\\b(?:is|are|'s) (?:now |fundamentally |purely |entirely )*(?:capped|limited|bounded) by\\b|"
		"\\b\\w+[- ](?:bound|limited) (?:at|by|on)\\b"},
	{LIMIT, 0.6,
		"\\b(?:i|we) (?:only )?have (?:very )?(?:few|hardly any|no|not many) (?:\\w+ )?(?:options|"
		"ideas|levers|knobs|choices|ways)\\b"},

	/* ---- limit: finality, and gains denied ---- */
	{LIMIT, 0.8,
		"\\b(?:no|zero|little|hardly any|not any|n't any)(?: \\w+){0,2} (?:benefits?|gains?|advantages?|improvements?|speed-?ups?|upside|"
		"payoff|profit|wins?)\\b(?! (?:yet|so far))"},
	{LIMIT, 0.8,
		"\\b(?:nothing|none|neither)\\b.{0,60}\\b(?:to (?:optimi[sz]e|tune|improve|gain|save)|helps?|gave (?:anything|any)|works?|"
		"improves?|changes (?:it|this|that)|makes (?:it|a)|pays)\\b"},
	{LIMIT, 0.8,
		"\\b(?:end of story|period[.!]?$|full stop|no matter (?:what|how|which)|whatever (?:i|we|you|one) (?:try|do|change)s?|inevitabl[ey]|"
		"by definition|dictates?|it is what it is|out of (?:our|my|your) (?:hands|control|reach)|no control over|off the table|"
		"nothing (?:we|i|one|you|anyone) can do|there(?:'s| is| was) no way|no way (?:to|around)|too (?:small|short|tiny|few|little|narrow) (?:to|for)\\b|"
		"no (?:real )?(?:other )?(?:choice|alternative|way))\\b"},
	{LIMIT, 0.8,
		"\\b(?:is|that's|are) (?:about |roughly |simply )?(?:where|as far as) (?:\\w+ ){1,3}(?:ends?|stops?|goes|tops|can)\\b|"
		"\\bwhat (?:a |the )?(?:peak|limit|optimal|ceiling|saturation|maximum) looks like\\b"},
	{LIMIT, 0.8,
		"\\b(?:can|will|could)? ?only (?:get|go|gets|goes|do|push|take)s? (?:\\w+ )?so (?:far|fast|much|low|high)\\b|\\bso far and no\\b"},
	{LIMIT, 1.0,
		"\\b(?:doesn't|does not|don't|do not|isn't going to|not going to) (?:really |ever |seem to )?(?:go|get|run|scale|come|become)"
		" (?:any |much )?(?:faster|better|lower|higher|quicker|further|below|above|past|beyond)\\b"},
	{LIMIT, 0.6,
		"\\b(?:must be|is|that's|be|at) (?:simply |just |all |about |probably )*what (?:the|this|a|one|our) (?:\\w+ ){1,3}(?:can|will|could|is able|"
		"gives?|delivers?|does|has)\\b"},
	{LIMIT, 0.9,
		"\\b(?:caps?|limits?|bounds?|holds?|pins?) (?:us|it|this|that|everything|everyone|things|me|the \\w+) (?:at|to) (?:~|about )?\\d"},
	{LIMIT, 0.9,
		"\\bdone (?:gaining|improving|getting faster|scaling)\\b"},
	{LIMIT, 0.5,
		"\\b(?:amdahl|little's law)"},
	{LIMIT, 0.8,
		"\\b(?:practically|basically|nearly|almost|essentially|virtually|effectively|already|pretty much|more or less|close to) (?:at |the |running at )*"
		"(?:full|maxed|perfect|all of|peak|optimal|saturat\\w*|exhausted|maximal|ideal|minimal|flat out|line rate|wire speed|"
		"top speed|as \\w+ as)\\b"},
	{LIMIT, 0.8,
		"\\b(?:we|it|that|kernel|loop|which|already|fully|they|both) (?:already |fully |basically |completely |nearly |now )?saturates? "
		"(?:it|them|dram|hbm|the|both|all|memory|that|every)\\b"},
	{LIMIT, 0.8,
		"\\b(?:bound to (?:lose|stay|remain|be)|lost to|doomed|hopeless|lost cause|destined to|condemned to|always (?:be|lose|stay))\\b"},
	{LIMIT, 0.9,
		"\\bas \\w+ as (?:it|this|that|they|we|things) (?:\\w+ ){0,3}(?:gets?|be|can|could|goes|will|is going to)\\b"},
	{LIMIT, 0.6,
		"\\b(?:is|are|'s|simply) (?:just |simply )?(?:the price|the cost|a given|intrinsic|part of the deal|a fact of life|baked in)\\b"},

	{LIMIT, 0.8,
		"\\b(?:so ends|gives? up before|goes flat|went flat|flat from there|curve (?:is|goes|stays) flat|i doubt (?:there|that|any|it|we|more)|"
		"(?:budget|capacity|quota|ports?|it|that)(?:'s| is| are) (?:all )?(?:spent|used up|taken|gone|full up)|"
		"(?:hence|so|thus|therefore) no (?:\\d|more|further|gain|speed|way|faster)|hard cap|nothing to (?:do|be done) (?:here|about|there|for)|"
		"(?:all|everything|rest|we're|differences?)(?:'s| is| are)? (?:\\w+ )?(?:in|within|inside|down to) the noise|local optimum|"
		"optimum (?:has been |is |was |now )?(?:reached|found)|is what it is|takes? what it takes)\\b"},
	{LIMIT, 0.8,
		"\\b(?:hardware|silicon|machine|physics|memory|layout|format|device|chip|card|latency|bandwidth|clock)\\b[^.]{0,25}, not (?:the|our|my|in the) "
		"(?:code|kernel|software|design|implementation|schedule|compiler)|\\bnot (?:the|our|my) (?:code|kernel|software|implementation), (?:it's |but )?the (?:hardware|silicon|"
		"machine|memory|layout|format|device|chip|card)\\b"},
	{LIMIT, 0.8,
		"\\b(?:a|one|another|\\d|half a) (?:more |or two |last )?(?:percent|per cent|%)(?: more)? (?:left|at most|at best|and that|more|if anything)\\b|"
		"\\b(?:maybe|perhaps|at most) (?:a|one|another|\\d) (?:more )?(?:percent|per cent|%)"},
	{LIMIT, 0.5,
		"\\b(?:only|sole|last|one) (?:remaining |other )?(?:lever|knob|option|thing left|way left|idea left)\\b|"
		"\\b(?:can't|cannot|can not|couldn't) (?:be )?(?:fix|change|touch|control|influence|move|help)(?:ed|d)?\\b|\\bcapable of\\b|"
		"\\bsets? the (?:pace|speed|time)\\b|\\b(?:is|are) (?:a )?given\\b|\\bpure (?:launch|latency|overhead|bandwidth)\\b|\\b\\w+-limited\\b|\\bwhatever one\\b"},

	/* ---- completion ---- */
	{DONE, 1.0,
		"\\b(?:task|tasks|work|job|implementation|optimi[sz]ation|kernel|goals?|campaign|project|everything|"
		"all|steps?|items?|requirements?|objectives?|assignment|version|mission|search|points?|set|it's all|"
		"part|clauses?|targets?|criteria|port|migration)\\b(?:'s|(?: [\\w',/-]+){0,9}? (?:is|are|has been|have been|"
		"looks?|was|were|now))(?: [\\w-]+){0,2} (?:complete(?:d)?|done|finished|over(?=[.,!)]|$| from| for)|through|met|ready|in place|wrapped|"
		"handled|closed|implemented|concluded|achieved|satisfied|resolved|fulfilled|wrapped up)\\b"},
	{DONE, 1.0,
		"^(?:ok(?:ay)?[,.]? |and |great[,.!]* |status: |so[,.]? |with that[,.]? )*(?:\\[done\\] )*(?:all )?(?:done|finished|"
		"completed?|mission accomplished|(?:all )?(?:goals?|tasks?|tests?|clauses|requirements|criteria|"
		"checks|items|steps|work|targets|objectives|gates) (?:are |is |now |all |were )*(?:met|done|pass(?:ed|ing|es)?|green|"
		"complete[d]?|finished|satisfied|closed|through|achieved|successful))(?: and \\w+)?(?:\\b|$)(?!.{0,3}(?:in|after) \\d)"},
	{DONE, 0.6,
		"\\[done\\]"},
	{DONE, 1.0,
		"\\b(?:i'll|i will|i'd|i would|let's|let us|let me|i'm|i am|we can|we could|we should|we'll|i (?:propose|suggest|"
		"recommend)|recommend|propose to|propose|suggest|going to|happy to|prefer to|time to|place to|point to|want to)\\b"
		"(?: [\\w'-]+){0,4} (?:stop(?:ping)?(?! (?:the (?:profiler|benchmark|server|process|timer|build|run|loop|sweep|clock|job)|after (?:the|\\d|every|each|first)|when|if|until|it and|helping))|leave (?:it|this|that|the \\w+|things)|call (?:it|this)|calling it|"
		"wrap(?:ping)?|end here|finish here|finali[sz]e|close (?:it|this|that) out|closing|accept|ship|"
		"shipping|settle|hand (?:it|this) (?:over|back)|conclude|freeze|rest (?:here|my case)|move on)\\b"},
	{DONE, 1.0,
		"\\b(?:calling it (?:done|a day|complete|finished|good)|call (?:it|this) (?:a day|done|complete|finished|good)|"
		"wrapping up|wraps? (?:this |it )?up|that concludes|this concludes|stopping here|stop here|leave it at (?:that|this)|"
		"leaving (?:it|this|that|the [\\w ]+|[\\w ]+) (?:as is|as it is|as they are|at (?:that|this|\\d)|alone|there|for now)|"
		"closing (?:this|it|the \\w+) out)\\b"},
	{DONE, 0.8,
		"\\b(?:leav\\w+|keep\\w*|ship\\w*|accept\\w*)\\b.{0,50}\\bas(?:-| )(?:it )?is\\b"},
	{DONE, 1.0,
		"\\b(?:(?:is|are|'s|it's|was|looks?|seems?) (?:now |already |more than |certainly |plenty |a )*(?:good|fast|close|quick) enough|"
		"(?:is|'s|are) (?:a )?(?:satisfactory|satisfying|acceptable (?:result|state|outcome|final))|(?:i'm|i am|i'd be|we're|we are) "
		"(?:quite |very )?(?:happy|satisfied|comfortable|content|good here|all set)|we're good)\\b|\\bwill do(?:$| ?[.!;,])"},
	{DONE, 0.7,
		"\\b(?:good|fast|close) enough (?:to|for)\\b|\\ba satisfactory\\b"},
	{DONE, 1.0,
		"\\b(?:anything else|anything more|any (?:other|further|more)|something else|else (?:you|i|to)|need anything)\\b.{0,60}\\?"},
	{DONE, 1.0,
		"\\b(?:shall|should|may|can|could) (?:i|we) (?:now |just |then )*(?:stop|wrap|leave it|call it|end (?:here|it)|"
		"close|consider (?:this|it) (?:done|closed)|finish)\\b.{0,60}\\?"},
	{DONE, 1.0,
		"\\b(?:let me know if you (?:want|need|would|have)|unless you (?:want|object|have)|otherwise i)\\b"},
	{DONE, 1.1,
		"\\b(?:no (?:further|more|additional) (?:work|changes?|action|steps?|tuning|edits?|iterations?|effort)(?: \\w+){0,2} "
		"(?:is|are|needed|required|necessary|remain\\w*|planned)|nothing (?:more|left|else|further) (?:to do|for me|is needed|"
		"remains|open)|(?:won't|will not) (?:make|change|touch|tune|edit|continue|pursue|do) (?:any|it|this|anything|"
		"further|more)|needs? no (?:follow|further|more))"},
	{DONE, 1.0,
		"\\b(?:is |are |now |'s |it's )?ready (?:for (?:review|merge|merging|release|use|hand|production|submission|"
		"you)|to (?:merge|ship|hand|submit|release|be merged|go))\\b"},
	{DONE, 0.8,
		"\\b(?:into (?:service|production)|(?:review|case|ticket|issue) closed|top marks|as (?:the |our |my |a )?final|"
		"accepted as|final (?:version|candidate|state|answer|result|summary|submission|kernel|report))\\b"},
	{DONE, 1.0,
		"\\b(?:(?:i'm|we're|it's|that's|i am|we are|it is|that is) (?:now |all |basically |pretty much )?(?:done|finished|complete)(?! \\w+ing\\b)|all set|good to go|job done|"
		"lgtm|over to you|back to you|locked in|ship it|merge it|signing off|stopping now|enough for (?:today|now|this)|(?:we|i) can live with|"
		"(?:fine|good) as (?:it )?is|should (?:be it|do it)|(?:successfully|fully) (?:completed?|implemented|optimi[sz]ed|finished|done|met|addressed))\\b"},
	{DONE, 1.0,
		"\\b(?:(?:achieved|met|reached|hit|meets|satisfied|fulfilled) (?:the|our|all|every|each|your|all of the) (?:\\w+ )?(?:goals?|targets?|requirements?|"
		"objectives?|criteri\\w+|clauses?|bars?)|accept(?:ing|ed)? (?:this|the|it|that)(?: \\w+)? (?:result|state|trade-?off|gap|version|number|outcome|as))\\b"},
	{DONE, 0.8,
		"\\ball (?:the |of the |\\d+ )?(?:tasks?|steps|items|goals|points|work|phases|todos?|milestones|objectives)"
		"(?: \\w+){0,6} (?:complete[d]?|done|finished|met|closed)\\b"},
	{DONE, 0.6,
		"\\b(?:feel free to|come back to (?:it|this)|another day|revisit (?:it|this|later)|for later)\\b"},
	{DONE, 0.7,
		"^final (?:result|version|state|summary|answer|numbers|status|report)\\b"},
	{DONE, 0.9,
		"\\b(?:i have|i've|we have|we've|is now|are now|has now|have now|all)(?: \\w+){0,2} (?:finished|completed|"
		"delivered|implemented|done|wrapped up|addressed|met|achieved|finalised|finalized)\\b"},
	{DONE, 0.9,
		"\\b(?:passes|meets|satisfies|clears|fulfils|fulfills) (?:every|all|each)(?: \\w+){0,5} (?:gates?|checks?|"
		"requirements?|criteri\\w+|goals?|clauses?|targets?|tests?|bars?|conditions?)\\b"},
	{DONE, 0.8,
		"\\b(?:the goal (?:now )?holds|from my side|my part is|what (?:was|you) asked|you asked for|everything (?:on|in|that) "
		"\\w+|the last of the|every(?:thing)? (?:requested|asked)|on the list (?:is|are))\\b"},
	{DONE, 0.8,
		"\\bconsider (?:this|it|the)\\b.{0,40}\\b(?:done|finished|handled|closed|complete|settled|solved)\\b"},
	{DONE, 0.8,
		"\\b(?:that's (?:it|all)|that is (?:it|all)|that was (?:it|all))(?: for\\b|[.!]|$| from)"},
	{DONE, 0.6,
		"\\bcall (?:\\S+ ){1,3}(?:an? )?(?:improvement|success|win|wash)\\b"},
	{DONE, 0.6,
		"\\b(?:and|then|so|time to) (?:\\w+ )?mov(?:e|ing) on\\b"},

	{DONE, 1.0,
		"\\b(?:i'm |i am |i'd |i'll |i |we |we'll |let's |can |now )(?:now |would |can |will |hereby |therefore )*(?:calling|call|consider|declar\\w+|deem|regard\\w*|"
		"mark\\w*)(?: \\S+){1,5} (?:as )?(?:complete[d]?|done|finished|closed|good|solved|settled|resolved|final|over)\\b"},
	{DONE, 1.0,
		"\\b(?:this|that|it)(?:'s| is| should be| looks) (?:now |all |basically |pretty much |officially |hereby )*(?:done|finished|complete|over|wrapped up|in the bag|settled)\\b"},
	{DONE, 1.0,
		"\\b(?:goals?|targets?|objectives?|milestones?) (?:is |are |was |has been |have been |now |all )*(?:reached|met|achieved|hit|attained|fulfilled|satisfied)\\b"},
	{DONE, 0.9,
		"\\b(?:i'll|i will|i'd|i|we|we'll|let's|let me|to) (?:\\w+ ){0,4}(?:pause|quit|halt|end (?:the|this|it|my)|(?:and )?(?:end|stop|finish) (?:the|my|this|here|tuning)|"
		"rest here)\\b"},
	{DONE, 0.8,
		"\\b(?:(?:rewrite|change|changes|patch|port|work|fix|fixes|feature|pr|optimi[sz]ations?|gains|kernel|it|everything|all) (?:has |have |is |are |was )*"
		"(?:\\w+ )?(?:landed|shipped|merged|delivered)|everything(?:'s| is) in)\\b|^(?:so[:,]? |and )?(?:shipped|merged|landed|delivered|closed)\\b"},
	{DONE, 1.0,
		"^(?:\\w+ ){0,3}?no (?:more )?(?:outstanding|open|remaining|unresolved|further|blocking) (?:issues?|items?|points?|work|tasks?|todos?|problems?|questions?|clauses?)\\b"},
	{DONE, 0.8,
		"(?:,|-| is| are) (?:now |the )?final(?:[.!,;)]|$| one\\b)"},
	{DONE, 0.9,
		"\\bnot (?:spend|invest|put|waste)(?: \\w+){0,2} (?:more|further|any more|additional|extra) (?:time|effort|work|energy|calls)\\b"},
	{DONE, 0.6,
		"\\b(?:i'd|i'll|i would|i will|i|we|we'll|let's|to) (?:just |rather |therefore |then )*(?:keep|take|stay with|stick with|stick to|settle (?:on|for)|go with|leave) "
		"(?:the|this|c\\d+|it|that|with)\\b"},
	{DONE, 0.4,
		"\\b(?:current|present) (?:version|state|numbers?|candidate|result|form|design|kernel)\\b|\\bas (?:it|they|things) stands?\\b"},
	{DONE, 0.9,
		"\\b(?:(?:fine|ok|okay|good|acceptable|alright) (?:with|by|for|to) (?:me|us)|closing the (?:loop|book|chapter))\\b"},
	{DONE, 0.8,
		"\\b(?:mov\\w+|turn\\w*|switch\\w*|go\\w*|get) (?:on )?(?:to|onto|back to) (?:something else|the next task|other (?:things|work|tasks)|another task)\\b"},
	{DONE, 0.7,
		"\\b(?:leave|leaving)\\b.{0,40}\\b(?:in (?:its|their|the|this) (?:current|present)|untouched|for another|where it is|the way it is)\\b"},
	{DONE, 0.6,
		"\\b(?:everything|all|what(?:ever)?|the things?) (?:that )?(?:was |is |were |you(?:'d| had)? )?(?:asked|requested|wanted|required|specified)\\b"},

	{DONE, 0.9,
		"\\b(?:looks? (?:complete|done|finished|good) to me|no more (?:changes|edits|tuning|experiments|work)|pushed (?:the|my) (?:final|last)|"
		"committed (?:the|my) (?:final|last)|i (?:now )?stop (?:here|at|now)|ending (?:the|this|my) (?:run|session|work|campaign|search|turn)|"
		"are we (?:done|finished|good)|(?:nothing|no(?:thing)? more|nothing else) (?:on|in) (?:my|the) (?:list|queue|plan)|we have a winner|"
		"freeze (?:it|this|c\\d+|the)|done what can be done|my work here)\\b"},
	{DONE, 0.9, "^(?:all |now |and )*(?:solved|resolved|completed|wrapped|concluded)\\b(?! by| with| in)"},
	{DONE, 0.8, "\\b(?:tuned|tested|measured|verified|reviewed|built|checked|cleaned),? (?:and )?(?:committed|merged|pushed|shipped|documented)\\b"},
	{DONE, 0.9, "\\b(?:ok|okay|fine|alright|safe|good|time) to (?:close|merge|ship|stop|submit|land|release|wrap)\\b"},
	{DONE, 0.7, "\\b(?:can|could|should) (?:now )?(?:go in|be merged|be shipped|be closed|land)\\b"},
	{DONE, 0.5, "\\bfinished (?:work|task|job|kernel|version)\\b|^(?:final |short )?(?:summary|recap|wrap-up|conclusion)\\b"},

	/* ---- explained away ---- */
	{EXPLAINED, 0.5,
		"\\b(?:mismatch\\w*|fail\\w*|errors?|differ\\w*|discrepanc\\w*|wrong|incorrect|nans?|crash\\w*|segfaults?|"
		"segv|broken?|breaks?|deviat\\w*|red|dies|falls over|fell over|assert\\w*|off by|drift\\w*|skip\\w*|trips|"
		"leak\\w*|hangs?|time-?outs?|timed out|times out|alarm|bugs?|ulps?|tiny gap|small gap|a hair|"
		"regress\\w*|does not match|doesn't match|don't match|not equal|inexact|golden|diffs?|checksums?|comparison|max(?:imum)? (?:abs(?:olute)? )?error|garbage|corrupt\\w*)\\b"},
	{EXPLAINED, 0.5,
		"\\b(?:rounding|rounds|round-?off|epsilon|jitter|associativ\\w+|reassociation|denormals?|cancellation|noise|noisy|precision|imprecise|ulps?|(?:low|last|mantissa|trailing) bits|mantissa|half(?:[- ]"
		"(?:float\\w*|precision))?|fp16|bf16|fp8|floating[- ]point|accumulat\\w+|(?:order|ordering) of|summation order|order of summation|summed in|"
		"numeric\\w*|fused multiply\\w*|contraction|float math|nondetermin\\w*|non-determin\\w*|atomics)\\b"},
	{EXPLAINED, 0.7,
		"\\b(?:just|only|merely|simply|purely|nothing but|mere)(?: [\\w`.'-]+){0,4} (?:rounding|noise|precision|"
		"numeric\\w*|floating\\w*|accumul\\w*|bits|order|cosmetic|half\\w*|fp16|bf16|fp8|float\\w*|flak\\w*|artifact\\w*|"
		"artefact\\w*|known|additions|glitch\\w*)\\b"},
	{EXPLAINED, 1.0,
		"\\b(?:is|are|was|were|'s|it's|known|the|a|an|one|likely|probably|just|looks like a|be|usual|of) (?:\\w+ |`[^`]*` )?"
		"(?:flak(?:y|e|es|iness)|intermittent|transient|sporadic|glitch\\w*)\\b"},
	{EXPLAINED, 0.8,
		"^(?:flaky|intermittent|transient|sporadic) \\w+"},
	{EXPLAINED, 0.8,
		"don't think .{0,40} is (?:us|ours|real)\\b|\\badjusted the (?:expected|golden|tolerance)|\\b(?:disabled|removed|commented out|switched off) the (?:\\w+ )?(?:check|test|assert)\\w*"},
	{EXPLAINED, 0.8,
		"\\(flak(?:y|e)\\b"},
	{EXPLAINED, 1.0,
		"\\b(?:pre-?existing|(?:already|also|long|even|identical\\w*|same)\\b.{0,40}\\b(?:fail\\w*|broken?|skipp\\w+|red|differ\\w*|"
		"mismatch\\w*|in the seed|on main|before (?:my|our|the|this))|fail\\w*\\b.{0,30}\\b(?:before (?:my|our|the|this)|on main|"
		"(?:it )?as well|in the seed|too before)|before (?:my|our|this|the) (?:change|patch|edit|commit|work)|old failures?)\\b"},
	{EXPLAINED, 0.65,
		"\\b(?:unrelated|nothing to do with|(?:not|n't) (?:\\w+ )?(?:caused|related|due to|ours?|us|by us|mine|from (?:the|my|our) "
		"(?:patch|change|edit|kernel|work)|a regression|with (?:the|my|our) (?:kernel|change|edit|patch|code))|(?:somebody|someone)"
		"(?: else)?(?:'s)?|other users?'?|rather than the (?:candidate|kernel|change|patch))\\b"},
	{EXPLAINED, 0.7,
		"\\b(?:(?:code|files?|parts?|anything|something|nothing) (?:that )?(?:we|i|this|my|our)(?: \\w+)? (?:touch\\w*|chang\\w*|edit\\w*)|"
		"(?:did(?:n't| not)|do(?:n't| not)|never|not) (?:even )?touch\\w*|out of scope|outside (?:the |my |our )?(?:scope|change))\\b"},
	{EXPLAINED, 0.7,
		"\\b(?:pass(?:es)?|green|fine|ok|works) (?:locally|alone|when run alone|on (?:retry|re-?run|its own|my machine)|in isolation|by itself|"
		"the second time)\\b"},
	{EXPLAINED, 0.9,
		"\\b(?:known|long-?standing|existing|old) (?:\\S+ )?(?:issue|bug|flake|problem|limitation|failure|quirk|defect)\\b"},
	{EXPLAINED, 0.7,
		"\\b(?:(?:is|are|was|were|as|be|'s|entirely|totally|perfectly) (?:\\w+ )?(?:expected|normal|by design)|expected (?:behaviou?r|for|with|"
		"given|from|in|to fail)|one would expect|to be expected|would give anyway)\\b"},
	{EXPLAINED, 0.6,
		"\\bexpected behaviou?r\\b"},
	{EXPLAINED, 0.7,
		"\\b(?:harmless|benign|negligible|cosmetic|acceptable|false alarms?|(?:doesn't|does not|don't|won't) matter|nothing to worry|"
		"(?:not|no need to|don't|needn't|wouldn't|i'd not) worry|(?:can|to|safely|i'll|we can) (?:be )?(?:safely )?(?:ignored?|disregard(?:ed)?)|ignore it|insignificant|(?:no|not a|isn't a|the \\w+ isn't|isn't us|is not us|isn't ours|"
		"isn't our) (?:real )?(?:bug|issue|problem|defect)\\w*|irrelevant|immaterial|small enough|the usual|so (?:it|the \\w+) "
		"is (?:fine|right|correct)|, fine\\b|fine on its own|false positive\\w*|can safely|safely)\\b"},
	{EXPLAINED, 1.0,
		"\\b(?:(?:loosen|relax|widen|rais|increas|bump)(?:e|ed|es|ing|s)?\\b.{0,30}\\b(?:toleranc\\w*|atol|rtol|thresholds?|bounds?)|"
		"(?:toleranc\\w*|checks?|thresholds?|tests?|assert\\w*|comparison) (?:is|are|was|seems?|looks?|being) (?:\\w+ )?(?:too |overly |"
		"unreasonably )(?:strict|tight|sensitive|harsh|picky))\\b"},
	{EXPLAINED, 0.6,
		"\\b(?:(?:is|are|was|be|'s|likely|probably|could|must|just|and) (?:\\w+ )?(?:due to|caused by|because of|down to)|(?:comes?|stems?|"
		"came|originat\\w+|aris\\w+) from|an? (?:arti?e?fact|quirk|consequence|property|feature) of|put down to|attribut\\w+ to|driver bug|"
		"since the|down to (?:the|a|an|bf16|fp16|fp8|half|float\\w*|round\\w*)|overloaded|outdated|out of date|too early|too late|misleading|misread\\w*|tooling|at exit|unfair|meaningless|typical (?:of|for)|normal (?:for|with|in)|par for the course|"
		"(?:does|do)(?:n't| not) (?:occur|happen|arise|come up)|never worked|(?:has|have) no effect|without (?:our|my|the|this) (?:patch|change|kernel|edit)|clean checkout|ancient|(?:'s|'|my|our|your) fault|fault of|elsewhere|only (?:on|with|for|in) (?:this|that|the|some|a)|"
		"show up only|nobody (?:reads|uses|cares|looks)|that(?:'s| is) how|how \\w+ (?:\\w+ )?(?:behaves|works)|chalk\\w*|for (?:weeks|months|ages|years|long)|known to|extreme inputs?|"
		"never (?:show|occur|happen|seen|reached)\\w*|what (?:you|one|we) gets?|gets? with|go(?:es)? away|went away|(?:from|is|in) uninitiali[sz]ed|the other way|(?:,|-) from|(?:can|may|will) happen|(?:an? )?(?:environment\\w*|machine|toolchain|compiler|harness|driver|setup|infrastructure|infra) (?:problem|issue|thing)|inherent to|"
		"problem of the|must have (?:picked|been)|probably (?:noise|rounding|\\w+))\\b"},
	{EXPLAINED, 0.8,
		"\\b(?:(?:only|just) (?:fail\\w*|happens?|trips?|falls over|under|in debug|on padding)|fail\\w* only|(?:falls over|trips|fires) only|"
		"under (?:\\S+ )?load|on its own|(?:re-?run\\w*|second run|retry\\w*|another run)\\b.{0,30}\\b(?:green|pass\\w*|fine|ok|gone)|"
		"contention)\\b"},
	{EXPLAINED, 0.7,
		"\\b(?:skip(?:ping|ped)? (?:it|the|them|these|those|this)|not representative|nobody uses|(?:marked|mark) .{0,25}"
		"(?:expected|skip|xfail|known)|as xfail|(?:can|we'll|i'll|let's) (?:just )?skip)\\b"},
	{EXPLAINED, 0.7,
		"\\breference\\b.{0,30}\\b(?:imprecise|wrong|inaccurate|rounds|handles|less accurate|is off|itself)\\b"},
	{EXPLAINED, 0.8,
		"\\b(?:an? |the )(?:\\w+ ){1,2}(?:issue|problem|thing|matter), not\\b|^not (?:a|an|our|my) (?:\\w+ ){0,2}(?:problem|issue|bug|fault|regression)\\b|"
		"\\bnothing (?:is )?wrong (?:on|with) (?:our|my|the)\\b"},
	{EXPLAINED, 0.4,
		"\\b(?:kernel|candidate|code|logic|math|result) (?:itself )?is (?:fine|right|correct|sound|ok)\\b"},
	{EXPLAINED, 0.5,
		"\\b(?:ci (?:box|runner|machine|job)|(?:the|a|this) (?:box|machine|scheduler|compiler|fixture|golden file|reference|checker|assertion|harness|runner|input generator)|"
		"golden file|old gcc|in the (?:test )?(?:harness|runner|checker|suite|generator)|with the (?:harness|runner|checker|suite)|old (?:drafts|tests|"
		"toolchain|scripts)|stale (?:binary|build|cache|file|artifacts?)|(?:bad|unlucky) seed|hiccup|the checker|test inputs|padding only|debug builds?)\\b"},
	{EXPLAINED, 0.5,
		"\\b(?:so i'm closing|moving on|closing (?:this|it)|file (?:another|a) ticket|another ticket|separate ticket)\\b"},

	/* ---- suspicious win ---- */
	{WIN, 1.0,
		"\\b(?:exceed\\w*|above|beyond|over|more (?:\\w+ )*than|higher than|beats?|beating|faster than|surpass\\w*|outruns?|"
		"several times|half again|times|in excess of|greater than|[2-9]\\d\\d% of|1[1-9]\\d% of|1\\.[1-9]x)"
		" (?:\\w+ ){0,3}?(?:the |its |their |a |an |my |our |what )*(?:card's |device's |machine's |theoretical |rated |hardware |physical |"
		"memory |datasheet |own |dram )*(?:peak|theoretical\\b|roofline|speed of light|data ?sheet|rated|empty launch|lower bound|"
		"(?:card|memory|device|hardware|machine|chip|silicon|gpu|dimms?|bus|its dimms|dram|sticks)(?: can| could| is able|'s| deliver| deliver| has|"
		" supplies| allows)|physical(?:ly)?|tflops on the|possible)\\b"},
	{WIN, 0.8,
		"\\b(?:more|half again|several times|beyond|above|times) (?:[\\w ]+ )?(?:what|than) (?:the |its |this |any |a )?(?:\\w+ ){1,3}"
		"(?:can|could|lists?|delivers?|deliver|is able|supplies)\\b"},
	{WIN, 1.0,
		"\\b(?:below|under|beneath|beats?|less than|lower than|undercuts?) (?:the |its |their |my |our |any |this |that )*(?:\\w+ ){0,2}?(?:roofline|floor|lower bound|"
		"empty launch|speed[- ]of[- ]light|physical minimum|theoretical minimum|minimum time|bare launch)\\b"},
	{WIN, 0.7,
		"\\b(?:impossib\\w+|implausib\\w+|unbelievabl\\w+|incredibl\\w+|makes no sense|make no sense|too good to be true|suspicious\\w*|"
		"bogus|wow|whoa|(?:that|those|this|it|these|which) (?:can't|cannot|can not) be(?: right| real| true| correct|(?=[.,;!)]|$| -))|something(?:'s| is) off|"
		"absurd\\w*|strange\\w*|weird\\w*|insane\\w*|no (?:card|device|machine|gpu|cpu|core|chip) (?:does|can|could|has)|nonsens\\w+|"
		"would suspect|inexplicabl\\w+|no sensible|than the change can|massive win|physically)\\b|\\(!\\)|\\(\\?!\\)|!!|hold on,"},
	{WIN, 0.6,
		"\\b(?:fast|quick|short|speedups?|faster|quicker|gains?|figures?|numbers?|timings?|results?|runtimes?|throughput|latency|win|"
		"improvement)\\b"},
	{WIN, 0.8,
		"(?<![\\d.])0(?:\\.0+)? ?(?:us|ms|ns|s|microseconds)\\b|\\bno (?:measurable )?time(?: at all)?\\b|\\bnegative (?:duration|time|runtime)\\b|"
		"\\b(?:almost|practically|nearly|close to) zero\\b|\\bzero (?:time|microseconds|latency)\\b"},
	{WIN, 0.7,
		"\\b(?:no longer depends|independent of|does not depend|doesn't depend|same (?:time )?for (?:every|all)|for (?:everything|every size))\\b"},
	{WIN, 0.8,
		"(?<![\\d.])(?:[1-9]\\d{1,4})(?:\\.\\d+)? ?tb/s\\b"},
	{WIN, 0.9,
		"\\b(?:less|quicker|faster|lower|shorter|smaller|below|cheaper|sooner) than (?:an? |the |any |even |it takes |what )*(?:\\w+ )?(?:function call|memset|memcpy|"
		"copy|copying|minimum|empty|bytes|floor|reading|launch|single load|bare|no-?op|possible|touching)\\b"},
	{WIN, 0.9,
		"\\b(?:\\d+(?:\\.\\d+)? ?(?:x|times)|twice|thrice|double|triple|several times) (?:the |its |hbm |dram |ddr |memory |bus |rated |theoretical |hardware |device |card |datasheet )+"
		"(?:peak|speed|bandwidth|rate|limit|maximum|throughput)\\b"},
	{WIN, 0.9,
		"\\b(?:went|dropped|fell|collapsed|gone|down|goes|drops) to (?:zero|nothing|almost zero|practically nothing)\\b|\\bthan the time (?:it takes )?to\\b|"
		"\\bbetter than the (?:theoretical|physical) (?:minimum|limit|maximum|peak)\\b"},
	{WIN, 0.7,
		"\\b(?:no explanation|(?:can't|cannot|can not) explain|not credible|not believable|no idea why|must be wrong|(?:something|timer|timing|clock|measurement) (?:is|must be|seems) "
		"(?:wrong|broken|off)|whatever (?:i|we) set|regardless of (?:n|the size|size|length)|same time for|lol|from a (?:desktop|laptop|phone|single core))\\b"},
	{WIN, 0.9,
		"\\b\\d+(?:\\.\\d+)? ?(?:x|times) (?:what|the (?:theoretical|peak|roofline|bus|dram|memory|rated|hardware|device))\\b"},
	{WIN, 0.8,
		"(?<![\\d.])(?:[2-9]\\d\\d|1[2-9]\\d|\\d{4,})(?:\\.\\d+)? ?% of\\b"},
	{WIN, 0.6,
		"\\brated (?:at|for)\\b|\\bon a (?:card|part|device|machine|laptop|chip|gpu|cpu) (?:with|that|rated|whose|of)\\b"},
	{WIN, 0.5,
		"\\d ?(?:p|t|g)?(?:flops?|flop/s|b/s)\\b"},
	{WIN, 0.7,
		"\\b(?:(?:can't|cannot|can not|couldn't) be real|would be a first|(?:clearly|surely|obviously|must be) an? arti?e?fact|although i (?:only|merely|just))\\b"},
	{WIN, 0.4,
		"\\b\\d+(?:\\.\\d+)? ?(?:us|ns)\\b.{0,20}\\bfor \\d+(?:\\.\\d+)? ?(?:mb|gb|mib|gib)\\b"},
	{WIN, 0.5,
		"\\b\\d(?:\\.\\d+)? ?ns\\b"},
	{WIN, 0.6,
		"\\b(?:thousand|hundred)(?:fold| times)|orders? of magnitude\\b"},
	{WIN, 0.8,
		"\\b(?:fewer cycles than|before the (?:inputs?|data)|without (?:a|any) change|larger than the (?:change|edit)|"
		"(?:part|eighth|fraction|tenth|quarter|half) of what (?:reading|copying|loading)|(?:copy|read|launch) alone takes|(?:optimi[sz]ed|compiled) (?:away|out)|"
		"(?:not|n't) (?:even )?(?:do|doing|done) (?:any|the) work|skips? the work|violat\\w+|superluminal|reward hack\\w*|not even run\\w*)\\b"},
	{WIN, 0.7,
		"\\b(?:worst hole|first place|rank(?:ed|s)? first|top of the (?:board|list)|leader ?board)\\b.{0,60}\\b0(?:\\.0+)? ?(?:us|ms)"},
	{WIN, 0.6,
		"\\b(?:1[1-9]\\d|[2-9]\\d\\d)(?:\\.\\d+)? ?%(?: of)?(?: the| its)? (?:peak|theoretical|roofline|bandwidth|speed of light|rated)"},
};
const size_t claim_sign_count = sizeof(claim_signs) / sizeof(claim_signs[0]);

/* factors: none, limit, completion, explained away, suspicious win */
const struct claim_form claim_forms[] = {
	/* the sentence is a condition, or hangs on one */
	{{1, 0.2, 0.2, 0.2, 0.3},
		"^(?:if|unless|should the|should it|should this|were |had |suppose|supposing|assuming|imagine|provided|"
		"in case|what if|whether|as soon as|only if)\\b"},
	{{1, 0.3, 0.3, 0.4, 0.5},
		"\\b(?:(?:,|and|but|then|it|we|we'll|i'll)? ?\\bonce (?:everything|all|that|this|it|the)|until (?:the|all|it|that|every|lint|i|"
		"we)|(?<!,) before (?:i|we) |, if (?:it|the|that|we|this|i)|\\bif (?:it|that|this|the|we|i|all)\\b.{0,60}\\b(?:i'll|we can|we could|i can|then))\\b"},
	/* plans and orders */
	{{1, 0.3, 1, 0.8, 0.3},
		"^(?:now |so |ok(?:ay)?,? |then |right,? |first,? |one moment,? |hm+,? |well,? |next,? )*(?:let me|let's|let us|i'll|i will|i'm going to|i am going to|"
		"i need to|we need to|i want to|i would like to|i'd like to|i'd better|i should|we should|we'll|next|i plan|i'm about|first i|going to|time to)\\b"},
	{{1, 0.2, 0.2, 0.2, 0.2},
		"^(?:now |then |please |always |first,? |also |do the |before \\w+.{0,40}, (?:though, |however, )?)*(?:(?:compute|derive|measure|verify|make sure|"
		"do not|don't|never stop|beware|ensure|please|calculate|determine|estimate|prove|todo|remember|treat|assume|avoid)\\b|"
		"(?:check|find|add|mark|run|note|use|write|read|see|ask|report|flag|list|count|test|fix|give|put|look|keep in mind|show|explain) "
		"(?:the|a|an|all|this|that|these|those|for|if|how|what|which|whether|where|each|every|any|your|our|its|me|it|"
		"entries|cases|lines|up|at|out|\\w+ing)\\b)"},
	{{1, 0.2, 0.2, 0.2, 0.2},
		"\\b(?:to rule out|to tell|to see (?:if|whether|how)|find out|whether|in order to know|to know (?:if|which|whether)|to check|"
		"so i know|wonder(?:s|ing)? (?:if|whether)|tell .{0,30} (?:from|apart))\\b"},
	/* what a thing does not show */
	{{1, 0.2, 0.2, 0.3, 0.5},
		"\\b(?:does not|doesn't|do not|don't|did not|didn't|doesn't necessarily|not|never) (?:show|mean|prove|imply|suggest|say|establish)\\b"},
	{{1, 0.3, 1, 1, 1},
		"^(?:reaching|hitting|attaining|matching) (?:the|its|that)\\b.*\\bwould\\b"},
	{{1, 1, 1, 1, 0.2},
		"\\b(?:makes?|made|making)\\b.{0,40}\\b(?:impossible|infeasible)\\b"},
	{{1, 0.2, 0.3, 0.3, 1},
		"\\bwould (?:tell|show|mean|suggest|indicate|imply|prove|let us)\\b"},
	/* denials and retractions */
	{{1, 0.2, 1, 1, 1},
		"\\b(?:isn't|is not|it's not|not|no|aren't|wasn't|never|nor|n't|no such) (?:\\w+ )?(?:a |an |any |some |the |really |actually |"
		"about )*(?:hard(?:ware)? |physical |real |fundamental |true |actual )*(?:limits?|ceiling|law|wall|floor|optimal|bottleneck|"
		"limitation|the limit)\\b"},
	{{1, 1, 0.1, 1, 1},
		"\\b(?:rather not|not|n't|never) (?:yet |want to |going to )?(?:stop|end|finish|close|pause|quit)\\b|"
		"\\b(?:not|n't|isn't|aren't|never|far from|nowhere near|hardly) (?:\\w+ ){0,3}?(?:complete|done|finished|over|ready|met|good enough|"
		"fast enough|enough)\\b|\\b(?:incomplete|unfinished)\\b|\\bmust not (?:claim|stop)\\b|\\bstill (?:to do|open|fails?|missing|need)"},
	{{1, 1, 1, 0.2, 1},
		"\\b(?:(?:is|are|it's|was) (?:not|n't) (?:just |only |mere )*(?:noise|rounding|flak\\w+|precision)|real (?:bug|defect|mismatch|race|slow\\w*)|"
		"(?:mismatch|failure|error|difference) is real|now fixed|i (?:broke|caused|introduced)|turned out (?:to be )?(?:a|an|my|the)|"
		"actual (?:bug|defect)|(?:is|are) mine|my (?:own )?(?:bug|mistake|fault|masking|reduction)|will (?:fix|repair)|i'll (?:fix|add|repair)|"
		"(?:must|has to) be broken|need to fix|so i(?:'ll| will) (?:add|fix|repair)|exposed|stays and i)\\b"},
	{{1, 0.3, 1, 1, 1},
		"\\b(?:i was (?:wrong|mistaken)|i (?:had )?thought|far (?:from|below)|nowhere near|untapped|still on the table|still has|not yet|"
		"(?:factor|times) (?:of )?\\d+ (?:below|from|under)|but i measured|we are at \\d)\\b"},
	{{1, 0.3, 0.4, 0.3, 0.4},
		"\\b(?:maybe(?! \\d)|not sure|unsure|unclear|perhaps(?! \\d)|may be|might be|can't tell|cannot tell|don't know|do not know|won't know|before (?:i|we) know|"
		"would be plausible|impossible to say|hard to say)\\b"},
	/* what others said */
	{{1, 0.3, 0.3, 0.4, 0.5},
		"\\b(?:(?:he|she|they|user|agent|paper|report|doc\\w*|comment|author|it) (?:said|says|claim\\w*|wrote|states|argued)|so[- ]called|"
		"the word|is called|must not claim|claims? (?:a|an|that))\\b"},
	/* facts about a machine, and its messages */
	{{1, 0.1, 0.3, 0.2, 0.3},
		"\\b(?:per (?:thread ?)?block|per (?:sm|thread|warp|cta|multiprocessor|wave)|threads (?:a|an|each|in a) \\w+|max(?:imum)? threads|each (?:sm|thread|block|warp|multiprocessor)|"
		"handles? at most|at most \\d+ (?:rows|columns|threads|elements|bytes)|limit:? ?\\d)"},
	{{1, 0.1, 0.1, 0.2, 0.1},
		"^(?:error\\b|warning:|ptxas|nvcc|gcc|clang|ld:|make:|traceback|grep:|usage:|test \\d|\\w+error:|info:|fatal)|"
		"\\b(?:usage limit|rate limit|quota|time limit|character limit|context limit|token limit|limit reached|weekly|retrying in)\\b"},
	/* sums */
	{{1, 0.4, 1, 1, 0.6},
		"(?:\\d[^a-z]{0,4}(?:[a-z/]+)? ?[*/+] ?\\d.*=|= ?~?\\d[\\d.]* ?(?:us|ms|gb|tb|mb|kb|bytes)?\\.?$)"},
	{{1, 0.5, 0.5, 0.7, 0.4},
		"^(?:any|every|no) (?:result|speedup|figure|number|candidate|so-called|kernel)\\b"},
	{{1, 1, 1, 1, 0.3},
		"\\b(?:evaluator|rejected|flags?|haunted|attempts?|beware|check the|cheating check|manual|to be checked)\\b"},
	/* a step is over, not the work */
	{{1, 1, 0.2, 1, 1},
		"^(?:the )?(?:build|download|first \\w+|second \\w+|benchmark|compile|compilation|install\\w*|profiling|warm-?up|run|sweep)\\b"
		".{0,20}\\b(?:is |are )?(?:complete[d]?|done|finished)\\b|; next\\b|\\bnext i\\b|\\bnow (?:running|the|to the|on to)\\b|^done with the|\\bthen (?:measure|run|check)\\b"},
};
const size_t claim_form_count = sizeof(claim_forms) / sizeof(claim_forms[0]);

/* The first that is in the sentence; what is named more closely comes first. */
const struct claim_resource claim_resources[] = {
	{"launch overhead", KS_LAYER_H, "\\b(?:launch(?:es|ing)?|dispatcher|call overhead|invocation|invok\\w+|per[- ]call)\\b"},
	{"host path", KS_LAYER_H, "\\b(?:host|python|wrapper|interpreter|system calls?|syscalls?|driver|pcie|page faults?)\\b"},
	{"registers", KS_LAYER_X, "\\b(?:register(?:s|-bound|-limited)?|register file|spills?|spilling)\\b"},
	{"occupancy", KS_LAYER_G, "\\b(?:occupancy|resident (?:blocks|warps)|blocks? per sm)\\b"},
	{"shared memory", KS_LAYER_S, "\\b(?:shared[- ]memory|smem|lds|tensor memory|tmem|on-chip|bank conflicts?|staging)\\b"},
	{"inner cache", KS_LAYER_S, "\\b(?:l1d?|l1 cache|load ports?|store ports?|tlb)\\b"},
	{"last-level cache", KS_LAYER_M, "\\b(?:l2|l3|llc|last[- ]level|cache (?:hierarchy|capacity)|cache)\\b"},
	{"memory bandwidth", KS_LAYER_M, "\\b(?:bandwidth|dram|hbm\\d?|gddr\\d?|memory|ddr\\d?|gb/s|tb/s|dimms?|streams? dram|bytes)\\b"},
	{"matrix unit", KS_LAYER_P, "\\b(?:tensor cores?|matrix (?:unit|pipe|core)s?|wgmma|hmma|mma|wmma|mfma|amx)\\b"},
	{"exponent unit", KS_LAYER_P, "\\b(?:exp|exp2|exponent\\w*|mufu|sfu|special function|transcendental)\\b"},
	{"vector width", KS_LAYER_P, "\\b(?:avx\\S*|sse|neon|sve|simd|vector (?:unit|width|lanes?))\\b"},
	{"instruction issue", KS_LAYER_P, "\\b(?:issue (?:slots?|rate)|instruction (?:rate|throughput|issue|count)|div(?:ision)? instruction|fetch|decode(?:r)? width)\\b"},
	{"synchronisation", KS_LAYER_O, "\\b(?:synchroni[sz]\\w*|barriers?|atomics?|locks?|fences?)\\b"},
	{"latency", KS_LAYER_O, "\\b(?:latency|latencies|latency-bound|dependency chains?|stalls?|pipeline|cycles per step)\\b"},
	{"grid", KS_LAYER_G, "\\b(?:waves?|tail|grid|sms?\\b|processors|threads?|cores|multiprocessors?|thread count|small batch\\w*|batch)\\b"},
	{"arithmetic", KS_LAYER_P, "\\b(?:compute(?:-bound)?|alu|fma|flops?|tflops|gflops|arithmetic|math|fp32|fp16|bf16|fp8)\\b"},
	{"compiler", KS_LAYER_X, "\\b(?:compiler|codegen|code generation|vectoriser|vectorizer|instruction set)\\b"},
	{"numerics", KS_LAYER_V, "\\b(?:error budget|accuracy|precision|tolerance|rounding)\\b"},
	{"clock", KS_LAYER_V, "\\b(?:clocks?|power (?:cap|limit)|thermal)\\b"},
	{"algorithm", KS_LAYER_C, "\\b(?:algorithm|formulation|reduction|passes|combine|layout|format)\\b"},
};
const size_t claim_resource_count = sizeof(claim_resources) / sizeof(claim_resources[0]);
