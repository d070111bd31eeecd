# Reads source files and checks each #include line against the may-include
# table of docs/architecture.md and the rule that a library's header is read in
# one place only. Sets the exit status; prints one line a fault.
BEGIN {
	may["base"] = "base"
	may["core"] = "base core"
	may["wire"] = "base wire"
	may["store"] = "base store core/event.h"
	may["loop"] = "base loop core/event.h"
	may["repo"] = "base repo core/event.h"
	may["http"] = "base http core/event.h"
	may["eval"] = "base eval loop"
	may["agent"] = "base agent core/event.h wire loop http"
	may["engine"] = "base core wire store loop http repo eval agent export import engine"
	may["export"] = "base core wire store canvas export"
	may["import"] = "base core wire store canvas import"
	may["canvas"] = "base canvas"
	may["view"] = "base core canvas view"
	may["term"] = "base canvas term"
	may["timeline"] = "base timeline"
	may["app"] = "base core wire store loop http repo timeline eval agent engine export import canvas view term app"

	# system header (a prefix) -> where it may be read (a pattern)
	lib["cjson/"] = "^src/base/json"
	lib["pcre2"] = "^src/base/regex"
	lib["utf8proc"] = "^src/base/utf8"
	lib["openssl/"] = "^src/base/hash"
	lib["uv.h"] = "^src/loop/"
	lib["git2"] = "^src/repo/"
	lib["curl/"] = "^src/http/"
	lib["ffi.h"] = "^src/eval/(worker|probe)"
	lib["libelf"] = "^src/eval/(symbols|fatbin)"
	lib["gelf"] = "^src/eval/(symbols|fatbin)"
	lib["curses"] = "^ui/term/"
	lib["ncurses"] = "^ui/term/"
	lib["term.h"] = "^ui/term/"
	lib["termios"] = "^(ui/term|src/app)/"
	lib["dlfcn"] = "^src/(eval/|timeline/cupti_find)"
	lib["cupti"] = "^src/timeline/inject"
	bad = 0
}

function fault(text)
{
	printf "%s:%d: %s\n", FILENAME, FNR, text
	bad = 1
}

function ours(room, path,    list, n, i, top)
{
	top = path
	sub(/\/.*/, "", top)
	if (path !~ /\//) {
		if (path != "kseek_kernel.h") {
			fault("\"" path "\" is not named from the root: write \"" room "/" path "\"")
		}
		return
	}
	if (!(room in may)) {
		fault("room " room " is not in the table of tests/layers/includes.awk")
		return
	}
	n = split(may[room], list, " ")
	for (i = 1; i <= n; i++) {
		if (list[i] == top || list[i] == path) {
			return
		}
	}
	fault(room " may not include \"" path "\"")
}

FNR == 1 {
	room = FILENAME
	sub(/^(src|ui)\//, "", room)
	sub(/\/.*/, "", room)
}

/^[ \t]*#[ \t]*include[ \t]*"/ {
	path = $0
	sub(/^[^"]*"/, "", path)
	sub(/".*/, "", path)
	ours(room, path)
}

/^[ \t]*#[ \t]*include[ \t]*</ {
	path = $0
	sub(/^[^<]*</, "", path)
	sub(/>.*/, "", path)
	for (name in lib) {
		if (index(path, name) == 1 && FILENAME !~ lib[name]) {
			fault("<" path "> is read elsewhere only: " lib[name])
		}
	}
}

END { exit bad }
