/*
 * A program that starts CUDA, as far as the traced library can tell: it loads what
 * CUDA_INJECTION64_PATH names, as the driver would, and has the false CUPTI work.
 *
 *   program HOW LAUNCHES     how it ends: exit, return, _exit, quick, abort, term,
 *                            kill, exec (itself once more), fork
 */
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "timeline/record.h"

static void start(void)
{
	const char *path = getenv("CUDA_INJECTION64_PATH");
	void *lib = path != NULL ? dlopen(path, RTLD_NOW) : NULL;
	void *found = lib != NULL ? dlsym(lib, "InitializeInjection") : NULL;
	int (*initialise)(void);

	memcpy(&initialise, &found, sizeof(found));
	if (found == NULL || initialise() != 1) {
		fprintf(stderr, "program: no injection\n");
		exit(99);
	}
}

static void work(unsigned long launches)
{
	void *lib = dlopen("libcupti.so.13", RTLD_NOW | RTLD_NOLOAD);
	void *found = lib != NULL ? dlsym(lib, "fake_work") : NULL;
	void (*launch)(unsigned long);

	memcpy(&launch, &found, sizeof(found));
	if (found != NULL) {
		launch(launches);
	}
}

/* Until the library has written so many launches, without being told to. */
static void wait_until_written(unsigned long launches)
{
	const char *folder = getenv("KSEEK_TIMELINE");
	char path[4096];
	struct stat st = {0};

	snprintf(path, sizeof(path), "%s/%ld", folder != NULL ? folder : "", (long)getpid());
	while (stat(path, &st) != 0 || st.st_size < (off_t)(2 * launches * sizeof(struct ks_rec))) {
		usleep(10000);
	}
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "exit";
	unsigned long launches = argc > 2 ? strtoul(argv[2], NULL, 10) : 1;

	start();
	printf("program prints\n");
	fflush(stdout);
	work(launches);
	if (strcmp(how, "kill") == 0 || strcmp(how, "exec") == 0) {
		wait_until_written(launches);
	}
	if (strcmp(how, "kill") == 0) {
		raise(SIGKILL);
	} else if (strcmp(how, "_exit") == 0) {
		_exit(7);
	} else if (strcmp(how, "quick") == 0) {
		quick_exit(8);
	} else if (strcmp(how, "abort") == 0) {
		abort();
	} else if (strcmp(how, "term") == 0) {
		raise(SIGTERM);
	} else if (strcmp(how, "exec") == 0) {
		execl(argv[0], argv[0], "exit", argv[2], (char *)NULL);
	} else if (strcmp(how, "fork") == 0) {
		pid_t pid = fork();
		if (pid == 0) {
			_exit(0);
		}
		waitpid(pid, NULL, 0);
	} else if (strcmp(how, "return") == 0) {
		return 5;
	}
	exit(0);
}
