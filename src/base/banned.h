#ifndef KSEEK_BASE_BANNED_H
#define KSEEK_BASE_BANNED_H
/*
 * Calls that are easy to get wrong do not compile. Included from the command
 * line for every C file of ours (meson: -include base/banned.h).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#pragma GCC poison strcpy strcat strncpy strncat sprintf vsprintf gets strtok
#pragma GCC poison asctime gmtime localtime tmpnam mktemp system popen
#ifndef KSEEK_HEADERS_SAY_CTIME /* libgit2's have a field of that name */
#pragma GCC poison ctime
#endif
#pragma GCC poison atoi atol atof

#endif
