/*
 * The signs of a suspicious win: a figure above what the device can do, disbelief, or
 * no time at all. Large factors are computed from the figures in claim_text.c.
 * Each pattern is written for a way of speaking, never for one sentence, and meets
 * plain text: see claim_impl.h.
 */
#include "core/claim_impl.h"

static const struct claim_sign signs[] = {
	{1.0,
		"\\b(?:exceed\\w*|above|beyond|over|more (?:\\w+ )*than|higher than|"
		"beats?|beating|faster than|surpass\\w*|outruns?|several times|half "
		"again|times|in excess of|greater than|[2-9]\\d\\d% of|1[1-9]\\d% of|"
		"1\\.[1-9]x) (?:\\w+ ){0,3}?(?:the |its |their |a |an |my |our |what "
		")*(?:[\\d.]+ ?[tgmk]?(?:b/s|flops?|flop/s) )?(?:card's |device's |"
		"machine's |theoretical |rated |hardware |physical |memory |datasheet |"
		"own |dram )*(?:peak|theoretical\\b|roofline|speed of light|data ?sheet|"
		"rated|empty launch|lower bound|(?:card|memory|device|hardware|machine|"
		"chip|silicon|gpu|dimms?|bus|its dimms|dram|sticks)(?: can| could| is "
		"able|'s| deliver| deliver| has| supplies| allows)|physical(?:ly)?|"
		"tflops on the|possible)\\b"},
	{0.8,
		"\\b(?:more|half again|several times|beyond|above|times) (?:[\\w ]+ "
		")?(?:what|than) (?:the |its |this |any |a )?(?:\\w+ ){1,3}(?:can|could|"
		"lists?|delivers?|deliver|is able|supplies)\\b"},
	{1.0,
		"\\b(?:below|under|beneath|beats?|less than|lower than|undercuts?) "
		"(?:the |its |their |my |our |any |this |that )*(?:\\w+ "
		"){0,2}?(?:roofline|floor|lower bound|empty launch|speed[- ]of[- ]light|"
		"physical minimum|theoretical minimum|minimum time|bare launch)\\b"},
	{0.7,
		"\\b(?:impossib\\w+|implausib\\w+|unbelievabl\\w+|incredibl\\w+|makes no "
		"sense|make no sense|not possible|isn't possible|not physical|not "
		"plausible|suspicious\\w*|bogus|wow|whoa|(?:that|those|this|it|these|"
		"which) (?:can't|cannot|can not) be(?: right| real| true| correct|"
		"(?=[.,;!)]|$| -))|something(?:'s| is) off|absurd\\w*|strange\\w*|"
		"weird\\w*|insane\\w*|no (?:card|device|machine|gpu|cpu|core|chip) "
		"(?:does|can|could|has)|nonsens\\w+|would suspect|inexplicabl\\w+|no "
		"sensible|than the change can|massive win|physically)\\b|\\(!\\)|"
		"\\(\\?!\\)|hold on,"},
	{1.0,
		"\\btoo good to be true\\b"},
	{0.6,
		"\\b(?:fast|quick|short|speedups?|faster|quicker|gains?|figures?|"
		"numbers?|timings?|results?|runtimes?|throughput|latency|win|"
		"improvement)\\b"},
	{0.8,
		"(?<![\\d.])0(?:\\.0+)? ?(?:us|ms|ns|s|microseconds)\\b|\\bno "
		"(?:measurable )?time(?: at all)?\\b|\\bnegative (?:duration|time|"
		"runtime)\\b|\\b(?:almost|practically|nearly|close to) zero\\b|\\bzero "
		"(?:time|microseconds|latency)\\b"},
	{0.7,
		"\\b(?:no longer depends|independent of|does not depend|doesn't depend|"
		"same (?:time )?for (?:every|all)|for (?:everything|every size))\\b"},
	{0.8,
		"(?<![\\d.])(?:[1-9]\\d{1,4})(?:\\.\\d+)? ?tb/s\\b"},
	{0.9,
		"\\b(?:less|quicker|faster|lower|shorter|smaller|below|cheaper|sooner) "
		"than (?:an? |the |any |even |it takes |what )*(?:\\w+ )?(?:function "
		"call|memset|memcpy|copy|copying|minimum|empty|bytes|floor|reading|"
		"launch\\w*|single load|bare|no-?op|possible|touching)\\b"},
	{0.9,
		"\\b(?:\\d+(?:\\.\\d+)? ?(?:x|times)|twice|thrice|double|triple|several "
		"times) (?:the |its |hbm |dram |ddr |memory |bus |rated |theoretical |"
		"hardware |device |card |datasheet )+(?:peak|speed|bandwidth|rate|limit|"
		"maximum|throughput)\\b"},
	{0.9,
		"\\b(?:went|dropped|fell|collapsed|gone|down|goes|drops) to (?:zero|"
		"nothing|almost zero|practically nothing)\\b|\\bthan the time (?:it "
		"takes )?to\\b|\\bbetter than the (?:theoretical|physical) (?:minimum|"
		"limit|maximum|peak)\\b"},
	{0.7,
		"\\b(?:no explanation|(?:can't|cannot|can not) explain|not credible|not "
		"believable|no idea why|must be wrong|(?:something|timer|timing|clock|"
		"measurement) (?:is|must be|seems) (?:wrong|broken|off)|whatever (?:i|"
		"we) set|regardless of (?:n|the size|size|length)|same time for|the same "
		"for|lol|from "
		"a (?:desktop|laptop|phone|single core))\\b"},
	{0.9,
		"\\b\\d+(?:\\.\\d+)? ?(?:x|times) (?:what|the (?:theoretical|peak|"
		"roofline|bus|dram|memory|rated|hardware|device))\\b"},
	{0.8,
		"(?<![\\d.])(?:[2-9]\\d\\d|1[2-9]\\d|\\d{4,})(?:\\.\\d+)? ?% of\\b"},
	{0.6,
		"\\brated (?:at|for)\\b|\\bon a (?:card|part|device|machine|laptop|chip|"
		"gpu|cpu) (?:with|that|rated|whose|of)\\b"},
	{0.5,
		"\\d ?(?:p|t|g)?(?:flops?|flop/s|b/s)\\b"},
	{0.7,
		"\\b(?:(?:can't|cannot|can not|couldn't) be real|would be a first|"
		"(?:clearly|surely|obviously|must be) an? arti?e?fact|although i (?:only|"
		"merely|just))\\b"},
	{0.4,
		"\\b\\d+(?:\\.\\d+)? ?(?:us|ns)\\b.{0,20}\\bfor \\d+(?:\\.\\d+)? ?(?:mb|"
		"gb|mib|gib)\\b"},
	{0.5,
		"\\b\\d(?:\\.\\d+)? ?ns\\b"},
	{0.6,
		"\\b(?:thousand|hundred)(?:fold| times)|orders? of magnitude\\b"},
	{0.8,
		"\\b(?:fewer cycles than|before the (?:inputs?|data)|without (?:a|any) "
		"change|larger than the (?:change|edit)|(?:part|eighth|fraction|tenth|"
		"quarter|half) of what (?:reading|copying|loading)|(?:copy|read|launch) "
		"alone (?:takes|needs|costs)|(?:optimi[sz]ed|compiled) (?:away|out)|(?:not|"
		"n't) (?:even "
		")?(?:do|doing|done) (?:any|the) work|skips? the work|violat\\w+|"
		"superluminal|reward hack\\w*|not even run\\w*)\\b"},
	{0.7,
		"\\b(?:worst hole|first place|rank(?:ed|s)? first|top of the (?:board|"
		"list)|leader ?board)\\b.{0,60}\\b0(?:\\.0+)? ?(?:us|ms)"},
	{0.6,
		"\\b(?:1[1-9]\\d|[2-9]\\d\\d)(?:\\.\\d+)? ?%(?: of)?(?: the| its)? "
		"(?:peak|theoretical|roofline|bandwidth|speed of light|rated)"},
	{0.5, "^(?:wait|hm+|huh|hang on|hold on|wow|whoa)[,.! ]"},
	{0.5, "\\bunrealistic\\w*\\b|\\bhard to believe\\b|\\bunlikely\\b"},
};

const struct claim_table claim_win_table = {
	signs, sizeof(signs) / sizeof(signs[0])
};
