# Puts time stamps into one kernel of a CUDA source: at its start, before and after
# its main loop, at its end. The result needs stamp.cuh.
#   awk -v fn=multiply -v loop='for (int64_t l0' -f stamp.awk kernel.cu > stamped.cu
{
	if ($0 ~ "__global__ .*[ *]" fn "\\(") {
		place = 1 # its head
	}
	if (place == 2 && index($0, loop)) {
		print "\tKS_LOOP"
		place = 3
	} else if (place && $0 == "}") {
		print "\tKS_END"
		stamped = place == 4
		place = 0
	}
	print
	if (place == 1 && $0 == "{") {
		print "\tKS_START"
		place = 2 # before the main loop
	} else if (place == 3 && $0 == "\t}") {
		print "\tKS_TAIL"
		place = 4 # behind it
	}
}
END {
	if (!stamped) {
		print "stamp.awk: no kernel " fn " with such a loop" > "/dev/stderr"
		exit 1
	}
}
