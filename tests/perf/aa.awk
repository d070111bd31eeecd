# One line of what `kseek eval --json` printed of the seed against itself.
# -v date= -v machine= -v load= -v took=: milliseconds

function number(key,    v) {
	if (!match($0, "\"" key "\":[-0-9.e+]+")) {
		return 0
	}
	v = substr($0, RSTART, RLENGTH)
	sub(/^[^:]*:/, "", v)
	return v + 0
}

{
	geomean = number("geomean")
	lo = number("geo_lo")
	hi = number("geo_hi")
	rest = $0
	all = gsub(/"verdict":"/, "&", rest)
	other = gsub(/"verdict":"(faster|slower)"/, "&", rest)
	list = ""
	while (match(rest, /"speedup":[-0-9.e+]+/)) {
		list = list (list == "" ? "" : ",") sprintf("%.5f", substr(rest, RSTART + 10, RLENGTH - 10))
		rest = substr(rest, RSTART + RLENGTH)
	}
	printf "{\"date\":\"%s\",\"part\":\"aa\",\"machine\":\"%s\",\"load\":%s,\"took_ms\":%d," \
		"\"geomean\":%.6f,\"lo\":%.6f,\"hi\":%.6f,\"not_same\":%d,\"scenarios\":%d," \
		"\"speedups\":[%s]}\n", date, machine, load, took, geomean, lo, hi, other, all, list
}
