# What the lines of gpu.jsonl say, part by part.

function text(key,    v) {
	if (!match($0, "\"" key "\":\"[^\"]*")) {
		return ""
	}
	v = substr($0, RSTART, RLENGTH)
	sub(/^[^:]*:"/, "", v)
	return v
}

function number(key,    v) {
	if (!match($0, "\"" key "\":[-0-9.e+]+")) {
		return 0
	}
	v = substr($0, RSTART, RLENGTH)
	sub(/^[^:]*:/, "", v)
	return v + 0
}

# A start of the machine; older lines do not name it, and lie an hour apart.
function from_start(    s) {
	s = number("start")
	return s > 0 ? s : substr(text("date"), 1, 13)
}

# Of one design: workers and milliseconds; older lines do not name them.
function design(    ms) {
	ms = number("budget_ms")
	return ms > 0 ? sprintf("%d workers, %.1f s", number("workers"), ms / 1000) : "4 workers, 3 s"
}

/"part":"aa"/ {
	d = design()
	g = number("geomean")
	off = g > 0 ? (g > 1 ? g - 1 : 1 / g - 1) : 1
	aa[d]++
	if (!((d, from_start()) in aa_start)) {
		aa_start[d, from_start()] = 1
		aa_starts[d]++
	}
	aa_sum[d] += log(g > 0 ? g : 1)
	aa_square[d] += log(g > 0 ? g : 1) ^ 2
	aa_worst[d] = off > aa_worst[d] ? off : aa_worst[d]
	aa_beyond[d] += off > 0.003
	aa_slowest[d] = number("took_ms") > aa_slowest[d] ? number("took_ms") : aa_slowest[d]
	parts = split(text("verdicts"), verdict, /, /)
	for (i = 1; i <= parts; i++) {
		split(verdict[i], w, " ")
		verdicts[w[2]] += w[1]
		all_verdicts += w[1]
	}
}

/"part":"power"/ {
	what = text("what")
	tries[what]++
	found[what] += text("verdict") == "faster"
	gain[what] += log(number("speedup"))
	length_us[what] += number("seed_us")
	slowest[what] = number("took_ms") > slowest[what] ? number("took_ms") : slowest[what]
	power_starts[what, from_start()] = 1
}

/"part":"agree"/ && /"beside"/ {
	match($0, /"beside":\[[^]]*/)
	n = split(substr($0, RSTART + 10, RLENGTH - 10), ratio, ",")
	sum = 0
	for (i = 1; i <= n; i++) {
		sum += log(ratio[i])
	}
	name = text("scenario")
	pairs[name] = (n > 0) ? log(number("judge")) - sum / n : 1
	split(text("alone"), lone, " ")
	line[name] = sprintf("judge %.4f (%s us), plain %.4f (%s us), alone %.4f (%s us)", number("judge"),
		number("judge_seed_us"), exp(sum / n), number("plain_seed_us"), lone[1], lone[2])
}

/"part":"gallery"/ {
	last_gallery = sprintf("gallery, %s: caught %d, missed %d; honest passed %d, flagged %d", text("date"),
		number("caught"), number("missed"), number("passed"), number("flagged"))
}

/"part":"selftest"/ {
	last_selftest = sprintf("selftest, %s: %d rows failed", text("date"), number("failed"))
}

function percent(a, b) {
	return b > 0 ? 100 * a / b : 0
}

END {
	if (last_selftest != "") {
		print last_selftest
	}
	if (last_gallery != "") {
		print last_gallery
	}
	for (d in aa) {
		mean = aa_sum[d] / aa[d]
		printf "A/A, %s: %d evaluations from %d starts; geomeans: mean %.5f, standard deviation %.3f %%, worst off by %.3f %%, %d beyond 0.3 %%; slowest %d ms\n",
			d, aa[d], aa_starts[d], exp(mean), 100 * sqrt(aa_square[d] / aa[d] - mean * mean + 1e-12),
			100 * aa_worst[d], aa_beyond[d], aa_slowest[d]
	}
	if (all_verdicts > 0) {
		printf "A/A: of %d verdicts %d same, %d faster, %d slower (%.2f %% not same)\n", all_verdicts,
			verdicts["same"], verdicts["faster"], verdicts["slower"],
			percent(all_verdicts - verdicts["same"], all_verdicts)
	}
	for (what in tries) {
		n = 0
		for (key in power_starts) {
			split(key, part, SUBSEP)
			n += part[1] == what
		}
		printf "power, %s (%.1f us): found in %d of %d (%.0f %%) from %d starts, mean speedup %.4f, slowest %d ms\n",
			what, length_us[what] / tries[what], found[what], tries[what],
			percent(found[what], tries[what]), n, exp(gain[what] / tries[what]), slowest[what]
	}
	for (name in pairs) {
		d = pairs[name] < 0 ? -pairs[name] : pairs[name]
		all_pairs++
		close_pairs += d <= 0.01
		printf "agree, %s: %s, apart by %.2f %%\n", name, line[name], 100 * d
	}
	if (all_pairs > 0) {
		printf "agree: %d of %d pairs within 1 %%\n", close_pairs, all_pairs
	}
}
