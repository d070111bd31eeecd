# Reads one JSON value a line (RFC 8259) and ends with status 1 at the first
# line that is none. Small and slow; for the tests only.

function bad(why) {
	if (!failed) {
		printf "line %d, near \"%s\": %s\n", NR, substr(text, at, 20), why > "/dev/stderr"
	}
	failed = 1
	return 0
}

function blanks() {
	while (substr(text, at, 1) ~ /^[ \t\r]$/) {
		at++
	}
}

function word(expected) {
	if (substr(text, at, length(expected)) != expected) {
		return bad("no such word")
	}
	at += length(expected)
	return 1
}

function string(   c) {
	at++
	for (;;) {
		c = substr(text, at, 1)
		if (c == "") {
			return bad("a string without end")
		}
		if (c == "\"") {
			at++
			return 1
		}
		if (c < " ") {
			return bad("a control character in a string")
		}
		if (c == "\\") {
			at++
			c = substr(text, at, 1)
			if (c == "u") {
				if (substr(text, at + 1, 4) !~ /^[0-9a-fA-F][0-9a-fA-F][0-9a-fA-F][0-9a-fA-F]$/) {
					return bad("no four digits")
				}
				at += 4
			} else if (c == "" || index("\"\\/bfnrt", c) == 0) {
				return bad("unknown escape")
			}
		}
		at++
	}
}

function number() {
	if (!match(substr(text, at), /^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?/)) {
		return bad("no number")
	}
	at += RLENGTH
	return 1
}

# The members of an object or the items of an array.
function members(close_with,   first) {
	at++
	blanks()
	if (substr(text, at, 1) == close_with) {
		at++
		return 1
	}
	for (;;) {
		blanks()
		if (close_with == "}") {
			if (substr(text, at, 1) != "\"") {
				return bad("no name of a member")
			}
			if (!string()) {
				return 0
			}
			blanks()
			if (substr(text, at, 1) != ":") {
				return bad("no colon")
			}
			at++
		}
		if (!value()) {
			return 0
		}
		blanks()
		first = substr(text, at, 1)
		at++
		if (first == close_with) {
			return 1
		}
		if (first != ",") {
			return bad("neither comma nor end")
		}
	}
}

function value(   c) {
	blanks()
	c = substr(text, at, 1)
	if (c == "{") {
		return members("}")
	}
	if (c == "[") {
		return members("]")
	}
	if (c == "\"") {
		return string()
	}
	if (c == "t") {
		return word("true")
	}
	if (c == "f") {
		return word("false")
	}
	if (c == "n") {
		return word("null")
	}
	return number()
}

{
	text = $0
	at = 1
	if (!value()) {
		exit 1
	}
	blanks()
	if (at <= length(text)) {
		bad("something behind the value")
		exit 1
	}
}

END {
	if (NR == 0) {
		print "nothing there" > "/dev/stderr"
		exit 1
	}
	exit failed
}
