#ifndef KSEEK_TERM_MODE_H
#define KSEEK_TERM_MODE_H
/*
 * Modes of the terminal and the way back from them, also from a crash. The
 * restore state is the program's one mutable global, because a signal handler
 * has no other way to reach it.
 */
#include <stdbool.h>
#include <stddef.h>
#include <termios.h>

/* Remembers how in_fd is now and what to write to out_fd to undo everything;
 * installs the handlers of fatal signals. */
bool ks_mode_save(int in_fd, int out_fd);
/* Adds bytes to what a crash writes, such as leaving the alternate screen;
 * NULL: none. */
void ks_mode_add_undo(const char *bytes);
/* Private modes off, by a plain write, for an orderly way out. */
void ks_mode_plain(int out_fd);
/* Fatal handlers off, state forgotten. */
void ks_mode_forget(void);
/* Whether the terminal is taken over: only then does a crash undo anything. */
void ks_mode_active(bool active);
/* The undo bytes and the line discipline; async-signal-safe. */
void ks_mode_restore(void);
/* Writes all bytes to a terminal; gives up on a dead one and after a second on
 * one that takes nothing. */
bool ks_mode_write(int fd, const char *bytes, size_t len);

#endif
