/*
 * The signs of claimed completion: the work is over, good enough to keep, or the
 * speaker proposes to stop.
 * Each pattern is written for a way of speaking, never for one sentence, and meets
 * plain text: see claim_impl.h.
 */
#include "core/claim_impl.h"

static const struct claim_sign signs[] = {
	{1.0,
		"\\b(?:task|tasks|work|job|implementation|optimi[sz]ation|kernel|goals?|"
		"campaign|project|everything|all|steps?|items?|requirements?|objectives?|"
		"assignment|version|mission|search|points?|set|it's all|part|clauses?|"
		"targets?|criteria|port|migration)\\b(?:'s|(?: [\\w',/-]+){0,9}? (?:is|"
		"are|has been|have been|looks?|was|were|now))(?: [\\w-]+){0,2} "
		"(?:complete(?:d)?|done|finished|over(?=[.,!)]|$| from| for)|through|met|"
		"ready|in place|wrapped|handled|closed|implemented|concluded|achieved|"
		"satisfied|resolved|fulfilled|wrapped up)\\b"},
	{1.0,
		"^(?:ok(?:ay)?[,.]? |and |great[,.!]* |status: |so[,.]? |with that[,.]? "
		")*(?:\\[done\\] )*(?:all )?(?:done|finished|completed?|mission "
		"accomplished|(?:all )?(?:goals?|tasks?|tests?|clauses|requirements|"
		"criteria|checks|items|steps|work|targets|objectives|gates) (?:are |is |"
		"now |all |were )*(?:met|done|pass(?:ed|ing|es)?|green|complete[d]?|"
		"finished|satisfied|closed|through|achieved|successful))(?: and "
		"\\w+)?(?:\\b|$)(?!.{0,3}(?:in|after) \\d)"},
	{0.6,
		"\\[done\\]"},
	{1.0,
		"\\b(?:i'll|i will|i'd|i would|let's|let us|let me|i'm|i am|we can|we "
		"could|we should|we'll|i (?:propose|suggest|recommend)|recommend|propose "
		"to|propose|suggest|going to|happy to|prefer to|time to|place to|point "
		"to|want to)\\b(?: [\\w'-]+){0,4} (?:stop(?:ping)?(?! (?:the (?:profiler|"
		"benchmark|server|process|timer|build|run|loop|sweep|clock|job)|after "
		"(?:the|\\d|every|each|first)|when|if|until|it and|helping))|leave (?:it|"
		"this|that|the \\w+|things)(?! (?:for (?:the end|later|last|after|another|"
		"the next)|until|to the end))|call (?:it|this)|calling it|wrap(?:ping)?|"
		"end here|finish here|finali[sz]e|close (?:it|this|that) out|closing|"
		"accept|ship|shipping|settle|hand (?:it|this) (?:over|back)|conclude|"
		"freeze|rest (?:here|my case)|move on)\\b"},
	{1.0,
		"\\b(?:calling it (?:done|a day|complete|finished|good)|call (?:it|this) "
		"(?:a day|done|complete|finished|good)|wrapping up|wraps? (?:this |it "
		")?up|that concludes|this concludes|stopping here|stop here|leave it at "
		"(?:that|this)|leaving (?:it|this|that|the [\\w ]+|[\\w ]+) (?:as is|as "
		"it is|as they are|at (?:that|this|\\d)|alone|there|for now)|closing "
		"(?:this|it|the \\w+) out)\\b"},
	{0.8,
		"\\b(?:leav\\w+|keep\\w*|ship\\w*|accept\\w*)\\b.{0,50}\\bas(?:-| )(?:it "
		")?is\\b"},
	{1.0,
		"\\b(?:(?:is|are|'s|it's|was|looks?|seems?) (?:now |already |more than |"
		"certainly |plenty |a )*(?:good|fast|close|quick) enough|(?:is|'s|are) "
		"(?:a )?(?:satisfactory|satisfying|acceptable (?:result|state|outcome|"
		"final))|(?:i'm|i am|i'd be|we're|we are) (?:quite |very )?(?:happy|"
		"satisfied|comfortable|content|good here|all set)|we're good)\\b|\\bwill "
		"do(?:$| ?[.!;,])"},
	{0.7,
		"\\b(?:good|fast|close) enough (?:to|for)\\b|\\ba satisfactory\\b"},
	{1.0,
		"\\b(?:anything else|anything more|any (?:other|further|more)|something "
		"else|else (?:you|i|to)|need anything)\\b.{0,60}\\?"},
	{1.0,
		"\\b(?:shall|should|may|can|could) (?:i|we) (?:now |just |then )*(?:stop|"
		"wrap|leave it|call it|end (?:here|it)|close|consider (?:this|it) "
		"(?:done|closed)|finish)\\b.{0,60}\\?"},
	{1.0,
		"\\b(?:let me know if you (?:want|need|would|have)|unless you (?:want|"
		"object|have)|otherwise i)\\b"},
	{1.1,
		"\\b(?:no (?:further|more|additional) (?:work|changes?|action|steps?|"
		"tuning|edits?|iterations?|effort)(?: \\w+){0,2} (?:is|are|needed|"
		"required|necessary|remain\\w*|planned)|nothing (?:more|left|else|"
		"further) (?:to do|for me|is needed|remains|open)|(?:won't|will not) "
		"(?:make|change|touch|tune|edit|continue|pursue|do) (?:any|it|this|"
		"anything|further|more)|needs? no (?:follow|further|more))"},
	{1.0,
		"\\b(?:is |are |now |'s |it's )?ready (?:for (?:review|merge|merging|"
		"release|use|hand|production|submission|you)|to (?:merge|ship|hand|"
		"submit|release|be merged|go))\\b"},
	{0.8,
		"\\b(?:into (?:service|production)|(?:review|case|ticket|issue) closed|"
		"top marks|as (?:the |our |my |a )?final|accepted as|final (?:version|"
		"candidate|state|answer|result|summary|submission|kernel|report))\\b"},
	{1.0,
		"\\b(?:(?:i'm|we're|it's|that's|i am|we are|it is|that is) (?:now |all |"
		"basically |pretty much )?(?:done|finished|complete)(?! \\w+ing\\b)|all "
		"set|good to go|job done|lgtm|over to you|back to you|locked in|ship it|"
		"merge it|signing off|stopping now|enough for (?:today|now|this)|(?:we|"
		"i) can live with|(?:fine|good) as (?:it )?is|should (?:be it|do it)|"
		"successfully (?:completed?|implemented|optimi[sz]ed|finished|done|met)|"
		"fully (?:completed?|implemented|finished|done|met|addressed))\\b"},
	{1.0,
		"\\b(?:(?:achieved|met|reached|hit|meets|satisfied|fulfilled) (?:the|our|"
		"all|every|each|your|all of the) (?:\\w+ )?(?:goals?|targets?|"
		"requirements?|objectives?|criteri\\w+|clauses?|bars?)|accept(?:ing|ed)? "
		"(?:this|the|it|that)(?: \\w+)? (?:result|state|trade-?off|gap|version|"
		"number|outcome|as))\\b"},
	{0.8,
		"\\ball (?:the |of the |\\d+ )?(?:tasks?|steps|items|goals|points|work|"
		"phases|todos?|milestones|objectives)(?: \\w+){0,6} (?:complete[d]?|done|"
		"finished|met|closed)\\b"},
	{0.6,
		"\\b(?:feel free to|come back to (?:it|this)|another day|revisit (?:it|"
		"this|later)|for later)\\b"},
	{0.7,
		"^final (?:result|version|state|summary|answer|numbers|status|report)\\b"},
	{0.9,
		"\\b(?:i have|i've|we have|we've|is now|are now|has now|have now|all)(?: "
		"\\w+){0,2} (?:finished|completed|delivered|implemented|done|wrapped up|"
		"addressed|met|achieved|finalised|finalized)\\b"},
	{0.9,
		"\\b(?:passes|meets|satisfies|clears|fulfils|fulfills) (?:every|all|"
		"each)(?: \\w+){0,5} (?:gates?|checks?|requirements?|criteri\\w+|goals?|"
		"clauses?|targets?|tests?|bars?|conditions?)\\b"},
	{0.8,
		"\\b(?:the goal (?:now )?holds|from my side|my part is|what (?:was|you) "
		"asked|you asked for|everything (?:on|in|that) \\w+|the last of the|"
		"every(?:thing)? (?:requested|asked)|on the list (?:is|are))\\b"},
	{0.8,
		"\\bconsider (?:this|it|the)\\b.{0,40}\\b(?:done|finished|handled|closed|"
		"complete|settled|solved)\\b"},
	{0.8,
		"\\b(?:that's (?:it|all)|that is (?:it|all)|that was (?:it|all))(?: "
		"for\\b|[.!]|$| from)"},
	{0.6,
		"\\bcall (?:\\S+ ){1,3}(?:an? )?(?:improvement|success|win|wash)\\b"},
	{0.6,
		"\\b(?:and|then|so|time to) (?:\\w+ )?mov(?:e|ing) on\\b"},
	{1.0,
		"\\b(?:i'm |i am |i'd |i'll |i |we |we'll |let's |can |now )(?:now |"
		"would |can |will |hereby |therefore )*(?:calling|call|consider|"
		"declar\\w+|deem|regard\\w*|mark\\w*)(?: \\S+){1,5} (?:as "
		")?(?:complete[d]?|done|finished|closed|good|solved|settled|resolved|"
		"final|over)\\b"},
	{1.0,
		"\\b(?:this|that|it)(?:'s| is| should be| looks) (?:now |all |basically |"
		"pretty much |officially |hereby )*(?:done|finished|complete|over|"
		"wrapped up|in the bag|settled)\\b"},
	{1.0,
		"\\b(?:goals?|targets?|objectives?|milestones?) (?:is |are |was |has "
		"been |have been |now |all )*(?:reached|met|achieved|hit|attained|"
		"fulfilled|satisfied)\\b"},
	{0.9,
		"\\b(?:i'll|i will|i'd|i|we|we'll|let's|let me|to) (?:\\w+ "
		"){0,4}(?:pause|quit|halt|end (?:the|this|it|my)|(?:and )?(?:end|stop|"
		"finish) (?:the|my|this|here|tuning)|rest here)\\b"},
	{0.8,
		"\\b(?:(?:rewrite|change|changes|patch|port|work|fix|fixes|feature|pr|"
		"optimi[sz]ations?|gains|kernel|it|everything|all) (?:has |have |is |are "
		"|was )*(?:\\w+ )?(?:landed|shipped|merged|delivered)|everything(?:'s| "
		"is) in)\\b|^(?:so[:,]? |and )?(?:shipped|merged|landed|delivered|"
		"closed)(?:[.!:;,]|$)"},
	{1.0,
		"^(?:\\w+ ){0,3}?no (?:more )?(?:outstanding|open|remaining|unresolved|"
		"further|blocking) (?:issues?|items?|points?|work|tasks?|todos?|"
		"problems?|questions?|clauses?)\\b"},
	{0.8,
		"(?:,|-| is| are) (?:now |the )?final(?:[.!,;)]|$| one\\b)"},
	{0.9,
		"\\bnot (?:spend|invest|put|waste)(?: \\w+){0,2} (?:more|further|any "
		"more|additional|extra) (?:time|effort|work|energy|calls)\\b"},
	{0.6,
		"\\b(?:i'd|i'll|i would|i will|i|we|we'll|let's|to) (?:just |rather |"
		"therefore |then )*(?:keep|take|stay with|stick with|stick to|settle "
		"(?:on|for)|go with|leave) (?:the|this|c\\d+|it|that|with)\\b"},
	{0.4,
		"\\b(?:current|present) (?:version|state|numbers?|candidate|result|form|"
		"design|kernel)\\b|\\bas (?:it|they|things) stands?\\b"},
	{0.9,
		"\\b(?:(?:fine|okay|good|acceptable|alright) (?:with|by|for|to) (?:me|"
		"us)|closing the (?:loop|book|chapter))\\b"},
	{0.8,
		"\\b(?:mov\\w+|turn\\w*|switch\\w*|go\\w*|get) (?:on )?(?:to|onto|back "
		"to) (?:something else|the next task|other (?:things|work|tasks)|another "
		"task)\\b"},
	{0.7,
		"\\b(?:leave|leaving)\\b.{0,40}\\b(?:in (?:its|their|the|this) "
		"(?:current|present)|untouched|for another|where it is|the way it is)\\b"},
	{0.6,
		"\\b(?:everything|all|what(?:ever)?|the things?) (?:that )?(?:was |is |"
		"were |you(?:'d| had)? )?(?:asked|requested|wanted|required|specified)\\b"},
	{0.9,
		"\\b(?:looks? (?:complete|done|finished|good) to me|no more (?:changes|"
		"edits|tuning|experiments|work)|pushed (?:the|my) (?:final|last)|"
		"committed (?:the|my) (?:final|last)|i (?:now )?stop (?:here|at|now)|"
		"ending (?:the|this|my) (?:run|session|work|campaign|search|turn)|are we "
		"(?:done|finished|good)|(?:nothing|no(?:thing)? more|nothing else) (?:on|"
		"in) (?:my|the) (?:list|queue|plan)|we have a winner|freeze (?:it|this|"
		"c\\d+|the)|done what can be done|my work here)\\b"},
	{0.9,
		"^(?:all |now |and )*(?:solved|resolved|completed|wrapped|"
		"concluded)\\b(?! by| with| in)"},
	{0.8,
		"\\b(?:tuned|tested|measured|verified|reviewed|built|checked|cleaned),? "
		"(?:and )?(?:committed|merged|pushed|shipped|documented)\\b"},
	{0.9,
		"\\b(?:ok|okay|fine|alright|safe|good|time) to (?:close|merge|ship|stop|"
		"submit|land|release|wrap)\\b"},
	{0.8,
		"\\b(?:can|could|should) (?:now )?(?:go in|be merged|be shipped|be "
		"closed|land)\\b"},
	{0.5,
		"\\bfinished (?:work|task|job|kernel|version)\\b"},
	{0.5,
		"^(?:final |short "
		")?(?:summary|recap|wrap-up|conclusion)\\b"},
	{1.1,
		"\\bas far as (?:i'll|i will|i|we'll|we) (?:take|go|push|get)\\b"},
	{0.9,
		"\\b(?:production|ship|merge|release|review|delivery)[- ]ready\\b"},
	{0.9,
		"^(?!the (?:first|build)|compil|download|install|warm|build|benchmark|"
		"profil)(?:\\w+ ){1,3}(?:complete[d]?|finished|done|accomplished)[.!]*$"},
	{0.5,
		"\\b(?:confident (?:in|with)|pleased with|satisfied with) (?:this|the|it|"
		"that)\\b|^(?:in summary|to summari[sz]e|here(?:'s| is) (?:a|the) "
		"summary|summing up)\\b"},
	{0.8,
		"\\b(?:i'll|i will|i'd|i|and|will|to|we'll) (?:now |then )?(?:submit|"
		"hand in|turn in|deliver|sign off)\\b"},
	{0.8,
		"\\b(?:that|this) completes\\b|\\bi've successfully\\b|\\bi have "
		"successfully\\b"},
	{0.8,
		"\\b(?:green|passing|clean|tested|verified|working) (?:and|,) (?:committed|"
		"merged|"
		"pushed|shipped)\\b"},
	{0.9,
		"\\bnothing (?:further|else|more|left) (?:is |was )?(?:planned|open|pending|"
		"outstanding|missing|remains|needed|required)\\b"},
	{0.8, "^(?:good|fast|close) enough (?:for|to)\\b"},
};

const struct claim_table claim_done_table = {
	signs, sizeof(signs) / sizeof(signs[0])
};
