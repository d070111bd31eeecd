# One figure of cachegrind's summaries: that of the second file less that of the
# first, so that what the program does beside its calls falls out.
#   awk -v want="D1 misses" -v what=rd -f cg.awk few.txt many.txt   (what: all, rd, wr)
{
	line = $0
	gsub(/==[0-9]+==|,|[()+]/, "", line)
	if (index(line, ":") == 0) {
		next
	}
	label = line
	sub(/:.*/, "", label)
	gsub(/ +/, " ", label)
	sub(/^ /, "", label)
	sub(/ $/, "", label)
	sub(/^[^:]*:/, "", line)
	split(line, n, " ")
	if (label == want) {
		value[FILENAME] = what == "rd" ? n[2] : what == "wr" ? n[4] : n[1]
		last = FILENAME
		if (first == "") {
			first = FILENAME
		}
	}
}
END {
	if (first == "" || first == last) {
		print "cg.awk: no \"" want "\" in both files" > "/dev/stderr"
		exit 1
	}
	print value[last] - value[first]
}
