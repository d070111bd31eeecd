#ifndef KSEEK_BASE_SHELL_H
#define KSEEK_BASE_SHELL_H
/*
 * Foreign text as one word of a shell's command line, whatever it holds.
 */
#include "base/buf.h"

/* 'text', byte for byte, for a script: every POSIX shell reads it back as it was. */
void ks_shell_quote(struct ks_buf *out, const char *text);
/* For a line that a person copies from the screen: as it stands where no quotes are
 * needed, 'text' where a terminal shows all of it, else $'text' with escapes (bash, zsh,
 * ksh, POSIX of 2024). What comes out is one line that the sanitiser leaves alone. */
void ks_shell_word(struct ks_buf *out, const char *text);
/* The same of a file's path, which no program takes for an option: "-x" is "./-x". */
void ks_shell_path(struct ks_buf *out, const char *path);

#endif
