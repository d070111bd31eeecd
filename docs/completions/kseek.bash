# Completion for bash: subcommands from `kseek --commands`, options from --help.
_kseek() {
	local cur=${COMP_WORDS[COMP_CWORD]}
	if [ "$COMP_CWORD" -eq 1 ]; then
		COMPREPLY=($(compgen -W "$(kseek --commands 2>/dev/null)" -- "$cur"))
	elif [[ $cur == -* ]]; then
		COMPREPLY=($(compgen -W "$(kseek "${COMP_WORDS[1]}" --help 2>/dev/null |
			sed -n 's/^  \(--[a-z-]*\).*/\1/p')" -- "$cur"))
	else
		COMPREPLY=($(compgen -f -- "$cur"))
	fi
}
complete -F _kseek kseek
