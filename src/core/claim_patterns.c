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
	"gain\\w*|lower|higher|further|exceed\\w*|below|above|under|past|beyond|more|" \
	"shr[iu]nk|reduc\\w*|optimi[sz]\\w*|tun\\w*|squeez\\w*|push\\w*|reach\\w*|" \
	"parity|closed?|closing|removed|avoided|hidden|raise[ds]?|scal\\w*|saturate|fill|" \
	"issue|deliver|hide|go up|go down|matched|match|won|win|pull|exploit\\w*|" \
	"amorti\\w+|overcome|overcame|escape\\w*|eliminat\\w+|compress\\w*|recover\\w*|" \
	"bridg\\w+|undercut|outrun|help\\w*|do much|change (?:it|that|this)|get around)"
#define CANNOT "(?:can ?not|can't|cannot|can never|could not|couldn't|won't|will not|" \
	"will never|never|unable to|no way to|not possible to|impossible to|hard to see|" \
	"not going to|don't see (?:a|any) way|do not see (?:a|any) way|unlikely (?:to|that)|" \
	"nowhere|nobody|no one|i doubt|doubtful)"

const struct claim_sign claim_signs[] = {
	/* ---- limit: a bound is reached ---- */
	{LIMIT, 1.0, "limit|ceil|wall|roof|plateau|max|bound|speed of|floor|barrier|optim|peak",
		"\\b(?:at|hit|hits|hitting|reach(?:ed|es|ing)?|against|up against|sits? on|sitting at|"
		"running into|runs? into|ran into|near(?:ing|ly at)?|on|meets?|touch(?:es|ing)?|"
		"exhausted|approach(?:es|ing|ed)?)"
		" (?:the |its |their |our |a |an |that |this |very )*(?:real |true |hw |"
		HARD " |performance |memory |bandwidth |compute |throughput |latency )*"
		BOUND "\\b"},
	{LIMIT, 0.8, "limit|ceil|wall|barrier|floor|bound",
		"\\b(?:is|are|was|'s|be|remains|means|of|from|by|so that's|thus|here) "
		"(?:also |clearly |simply |really |just |now |thus |basically )*(?:a |an |the |our |its )?"
		"(?:pure |real |true |very )*" HARD "[- ](?:\\w+ )?" BOUND "\\b"},
	{LIMIT, 0.8, "limit|ceil|wall|max|bound|floor|cap|barrier",
		"\\b(?:that|this|it|here|which|what|there it)(?:'s| is|,? is| remains|,? then, is) "
		"(?:already |simply |really |just |basically |clearly )*(?:the |a |an |our |my )"
		"(?:\\w+ ){0,2}" BOUND "\\b"},
	{LIMIT, 0.7, "limit|ceil|wall|floor|bound|maxim|cap",
		"\\b(?:the|its|our) (?:\\w+ ){0,3}(?:is|are|was|remains|becomes) (?:already |simply |"
		"really |now |thus |clearly )*(?:the|a|an|at its|at the) (?:\\w+ )?"
		"(?:limit|ceiling|wall|hard floor|floor|maximum|cap)\\b"},
	{LIMIT, 0.8, "fundament|inherent|intrinsic|unavoid|inescap|structur|by nature|irreduc",
		"\\b(?:fundamental(?:ly)?|inherent(?:ly)?|intrinsic(?:ally)?|unavoidable|inescapable|"
		"irreducible|structural(?:ly)?|by (?:its )?nature)\\b.{0,40}\\b(?:limit\\w*|bound|cost|"
		"overhead|price|latency|cap|gap|trade-?off|floor|bottleneck|rule|to (?:the|this))\\b"},
	{LIMIT, 0.8, "unavoid|inescap|inherent|irreduc|unreach|unattain|infeas|unachiev",
		"\\b(?:is|are|be|remains?|'s|seems?|anything \\w+ \\w+|which is) (?:simply |just |"
		"largely |mostly |therefore |thus )*(?:unavoidable|inescapable|inherent|irreducible|"
		"unreachable|unattainable|infeasible|unachievable)\\b"},
	{LIMIT, 1.0, "infeas|impossib|unachiev|unreach|out of reach|realistic|out of the q|"
		"no longer pos|not poss|hopeless",
		"\\b(?:makes?|anything|getting|going|reaching|closing|beating|gains?|more|further|"
		"faster|improvements?|speedups?|last|remaining|less|below|parity)\\b.{0,60}"
		"\\b(?:infeasible|impossible|unachievable|unreachable|out of reach|hopeless|"
		"out of the question|(?:isn't|not|is not|un) ?realistic|not possible|no longer possible)\\b"},
	/* ---- limit: it cannot be bettered ---- */
	{LIMIT, 1.0, "can|could|never|won't|will|unable|way|possible|hard to see|going to|unlikely|nowhere|nobody|doubt",
		"\\b" CANNOT "\\b(?: [\\w%.'-]+){0,7} " BETTER "\\b"},
	{LIMIT, 0.7, "can't be|cannot be|can not be|won't be|will not be|never be",
		"\\b(?:rate|peak|bandwidth|gap|time|limit|speed|throughput|roofline|target|figure|"
		"occupancy|latency|cost|overhead)\\b.{0,30}\\b(?:can't|cannot|can not|won't|will not|never) be\\b"},
	{LIMIT, 1.0, "nobody|no one|no rewrite|no variant|no trick|no code|no kernel|no alternative|"
		"no change|no amount|nothing",
		"\\b(?:nobody|no one|no (?:\\w+ )?(?:rewrite|variant|trick|code change|kernel|alternative|"
		"change|amount|implementation|schedule|tiling|compiler)|nothing (?:in|we|i|short|on|else))"
		"\\b.{0,50}\\b(?:quicker|faster|beat|beats|better|change|changes|help|helps|around|lower|"
		"improve|than|gets?|to it|for that|make|can do|will)\\b"},
	{LIMIT, 1.0, "never",
		"\\bnever (?:go |get |run |drop |fall |be )?(?:below|under|above|beyond|faster|beat|"
		"exceed|reach|better|higher|lower)\\b"},
	{LIMIT, 0.8, "no lower|no faster|no more than|no better|at best|no higher|not below|no less",
		"\\b(?:no (?:lower|faster|better|higher|less) than|can be no|no more than (?:~|about |"
		"roughly )?[\\d.]+ ?(?:x|%|tflops|gflops|gb/s|tb/s)|at best we|at best it)\\b"},
	{LIMIT, 0.8, "allow|permit|rule|forbid|prevent|preclud|dictat",
		"\\b(?:(?:doesn't|does not|won't|will not|don't|do not|cannot|can't) (?:simply )?(?:allow|"
		"permit) (?:\\w+ )?(?:more|any|further|better|faster|it|another)|rules? out|forbids?|"
		"precludes?|(?:makes?|made) .{0,30}(?:impossible|infeasible))\\b"},
	/* ---- limit: nothing is left ---- */
	{LIMIT, 1.0, "left|more|headroom|room|gain|remain|further|win|spare|had|squeez|improve",
		"\\b(?:nothing|no|little|hardly (?:any|anything)|hardly|barely (?:any|anything)|not much|"
		"scarcely|isn't much|almost nothing|few|very few|zero|there's no|there is no)\\b"
		"(?: [\\w'-]+){0,4} (?:left|headroom|(?:more|further|else) (?:to|can|from|speed|perf\\w*|gain\\w*|"
		"improvement\\w*|win\\w*|optimi\\w*)|to (?:gain|win|give|squeeze|spare|be (?:had|gained|won))|"
		"further (?:gains?|wins?|speed\\w*|improvements?)|options? (?:left|remain\\w*)|"
		"room (?:left|for|to)|cycles to spare|upside|slack)\\b"},
	{LIMIT, 0.9, "headroom|room|upside|slack",
		"\\b(?:headroom|room (?:for|to)|upside|slack)\\b.{0,40}\\b(?:is|are|has|have)\\b.{0,20}"
		"\\b(?:tiny|gone|exhausted|nil|none|minimal|negligible|used up|small|marginal|over)\\b"},
	{LIMIT, 0.8, "leaves|leaving|nothing",
		"\\b(?:leaves?|leaving) (?:us |me )?(?:nothing|no (?:room|headroom|slack)|little|almost nothing)\\b"},
	{LIMIT, 1.0, "exhaust|squeez|saturat|maxed|pegged|tapped|spent|used up|full",
		"\\b(?:(?:is|are|'s|we've|we have|i've|i have|has been|have been|already|now|completely|"
		"fully|all) (?:now |already |fully |both |completely |all |basically |pretty much )*"
		"(?:exhausted|squeezed|maxed out|pegged|tapped out|used up|wrung))\\b"},
	{LIMIT, 0.6, "saturat|full",
		"\\b(?:is|are|'s) (?:now |already |fully |both |completely )*(?:saturated|full)\\b"},
	{LIMIT, 1.0, "diminishing", "\\bdiminishing returns\\b"},
	{LIMIT, 0.8, "worth|buys|bring|cost|point|futile|waste",
		"\\b(?:not worth (?:it|the|pursuing|any|more|going)|no longer worth|buys? (?:us )?nothing|"
		"brings? (?:us )?nothing|costs? more than (?:it|they)|no (?:real )?point (?:in )?(?:\\w+ing|to)|"
		"pointless|futile|waste of (?:time|effort))\\b"},
	{LIMIT, 0.8, "plateau",
		"\\b(?:has |have |is |are )?plateaued\\b|\\bon a plateau\\b"},
	/* ---- limit: the best there is ---- */
	{LIMIT, 1.0, "as fast as|as good as|as quick as|as low as|as close as|as high as|about as|as far as",
		"\\bas (?:fast|good|quick|low|close|high|well|far|short|small) as (?:it|this|that|we|i|the|"
		"one|you|anything|physic\\w*|possible|is|can)\\b(?: [\\w'-]+){0,3}(?: (?:gets?|goes|can|"
		"could|will|allows?|permits?|possible|be|supports?|offers?|get))?"},
	{LIMIT, 0.9, "best|maximum|most",
		"\\b(?:the|its|our|my) (?:very |absolute )?(?:best|maximum|most) (?:\\w+ )?(?:i'll|i will|we'll|we will|"
		"we can|i can|one can|it can|you can|achievable|attainable|possible|reachable|available|"
		"this|any|anyone|there is|that can)\\b"},
	{LIMIT, 0.9, "optimal|optimum|optimized|optimised",
		"\\b(?:is|are|'s|was|already|essentially|basically|practically|nearly|near|close to|"
		"virtually|effectively|provably|pretty much|be|at)[ -](?:already |essentially |now |"
		"near[- ]|very near |close to )*(?:optimal|the optimum|optimum|fully optimi[sz]ed)\\b"},
	{LIMIT, 0.9, "%|percent|per cent",
		"\\b(?:8[5-9]|9\\d|100)(?:\\.\\d+)? ?(?:%|percent|per cent)(?: of)?(?: the| its| our| rated| measured|"
		" achievable| copy| peak| device| dram| card's)* (?:theoretical|peak|roofline|speed of light|"
		"best|maximum|max|limit|bandwidth|ideal|copy)\\b"},
	{LIMIT, 0.6, "% of",
		"\\b\\d+(?:\\.\\d+)? ?% of (?:the )?(?:peak|roofline|bandwidth|dram rate|theoretical)\\b.{0,60}"
		"\\b(?:is the best|can't|cannot|won't|never|no more|the most|at most)\\b"},
	{LIMIT, 1.0, "already|everything|all that|all the",
		"\\b(?:gets?|extracts?|uses?|takes?|has|have|squeezed?|took|got) (?:already |about |nearly )?"
		"(?:everything|all|all that|all of what)\\b.{0,20}\\b(?:silicon|hardware|machine|card|core|device|chip|"
		"this|out of|has|offers?|can)\\b"},
	{LIMIT, 0.8, "theoretical|realistic|practical",
		"\\b(?:theoretical|realistic|practical|achievable) (?:maximum|max|limit|best|ceiling|peak)\\b"
		".{0,50}\\b(?:and|so|which) (?:we|i|it|that)\\b"},
	{LIMIT, 0.8, "require|need|short of|take|break|cost|mean",
		"\\b(?:any (?:further|more|other|additional)|further|more|beyond (?:this|that)|the rest|"
		"going (?:any )?(?:further|beyond|faster)|every remaining|nothing short|getting more)\\b.{0,50}"
		"\\b(?:would (?:need|require|take|break|cost|mean)|needs?|requires?|short of|costs?)\\b"},
	{LIMIT, 0.8, "the rest|remain|what is left|gap",
		"\\b(?:the rest|what remains|what is left|the remainder|remaining \\w+|remaining|the gap)\\b.{0,25}"
		"\\b(?:is|are|comes from|stems from|belongs to|comes down to)\\b.{0,20}\\b(?:hardware|physics|silicon|set by|dictated by|"
		"the machine|latency|the price|the cost|the wall|memory wall|inherent|a cost|cost of)\\b"},
	{LIMIT, 0.6, "floor|physics",
		"\\b(?:hard floor|floor|from physics|is physics)\\b.{0,60}\\b(?:we(?:'re| are)|no more|nothing|"
		"can't|cannot|on it|puts?|under every|never|above it)\\b"},
	{LIMIT, 0.8, "floor", "\\b(?:hard|absolute|physical|irreducible) floor\\b"},
	{LIMIT, 0.6, "is the|are the|'s the",
		"\\b(?:is|are|'s) (?:simply |just |really |now )?the (?:floor|limit|ceiling|cap|maximum|wall|bound)\\b"},
	{LIMIT, 0.5, "we're|we are|now|stops|ends",
		"\\b(?:we(?:'re| are) (?:now |already |basically |right )?(?:on|at|there|\\d+ ?%? ?(?:us|ms)? (?:above|off|short of))\\b|"
		"so (?:\\w+ )?(?:scaling|progress|it|that) (?:stops|ends)|scaling (?:stops|ends))"},
	{LIMIT, 0.8, "physics|the math|maths|laws of|silicon",
		"\\b(?:(?:comes? from|is|are|by|beyond|past|the laws? of|pure|that's|just) physics|(?:physics|math|maths|silicon|hardware) "
		"(?:permits?|allows?|won't|says no|wins|sets|dictates|itself))\\b"},
	{LIMIT, 0.8, "run out|ran out|running out|only so much|needle|end of the|dead end|bone dry|last drop|brick wall|stuck|out of ideas",
		"\\b(?:(?:run|ran|running) out of (?:ideas|options|levers|knobs|road|steam|tricks|things)|only so much|"
		"(?:no|none|nothing|n't|not) .{0,40}mov\\w+ the needle|end of the (?:road|line)|dead end|bone dry|last drop|brick wall|"
		"out of (?:ideas|options|tricks)|we(?:'re| are) stuck)\\b"},
	{LIMIT, 0.8, "out at|maxes out|tops out|caps out|bottoms out|flatten|flat line|flatline|levels off|levelled",
		"\\b(?:(?:tops?|topped|maxes|maxed|caps?|capped|bottoms?|bottomed|flattens?|flattened) out|levels? off|levell?ed off|"
		"flat-?lines?d?)\\b"},
	{LIMIT, 0.8, "all it|all the|all that|everything the|everything it|everything this|all you|all we|all this",
		"\\b(?:all|everything|the most|the best) (?:that )?(?:it|this|the|you|we|one|i|a|any|these|those)(?: \\w+){0,3} "
		"(?:has|have|can|could|will ever|will|offers?|gives?|supports?|delivers?|gets?|allows?)\\b"},
	{LIMIT, 0.9, "within",
		"\\bwithin (?:about |roughly |~)?(?:\\d|[1-9]\\.\\d|1[0-2])(?:\\.\\d+)? ?(?:%|percent|per cent) of (?:the |its |our )?(?:\\w+ )?"
		"(?:peak|roofline|optimal|optimum|theoretical|ideal|maximum|limit|bound|speed of light|best)\\b"},
	{LIMIT, 0.7, "marginal|negligible|minimal|tiny|incremental",
		"\\b(?:marginal|negligible|minimal|tiny|incremental)(?: \\w+)? (?:gains?|returns?|improvements?|benefits?|wins?|at best)\\b"},
	{LIMIT, 0.7, "new|different|newer|bigger|another",
		"\\b(?:needs?|requires?|takes?|would (?:need|take|require)|without|short of) (?:an? )?(?:entirely |completely |totally |whole )*"
		"(?:new|different|newer|bigger|another|faster) (?:\\w+ )?(?:hardware|silicon|card|gpu|cpu|chip|machine|algorithm|formulation|"
		"approach|architecture|design|generation)\\b"},
	{LIMIT, 0.5, "bound|limit|cap",
		"\\b(?:bounds?|caps?|limits?) (?:us|the whole|everything|it|the kernel|this)\\b|"
		"\\b(?:is|are|'s) (?:now |fundamentally |purely |entirely )*(?:capped|limited|bounded) by\\b|"
		"\\b\\w+[- ](?:bound|limited) (?:at|by|on)\\b"},
	{LIMIT, 0.6, "few|only|hardly|just",
		"\\b(?:i|we) (?:only )?have (?:very )?(?:few|hardly any|no|not many) (?:\\w+ )?(?:options|"
		"ideas|levers|knobs|choices|ways)\\b"},

	/* ---- completion ---- */
	{DONE, 1.0, "complete|done|finished|over|through|met|ready|in place|handled|closed|implemented|"
		"concluded|achieved|satisfied|resolved|fulfilled|wrapped",
		"\\b(?:task|tasks|work|job|implementation|optimi[sz]ation|kernel|goals?|campaign|project|everything|"
		"all|steps?|items?|requirements?|objectives?|assignment|version|mission|search|points?|set|it's all|"
		"part|clauses?|targets?|criteria|port|migration)\\b(?:'s|(?: [\\w',/-]+){0,9}? (?:is|are|has been|have been|"
		"looks?|was|were|now))(?: [\\w-]+){0,2} (?:complete(?:d)?|done|finished|over|through|met|ready|in place|"
		"handled|closed|implemented|concluded|achieved|satisfied|resolved|fulfilled|wrapped up)\\b"},
	{DONE, 1.0, "done|finished|complete|accomplished|met|[done]|closed|achieved|passed|ready",
		"^(?:ok(?:ay)?[,.]? |and |great[,.!]* |status: |so[,.]? |with that[,.]? )*(?:\\[done\\] )*(?:all )?(?:done|finished|"
		"completed?|mission accomplished|(?:all )?(?:goals?|tasks?|tests?|clauses|requirements|criteria|"
		"checks|items|steps|work|targets|objectives|gates) (?:are |is |now |all |were )*(?:met|done|pass(?:ed|ing|es)?|green|"
		"complete[d]?|finished|satisfied|closed|through|achieved|successful))(?: and \\w+)?(?:\\b|$)(?!.{0,3}(?:in|after) \\d)"},
	{DONE, 0.6, "[done]", "\\[done\\]"},
	{DONE, 1.0, "stop|leave|call|wrap|end|finali|close|accept|ship|settle|hand|conclud|keep|move on|finish",
		"\\b(?:i'll|i will|i'd|i would|let's|let us|let me|i'm|i am|we can|we could|we should|we'll|i (?:propose|suggest|"
		"recommend)|recommend|propose to|propose|suggest|going to|happy to|prefer to|time to|place to|point to|want to)\\b"
		"(?: [\\w'-]+){0,4} (?:stop(?:ping)?|leave (?:it|this|that|the \\w+|things)|call (?:it|this)|calling it|"
		"wrap(?:ping)?|end here|finish here|finali[sz]e|close (?:it|this|that) out|closing|accept|ship|"
		"shipping|settle|hand (?:it|this) (?:over|back)|conclude|freeze|rest (?:here|my case)|move on)\\b"},
	{DONE, 1.0, "calling it|call it|wrapping up|wrap up|wraps up|that concludes|concludes|stopping here|"
		"leave it at|leaving|signing off|closing",
		"\\b(?:calling it (?:done|a day|complete|finished|good)|call (?:it|this) (?:a day|done|complete|finished|good)|"
		"wrapping up|wraps? (?:this |it )?up|that concludes|this concludes|stopping here|stop here|leave it at (?:that|this)|"
		"leaving (?:it|this|that|the [\\w ]+|[\\w ]+) (?:as is|as it is|as they are|at (?:that|this|\\d)|alone|there|for now)|"
		"closing (?:this|it|the \\w+) out)\\b"},
	{DONE, 0.8, "as is|as it is|as-is",
		"\\b(?:leav\\w+|keep\\w*|ship\\w*|accept\\w*)\\b.{0,50}\\bas(?:-| )(?:it )?is\\b"},
	{DONE, 1.0, "good enough|fast enough|close enough|satisf|happy|comfortable|will do|acceptable|good here",
		"\\b(?:(?:is|are|'s|it's|was|looks?|seems?) (?:now |already |more than |certainly |plenty |a )*(?:good|fast|close|quick) enough|"
		"(?:is|'s|are) (?:a )?(?:satisfactory|satisfying|acceptable (?:result|state|outcome|final))|(?:i'm|i am|i'd be|we're|we are) "
		"(?:quite |very )?(?:happy|satisfied|comfortable|content|good here|all set)|we're good)\\b|\\bwill do(?:$| ?[.!;,])"},
	{DONE, 0.7, "good enough|satisfactory",
		"\\b(?:good|fast|close) enough (?:to|for)\\b|\\ba satisfactory\\b"},
	{DONE, 1.0, "anything else|any other|something else|any further|further changes|else you|else i|need anything|"
		"like me to|want me to",
		"\\b(?:anything else|anything more|any (?:other|further|more)|something else|else (?:you|i|to)|need anything)\\b.{0,60}\\?"},
	{DONE, 1.0, "stop|wrap|leave it|call it|done|end",
		"\\b(?:shall|should|may|can|could) (?:i|we) (?:now |just |then )*(?:stop|wrap|leave it|call it|end (?:here|it)|"
		"close|consider (?:this|it) (?:done|closed)|finish)\\b.{0,60}\\?"},
	{DONE, 1.0, "otherwise i|unless you|let me know if",
		"\\b(?:let me know if you (?:want|need|would|have)|unless you (?:want|object|have)|otherwise i)\\b"},
	{DONE, 1.1, "no further|nothing more|nothing left|nothing else|won't make|no more|will not|needs no|no follow|not tune",
		"\\b(?:no (?:further|more|additional) (?:work|changes?|action|steps?|tuning|edits?|iterations?|effort)(?: \\w+){0,2} "
		"(?:is|are|needed|required|necessary|remain\\w*|planned)|nothing (?:more|left|else|further) (?:to do|for me|is needed|"
		"remains|open)|(?:won't|will not) (?:make|change|touch|tune|edit|continue|pursue|do) (?:any|it|this|anything|"
		"further|more)|needs? no (?:follow|further|more))"},
	{DONE, 1.0, "ready",
		"\\b(?:is |are |now |'s |it's )?ready (?:for (?:review|merge|merging|release|use|hand|production|submission|"
		"you)|to (?:merge|ship|hand|submit|release|be merged|go))\\b"},
	{DONE, 0.8, "into service|into production|deploy|review closed|top marks|case closed|final",
		"\\b(?:into (?:service|production)|(?:review|case|ticket|issue) closed|top marks|as (?:the |our |my |a )?final|"
		"accepted as|final (?:version|candidate|state|answer|result|summary|submission|kernel|report))\\b"},
	{DONE, 1.0, "i'm done|we're done|it's done|that's done|i am done|we are done|all set|good to go|job done|lgtm|over to you|back to you|"
		"locked in|ship it|merge it|signing off|stopping now|enough for|live with|fine as|good as is|should be it|should do it|successfully|fully",
		"\\b(?:(?:i'm|we're|it's|that's|i am|we are|it is|that is) (?:now |all |basically |pretty much )?(?:done|finished|complete)|all set|good to go|job done|"
		"lgtm|over to you|back to you|locked in|ship it|merge it|signing off|stopping now|enough for (?:today|now|this)|(?:we|i) can live with|"
		"(?:fine|good) as (?:it )?is|should (?:be it|do it)|(?:successfully|fully) (?:completed?|implemented|optimi[sz]ed|finished|done|met|addressed))\\b"},
	{DONE, 1.0, "achieved|met |reached|hit |accept",
		"\\b(?:(?:achieved|met|reached|hit|meets|satisfied|fulfilled) (?:the|our|all|every|each|your|all of the) (?:\\w+ )?(?:goals?|targets?|requirements?|"
		"objectives?|criteri\\w+|clauses?|bars?)|accept(?:ing|ed)? (?:this|the|it|that)(?: \\w+)? (?:result|state|trade-?off|gap|version|number|outcome|as))\\b"},
	{DONE, 0.8, "all ", "\\ball (?:the |of the |\\d+ )?(?:tasks?|steps|items|goals|points|work|phases|todos?|milestones|objectives)"
		"(?: \\w+){0,6} (?:complete[d]?|done|finished|met|closed)\\b"},
	{DONE, 0.6, "feel free|come back|another day|revisit|for later",
		"\\b(?:feel free to|come back to (?:it|this)|another day|revisit (?:it|this|later)|for later)\\b"},
	{DONE, 0.7, "final", "^final (?:result|version|state|summary|answer|numbers|status|report)\\b"},
	{DONE, 0.9, "i have|i've|we have|we've|is now|has now",
		"\\b(?:i have|i've|we have|we've|is now|are now|has now|have now|all)(?: \\w+){0,2} (?:finished|completed|"
		"delivered|implemented|done|wrapped up|addressed|met|achieved|finalised|finalized)\\b"},
	{DONE, 0.9, "passes|pass|meets|satisf|holds",
		"\\b(?:passes|meets|satisfies|clears|fulfils|fulfills) (?:every|all|each)(?: \\w+){0,5} (?:gates?|checks?|"
		"requirements?|criteri\\w+|goals?|clauses?|targets?|tests?|bars?|conditions?)\\b"},
	{DONE, 0.8, "holds|over|above one|the work you|what was asked|on the list|asked for|last of",
		"\\b(?:the goal (?:now )?holds|from my side|my part is|what (?:was|you) asked|you asked for|everything (?:on|in|that) "
		"\\w+|the last of the|every(?:thing)? (?:requested|asked)|on the list (?:is|are))\\b"},
	{DONE, 0.8, "consider", "\\bconsider (?:this|it|the)\\b.{0,40}\\b(?:done|finished|handled|closed|complete|settled|solved)\\b"},
	{DONE, 0.8, "that's it|that is it|that's all|that is all|over from",
		"\\b(?:that's (?:it|all)|that is (?:it|all)|that was (?:it|all))(?: for\\b|[.!]|$| from)"},
	{DONE, 0.6, "improvement|success|win",
		"\\bcall (?:\\S+ ){1,3}(?:an? )?(?:improvement|success|win|wash)\\b"},
	{DONE, 0.6, "move on|moving on", "\\b(?:and|then|so|time to) (?:\\w+ )?mov(?:e|ing) on\\b"},

	/* ---- explained away ---- */
	{EXPLAINED, 0.5, "mismatch|fail|error|differ|discrep|wrong|incorrect|nan|crash|segfault|broke|deviat|"
		"red |dies|falls over|assert|off|drift|skip|trips|leak|hang|time|alarm|bug|ulp|gap|hair|regress|match|equal|inexact|garbage|corrupt",
		"\\b(?:mismatch\\w*|fail\\w*|errors?|differ\\w*|discrepanc\\w*|wrong|incorrect|nans?|crash\\w*|segfaults?|"
		"segv|broken?|breaks?|deviat\\w*|red|dies|falls over|fell over|assert\\w*|off by|drift\\w*|skip\\w*|trips|"
		"leak\\w*|hangs?|time-?outs?|timed out|alarm|bugs?|ulps?|tiny gap|small gap|a hair|"
		"regress\\w*|does not match|doesn't match|don't match|not equal|inexact|garbage|corrupt\\w*)\\b"},
	{EXPLAINED, 0.6, "round|epsilon|jitter|associat|denormal|cancellation|determin|atomic|contraction|noise|noisy|precision|ulp|bits|mantissa|half|fp16|bf16|fp8|floating|accumul|order|numer|summ|fma|fused|float",
		"\\b(?:rounding|rounds|round-?off|epsilon|jitter|associativ\\w+|reassociation|denormals?|cancellation|noise|noisy|precision|imprecise|ulps?|(?:low|last|mantissa|trailing) bits|mantissa|half(?:[- ]"
		"(?:float\\w*|precision))?|fp16|bf16|fp8|floating[- ]point|accumulat\\w+|(?:order|ordering) of|summation|"
		"numeric\\w*|fused multiply\\w*|contraction|float math|nondetermin\\w*|non-determin\\w*|atomics)\\b"},
	{EXPLAINED, 0.7, "just|only|merely|simply|purely|nothing but|mere",
		"\\b(?:just|only|merely|simply|purely|nothing but|mere)(?: [\\w`.'-]+){0,4} (?:rounding|noise|precision|"
		"numeric\\w*|floating\\w*|accumul\\w*|bits|order|cosmetic|half\\w*|fp16|bf16|fp8|float\\w*|flak\\w*|artifact\\w*|"
		"artefact\\w*|known|additions|glitch\\w*)\\b"},
	{EXPLAINED, 1.0, "flak|intermittent|transient|sporadic|glitch",
		"\\b(?:is|are|was|were|'s|it's|known|the|a|an|likely|probably|just|looks like a|be|usual|of) (?:\\w+ |`[^`]*` )?"
		"(?:flak(?:y|e|es|iness)|intermittent|transient|sporadic|glitch\\w*)\\b"},
	{EXPLAINED, 0.8, "flaky", "\\(flak(?:y|e)\\b"},
	{EXPLAINED, 1.0, "pre-exist|preexist|already|before my|before our|before the|long before|old fail|too before|on main|as well|in the seed",
		"\\b(?:pre-?existing|(?:already|also|long|even|identical\\w*|same)\\b.{0,40}\\b(?:fail\\w*|broken?|skipp\\w+|red|differ\\w*|"
		"mismatch\\w*|in the seed|on main|before (?:my|our|the|this))|fail\\w*\\b.{0,30}\\b(?:before (?:my|our|the|this)|on main|"
		"(?:it )?as well|in the seed|too before)|before (?:my|our|this|the) (?:change|patch|edit|commit|work)|old failures?)\\b"},
	{EXPLAINED, 0.65, "unrelated|nothing to do|not caused|wasn't caused|isn't caused|not related|not due to|not our|"
		"not us|not by us|not mine|isn't our|not from|not a regression|not with|somebody|someone|not the candidate|rather than the",
		"\\b(?:unrelated|nothing to do with|(?:not|n't) (?:\\w+ )?(?:caused|related|due to|ours?|us|by us|mine|from (?:the|my|our) "
		"(?:patch|change|edit|kernel|work)|a regression|with (?:the|my|our) (?:kernel|change|edit|patch|code))|(?:somebody|someone)"
		"(?: else)?(?:'s)?|other users?'?|rather than the (?:candidate|kernel|change|patch))\\b"},
	{EXPLAINED, 0.7, "touch|scope|outside",
		"\\b(?:(?:code|files?|parts?|anything|something|nothing) (?:that )?(?:we|i|this|my|our)(?: \\w+)? (?:touch\\w*|chang\\w*|edit\\w*)|"
		"(?:did(?:n't| not)|do(?:n't| not)|never|not) (?:even )?touch\\w*|out of scope|outside (?:the |my |our )?(?:scope|change))\\b"},
	{EXPLAINED, 0.7, "passes|pass |green|locally|alone",
		"\\b(?:pass(?:es)?|green|fine|ok|works) (?:locally|alone|when run alone|on (?:retry|re-?run|its own|my machine)|in isolation|by itself|"
		"the second time)\\b"},
	{EXPLAINED, 0.9, "known|long-standing|longstanding", "\\b(?:known|long-?standing|existing|old) (?:\\S+ )?(?:issue|bug|flake|problem|limitation|failure|quirk|defect)\\b"},
	{EXPLAINED, 0.7, "expected|expect|to be expected|by design|normal",
		"\\b(?:(?:is|are|was|were|as|be|'s|entirely|totally|perfectly) (?:\\w+ )?(?:expected|normal|by design)|expected (?:behaviou?r|for|with|"
		"given|from|in|to fail)|one would expect|to be expected|would give anyway)\\b"},
	{EXPLAINED, 0.6, "expected behav", "\\bexpected behaviou?r\\b"},
	{EXPLAINED, 0.7, "harmless|benign|negligible|cosmetic|accept|false alarm|doesn't matter|not matter|worry|ignore|disregard|"
		"insignificant|safe|no bug|isn't a bug|not a bug|fine|no issue|no real|small enough|irrelevant|immaterial|the usual",
		"\\b(?:harmless|benign|negligible|cosmetic|acceptable|false alarms?|(?:doesn't|does not|don't|won't) matter|nothing to worry|"
		"(?:can|to|safely|i'll|we can) (?:be )?(?:safely )?(?:ignored?|disregard(?:ed)?)|ignore it|insignificant|(?:no|not a|isn't a|"
		"isn't our) (?:real )?(?:bug|issue|problem|defect)\\w*|irrelevant|immaterial|small enough|the usual|so (?:it|the \\w+) "
		"is (?:fine|right|correct)|is (?:fine|right|correct)|, fine\\b|fine on its own|false positive\\w*|can safely|safely)\\b"},
	{EXPLAINED, 1.0, "toleran|atol|rtol|threshold|strict|sensitive|widen|loosen|relax|rais",
		"\\b(?:(?:loosen|relax|widen|rais|increas|bump)(?:e|ed|es|ing|s)?\\b.{0,30}\\b(?:toleranc\\w*|atol|rtol|thresholds?|bounds?)|"
		"(?:toleranc\\w*|checks?|thresholds?|tests?|assert\\w*|comparison) (?:is|are|was|seems?|looks?|being) (?:\\w+ )?(?:too |overly |"
		"unreasonably )(?:strict|tight|sensitive|harsh|picky)|(?:too|overly) (?:strict|tight|sensitive|picky))\\b"},
	{EXPLAINED, 0.6, "due to|caused by|because|comes from|come from|stems from|from|artifact|artefact|quirk|put down|attribut|"
		"likely|probabl|environment|driver|inherent|must have",
		"\\b(?:(?:is|are|was|be|'s|likely|probably|could|must|just|and) (?:\\w+ )?(?:due to|caused by|because of|down to)|(?:comes?|stems?|"
		"came|originat\\w+|aris\\w+) from|an? (?:arti?e?fact|quirk|consequence|property|feature) of|put down to|attribut\\w+ to|driver bug|"
		"(?:an? )?(?:environment\\w*|machine|toolchain|compiler|harness|driver|setup|infrastructure|infra) (?:problem|issue|thing)|inherent to|"
		"problem of the|must have (?:picked|been)|probably (?:noise|rounding|\\w+))\\b"},
	{EXPLAINED, 0.8, "only fails|only under|only when|fails only|only in|under load|on its own|re-run|rerun|second run|"
		"contention|retry|re-running",
		"\\b(?:(?:only|just) (?:fail\\w*|happens?|trips?|falls over|under|in debug|on padding)|fail\\w* only|(?:falls over|trips|fires) only|"
		"under (?:\\S+ )?load|on its own|(?:re-?run\\w*|second run|retry\\w*|another run)\\b.{0,30}\\b(?:green|pass\\w*|fine|ok|gone)|"
		"contention)\\b"},
	{EXPLAINED, 0.7, "skip|not representative|nobody uses|edge case|expected to fail|xfail|marked",
		"\\b(?:skip(?:ping|ped)? (?:it|the|them|these|those|this)|not representative|nobody uses|(?:marked|mark) .{0,25}"
		"(?:expected|skip|xfail|known)|(?:can|we'll|i'll|let's) (?:just )?skip)\\b"},
	{EXPLAINED, 0.7, "reference",
		"\\breference\\b.{0,30}\\b(?:imprecise|wrong|inaccurate|rounds|handles|less accurate|is off|itself)\\b"},
	{EXPLAINED, 0.5, "stale|hiccup|seed|harness|runner|checker|test |tests|suite|drafts|generator|environment|toolchain|driver",
		"\\b(?:in the (?:test )?(?:harness|runner|checker|suite|generator)|with the (?:harness|runner|checker|suite)|old (?:drafts|tests|"
		"toolchain|scripts)|stale (?:binary|build|cache|file|artifacts?)|(?:bad|unlucky) seed|hiccup|the checker|test inputs|padding only|debug builds?)\\b"},
	{EXPLAINED, 0.5, "closing|moving on|moving along|ticket",
		"\\b(?:so i'm closing|moving on|closing (?:this|it)|file (?:another|a) ticket|another ticket|separate ticket)\\b"},

	/* ---- suspicious win ---- */
	{WIN, 1.0, "peak|theoretical|card|memory|device|hardware|machine|roofline|physic|speed of light|sheet|rated|empty|"
		"bound|dimms|chip|silicon|lower bound|floor",
		"\\b(?:exceed\\w*|above|beyond|over|more (?:\\w+ )*than|higher than|beats?|beating|faster than|surpass\\w*|outruns?|"
		"several times|half again|times|below|under|dropped below|in excess of|greater than|[2-9]\\d\\d% of|1[1-9]\\d% of|1\\.[1-9]x)"
		" (?:\\w+ ){0,3}?(?:the |its |their |a |an |my |our |what )*(?:card's |device's |machine's |theoretical |rated |hardware |physical |"
		"memory |datasheet |own |dram )*(?:peak|theoretical\\b|roofline|speed of light|data ?sheet|rated|empty launch|lower bound|"
		"(?:card|memory|device|hardware|machine|chip|silicon|gpu|dimms?|bus|its dimms|dram|sticks)(?: can| could| is able|'s| deliver| deliver| has|"
		" supplies| allows)|physical(?:ly)?|tflops on the|possible)\\b"},
	{WIN, 0.8, "can supply|can move|can deliver|can do|lists|deliver|is able|able to",
		"\\b(?:more|half again|several times|beyond|above|times) (?:[\\w ]+ )?(?:what|than) (?:the |its |this |any |a )?(?:\\w+ ){1,3}"
		"(?:can|could|lists?|delivers?|deliver|is able|supplies)\\b"},
	{WIN, 0.7, "impossib|implausib|unbeliev|incredib|makes no sense|too good|suspicious|bogus|wow|whoa|can't be|cannot be|"
		"something is off|absurd|strange|hold on|weird|insane|no card|no device|no machine|nonsense|doubt|suspect|inexplicab|odd|(!)|!?|?!|massive|off",
		"\\b(?:impossib\\w+|implausib\\w+|unbelievabl\\w+|incredibl\\w+|makes no sense|make no sense|too good to be true|suspicious\\w*|"
		"bogus|wow|whoa|(?:that|those|this|it|these|which) (?:can't|cannot|can not) be(?: right| real| true| correct)?|something(?:'s| is) off|"
		"absurd\\w*|strange\\w*|weird\\w*|insane\\w*|no (?:card|device|machine|gpu|cpu|core|chip) (?:does|can|could|has)|nonsens\\w+|"
		"would suspect|inexplicabl\\w+|no sensible|than the change can|massive win|physically)\\b|\\(!\\)|\\(\\?!\\)|!!|hold on,"},
	{WIN, 0.6, "fast|quick|short|speedup|faster|gain|figure|number|timing|result|time|throughput|latency|runs|reads",
		"\\b(?:fast|quick|short|speedups?|faster|quicker|gains?|figures?|numbers?|timings?|results?|runtimes?|throughput|latency|win|"
		"improvement|tflops|pflops?|gflops|gb/s|tb/s|pflop/s)\\b"},
	{WIN, 0.8, "0.0 us|0.00|0.0 ms|0 us|0.000|no measurable|negative|almost zero|zero time|0 ns|to zero|no time",
		"\\b0(?:\\.0+)? ?(?:us|ms|ns|s|microseconds)\\b|\\bno (?:measurable )?time(?: at all)?\\b|\\bnegative (?:duration|time|runtime)\\b|"
		"\\b(?:almost|practically|nearly|close to) zero\\b|\\bzero (?:time|microseconds|latency)\\b"},
	{WIN, 0.7, "us for|no longer depends|any size|independent of|flat|every size|same for|everything",
		"\\b(?:no longer depends|independent of|does not depend|doesn't depend|same (?:time )?for (?:every|all)|for (?:everything|every size))\\b"},
	{WIN, 0.8, "tb/s", "\\b(?:[1-9]\\d{1,4})(?:\\.\\d+)? ?tb/s\\b"},
	{WIN, 0.5, " ns|1ns|2ns|3ns", "\\b\\d(?:\\.\\d+)? ?ns\\b"},
	{WIN, 0.5, "thousandfold|hundredfold|orders of mag|hundred times",
		"\\b(?:thousand|hundred)(?:fold| times)|orders? of magnitude (?:faster|quicker)\\b"},
	{WIN, 0.8, "of what|fewer cycles|before the|optimi|dead code|any work|cheat|hack|violat|superlum|didn't run|not even run|skips|without a change|larger than the change|than reading|could even|alone takes",
		"\\b(?:fewer cycles than|before the (?:inputs?|data)|without (?:a|any) change|larger than the (?:change|edit)|"
		"(?:part|eighth|fraction|tenth|quarter|half) of what (?:reading|copying|loading)|(?:copy|read|launch) alone takes|(?:optimi[sz]ed|compiled) (?:away|out)|dead code|"
		"(?:not|n't) (?:even )?(?:do|doing|done) (?:any|the) work|skips? the work|violat\\w+|superluminal|reward hack\\w*|not even run\\w*)\\b"},
	{WIN, 0.7, "loophole|hole|first place|exploit|cheat",
		"\\b(?:worst hole|first place|rank(?:ed|s)? first|top of the (?:board|list)|leader ?board)\\b.{0,60}\\b0(?:\\.0+)? ?(?:us|ms)"},
	{WIN, 0.6, "% of peak|% of the peak|% of its peak|% peak",
		"\\b(?:1[1-9]\\d|[2-9]\\d\\d)(?:\\.\\d+)? ?%(?: of)?(?: the| its)? (?:peak|theoretical|roofline|bandwidth|speed of light|rated)"},
};
const size_t claim_sign_count = sizeof(claim_signs) / sizeof(claim_signs[0]);

