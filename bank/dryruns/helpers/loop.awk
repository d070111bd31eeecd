# The hottest innermost loop of a disassembly (objdump -d --no-show-raw-insn, or
# cuobjdump -sass): of the loops that hold no other loop, the one with the most
# instructions that match `want`. Prints its instructions, one a line.
#   awk -f loop.awk [-v want=REGEX] [-v from=FUNCTION] FILE
BEGIN {
	if (want == "") {
		want = "v(fn?m(add|sub)[0-9]*|mul|add|sub)[ps][sd]|FFMA|HFMA2|HMMA|HGMMA|IMMA|FMUL|FADD"
	}
}
function bare(hex) {
	sub(/^0x/, "", hex)
	sub(/^0+/, "", hex)
	return hex == "" ? "0" : hex
}
/^[0-9a-f]+ <.*>:$|^[ \t]*Function : / { split("", at); first = count; inside = from == "" || index($0, from) > 0; next }
!inside && from != "" { next }
{
	line = $0
	addr = ""
	if (match(line, /^ *[0-9a-f]+:[ \t]/)) {
		addr = line
		sub(/:.*/, "", addr)
		sub(/^ +/, "", addr)
		sub(/^ *[0-9a-f]+:[ \t]+/, "", line)
	} else if (match(line, /^[ \t]*\/\*[0-9a-f]+\*\//)) {
		addr = line
		sub(/^[ \t]*\/\*/, "", addr)
		sub(/\*\/.*/, "", addr)
		sub(/^[ \t]*\/\*[0-9a-f]+\*\/[ \t]*/, "", line)
		sub(/;.*/, "", line)
	}
	if (addr == "") {
		next
	}
	addr = bare(addr)
	text[++count] = line
	at[addr] = count
	to = ""
	if (line ~ /^j[a-z]+ /) {
		to = line
		sub(/^j[a-z]+ +/, "", to)
		sub(/ .*/, "", to)
	} else if (line ~ /BRA(\.[A-Z]+)* /) {
		to = line
		sub(/.*BRA(\.[A-Z]+)* +/, "", to)
		sub(/.*0x/, "", to)
		sub(/[^0-9a-f].*/, "", to)
	}
	to = to == "" ? "" : bare(to)
	if (to != "" && (to in at) && at[to] < count) {
		low[++loops] = at[to]
		high[loops] = count
	}
}
END {
	best = -1
	for (i = 1; i <= loops; i++) {
		holds = 0
		for (k = 1; k <= loops; k++) {
			if (k != i && low[k] >= low[i] && high[k] <= high[i] && high[k] - low[k] < high[i] - low[i]) {
				holds = 1
			}
		}
		hits = 0
		for (k = low[i]; k <= high[i] && !holds; k++) {
			hits += text[k] ~ want
		}
		if (!holds && hits > best) {
			best = hits
			pick = i
		}
	}
	for (k = low[pick]; best > 0 && k <= high[pick]; k++) {
		print text[k]
	}
}
