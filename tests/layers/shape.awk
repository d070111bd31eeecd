# Reads source files and checks their shape: the hard limits of the style, which
# docs/testing.md names. Sets the exit status; prints one line a fault.
# Run in a locale of bytes (LC_ALL=C).
BEGIN {
	COLUMNS = 100
	FUNCTION = 60  # lines, from its first brace to its last
	FILE = 800
	DEPTH = 3
	bad = 0
}

function fault(text)
{
	printf "%s:%d: %s\n", FILENAME, FNR, text
	bad = 1
}

# A TAB goes to the next multiple of 8; of a character outside ASCII the first byte counts.
function columns(text,    part, count, sum, i)
{
	gsub(/[\200-\277]/, "", text)
	count = split(text, part, "\t")
	for (i = 1; i < count; i++) {
		sum += length(part[i])
		sum += 8 - sum % 8
	}
	return sum + length(part[count])
}

# Whether a line is one string literal without a blank, which cannot be broken.
function is_one_word(text)
{
	gsub(/\\./, "", text)
	return text ~ /^[ \t]*"[^" ]*"[])},;]*( \\)?$/
}

FNR == 1 {
	inside = 0
	head = ""
	# Loops over the axes of an array are what these are made of.
	loops = FILENAME ~ /^(kernels|bank|transcripts)\// ||
		FILENAME ~ /^tests\/(eval|exploits|state)\//
}

length($0) > COLUMNS / 3 && columns($0) > COLUMNS && !is_one_word($0) {
	fault(columns($0) " columns")
}

/[ \t\r]$/ {
	fault("a blank at the end")
}

/^\t* +\t/ || (/^\t*        / && !/^\t* +(\*|\/\*)/) {
	fault("blanks where a TAB belongs")
}

FNR == FILE + 1 {
	fault("more than " FILE " lines")
}

# The head of a function stands at the line's begin, and so do its braces.
/^[A-Za-z_]/ {
	head = head $0
}

/^\{/ {
	inside = FNR
	# what splitting a kernel for a GPU costs has to be measured there
	kernel = head ~ /__global__/
}

inside && !loops && /^\t\t\t\t+(if|for|while|switch|do) / {
	fault("nested deeper than " DEPTH)
}

/^\}/ {
	if (inside && !kernel && FNR - inside + 1 > FUNCTION) {
		fault("a function of " FNR - inside + 1 " lines")
	}
	inside = 0
}

/^$|^[^\t ].*;$|^\}/ {
	head = ""
}

END { exit bad }