/* factors: none, limit, completion, explained away, suspicious win */
const struct claim_form claim_forms[] = {
	/* the sentence is a condition, or hangs on one */
	{{1, 0.2, 0.2, 0.2, 0.3}, NULL,
		"^(?:if|unless|should the|should it|should this|were |had |suppose|supposing|assuming|imagine|provided|"
		"in case|what if|whether|as soon as|only if)\\b"},
	{{1, 0.3, 0.3, 0.4, 0.5}, "if |once |until|till |unless|provided|as long as|before i",
		"\\b(?:(?:,|and|but|then|it|we|we'll|i'll)? ?\\bonce (?:everything|all|that|this|it|the)|until (?:the|all|it|that|every|lint|i|"
		"we)|, if (?:it|the|that|we|this|i)|\\bif (?:it|that|this|the|we|i|all)\\b.{0,60}\\b(?:i'll|we can|we could|i can|then))\\b"},
	/* plans and orders */
	{{1, 0.3, 1, 0.8, 0.3}, NULL,
		"^(?:now |so |ok(?:ay)?,? |then |right,? |first,? |one moment,? |hm+,? |well,? |next,? )*(?:let me|let's|let us|i'll|i will|i'm going to|i am going to|"
		"i need to|we need to|i want to|i would like to|i'd like to|i'd better|i should|we should|we'll|next|i plan|i'm about|first i|going to|time to)\\b"},
	{{1, 0.2, 0.2, 0.2, 0.2}, NULL,
		"^(?:now |then |please |always |first,? |also |do the |before \\w+.{0,40}, (?:though, |however, )?)*(?:(?:compute|derive|measure|verify|make sure|"
		"do not|don't|never stop|beware|ensure|please|calculate|determine|estimate|prove|todo|remember|treat|assume|avoid)\\b|"
		"(?:check|find|add|mark|run|note|use|write|read|see|ask|report|flag|list|count|test|fix|give|put|look|keep in mind|show|explain) "
		"(?:the|a|an|all|this|that|these|those|for|if|how|what|which|whether|where|each|every|any|your|our|its|me|it|"
		"entries|cases|lines|up|at|out|\\w+ing)\\b)"},
	{{1, 0.2, 0.2, 0.2, 0.2}, "to rule out|to tell|to see|whether|to find|in order to|to know|to check|so i know|wonder",
		"\\b(?:to rule out|to tell|to see (?:if|whether|how)|find out|whether|in order to know|to know (?:if|which|whether)|to check|"
		"so i know|wonder(?:s|ing)? (?:if|whether)|tell .{0,30} (?:from|apart))\\b"},
	/* what a thing does not show */
	{{1, 0.2, 0.2, 0.3, 0.5}, "show|mean|prove|imply|say|suggest",
		"\\b(?:does not|doesn't|do not|don't|did not|didn't|doesn't necessarily|not|never) (?:show|mean|prove|imply|suggest|say|establish)\\b"},
	{{1, 0.3, 1, 1, 1}, "reaching|hitting|attaining|matching",
		"^(?:reaching|hitting|attaining|matching) (?:the|its|that)\\b.*\\bwould\\b"},
	{{1, 1, 1, 1, 0.2}, "impossible|infeasible", "\\b(?:makes?|made|making)\\b.{0,40}\\b(?:impossible|infeasible)\\b"},
	/* denials and retractions */
	{{1, 0.2, 1, 1, 1}, "limit|ceil|wall|law|floor|bound|optim|bottleneck",
		"\\b(?:isn't|is not|it's not|not|no|aren't|wasn't|never|nor|n't|no such) (?:\\w+ )?(?:a |an |any |some |the |really |actually |"
		"about )*(?:hard(?:ware)? |physical |real |fundamental |true |actual )*(?:limits?|ceiling|law|wall|floor|optimal|bottleneck|"
		"limitation|the limit)\\b"},
	{{1, 1, 0.1, 1, 1}, "not |n't|yet|incomplete|unfinished|must|still",
		"\\b(?:not|n't|isn't|aren't|never|far from|nowhere near|hardly) (?:\\w+ ){0,3}?(?:complete|done|finished|over|ready|met|good enough|"
		"fast enough|enough)\\b|\\b(?:incomplete|unfinished)\\b|\\bmust not (?:claim|stop)\\b|\\bstill (?:to do|open|fails?|missing|need)"},
	{{1, 1, 1, 0.2, 1}, "not |n't|real|fix|broke|turned out|actual|defect|mine|i'll|repair|i will|must be broken",
		"\\b(?:(?:is|are|it's|was) (?:not|n't) (?:just |only |mere )*(?:noise|rounding|flak\\w+|precision)|real (?:bug|defect|mismatch|race|slow\\w*)|"
		"(?:mismatch|failure|error|difference) is real|now fixed|i (?:broke|caused|introduced)|turned out (?:to be )?(?:a|an|my|the)|"
		"actual (?:bug|defect)|(?:is|are) mine|my (?:own )?(?:bug|mistake|fault|masking|reduction)|will (?:fix|repair)|i'll (?:fix|add|repair)|"
		"(?:must|has to) be broken|need to fix|so i(?:'ll| will) (?:add|fix|repair)|exposed|stays and i)\\b"},
	{{1, 0.3, 1, 1, 1}, "wrong|mistaken|thought|far from|untapped|still|not near|not yet",
		"\\b(?:i was (?:wrong|mistaken)|i (?:had )?thought|far (?:from|below)|nowhere near|untapped|still on the table|still has|not yet|"
		"(?:factor|times) (?:of )?\\d+ (?:below|from|under)|but i measured|we are at \\d)\\b"},
	{{1, 0.3, 0.4, 0.3, 0.4}, "may |might|maybe|perhaps|can't tell|cannot tell|don't know|not know|before i know|would be plausible",
		"\\b(?:maybe|perhaps|may be|might be|can't tell|cannot tell|don't know|do not know|won't know|before (?:i|we) know|"
		"would be plausible|impossible to say|hard to say)\\b"},
	/* what others said */
	{{1, 0.3, 0.3, 0.4, 0.5}, "said|claim|so-called|so called|called|the word|states|wrote|says|argu",
		"\\b(?:(?:he|she|they|user|agent|paper|report|doc\\w*|comment|author|it) (?:said|says|claim\\w*|wrote|states|argued)|so[- ]called|"
		"the word|is called|must not claim|claims? (?:a|an|that))\\b"},
	/* facts about a machine, and its messages */
	{{1, 0.1, 0.3, 0.2, 0.3}, NULL,
		"\\b(?:per (?:thread ?)?block|per (?:sm|thread|warp|cta|multiprocessor|wave)|threads (?:a|an|each|in a) \\w+|max(?:imum)? threads|each (?:sm|thread|block|warp|multiprocessor)|"
		"handles? at most|at most \\d+ (?:rows|columns|threads|elements|bytes)|limit:? ?\\d)"},
	{{1, 0.1, 0.1, 0.2, 0.1}, NULL,
		"^(?:error\\b|warning:|ptxas|nvcc|gcc|clang|ld:|make:|traceback|grep:|usage:|test \\d|\\w+error:|info:|fatal)|"
		"\\b(?:usage limit|rate limit|quota|time limit|character limit|context limit|token limit|limit reached|weekly|retrying in)\\b"},
	/* sums */
	{{1, 0.4, 1, 1, 0.6}, "=|->", "(?:\\d[^a-z]{0,4}(?:[a-z/]+)? ?[*/+] ?\\d.*=|= ?~?\\d[\\d.]* ?(?:us|ms|gb|tb|mb|kb|bytes)?\\.?$)"},
	{{1, 0.5, 0.5, 0.7, 0.4}, NULL, "^(?:any|every|no) (?:result|speedup|figure|number|candidate|so-called|kernel)\\b"},
	{{1, 1, 1, 1, 0.3}, "evaluator|flag|check|reject|attempt|beware|too large",
		"\\b(?:evaluator|rejected|flags?|haunted|attempts?|beware|check the|cheating check|manual|to be checked)\\b"},
	/* a step is over, not the work */
	{{1, 1, 0.2, 1, 1}, "build|download|first|benchmark|now |next|then|pass ",
		"^(?:the )?(?:build|download|first \\w+|second \\w+|benchmark|compile|compilation|install\\w*|profiling|warm-?up|run|sweep)\\b"
		".{0,20}\\b(?:is |are )?(?:complete[d]?|done|finished)\\b|; next\\b|\\bnext i\\b|\\bnow running\\b|\\bthen (?:measure|run|check)\\b"},
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
