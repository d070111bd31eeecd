#ifndef KSEEK_APP_PATHS_H
#define KSEEK_APP_PATHS_H
/*
 * Where the other programs and the data files are. Order: KSEEK_LIBEXEC and
 * KSEEK_DATA from the environment; the build and source tree when this program
 * runs from a build folder; else the installed place, found from this
 * program's own path, so that a moved installation still works.
 */
#include "base/err.h"

/* Path of a program of ours ("kseek-judge"); gives. */
int ks_paths_program(char **out, const char *name, struct ks_err *err);
/* Path of a data folder or file ("bank", "scenarios/x"); gives. */
int ks_paths_data(char **out, const char *name, struct ks_err *err);
/* The library of the cuda target, where it was built; gives; else NULL. */
char *ks_paths_cuda(void);
/* The library that traces programs, where CUPTI was at the build; gives; else NULL. */
char *ks_paths_timeline(void);
/* Folder for what is kept beside campaigns: $XDG_STATE_HOME/kseek or
 * ~/.local/state/kseek; made when missing; gives. */
int ks_paths_state(char **out, struct ks_err *err);
/* Path of a file or folder of the person's own configuration ("keys"):
 * $XDG_CONFIG_HOME/kseek/NAME or ~/.config/kseek/NAME, there or not; gives; NULL
 * without a home folder. */
char *ks_paths_config(const char *name);
/* Full path of a program in PATH; gives; NULL when it is not there. */
char *ks_paths_which(const char *program);

#endif
