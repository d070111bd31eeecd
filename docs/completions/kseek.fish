# Completion for fish: subcommands from `kseek --commands`, options from --help.
complete -c kseek -f -n '__fish_is_first_token' -a '(kseek --commands 2>/dev/null)'
complete -c kseek -n 'not __fish_is_first_token' -a '(kseek (commandline -opc)[2] --help 2>/dev/null | string match -rg "^  (--[a-z-]+)")'
