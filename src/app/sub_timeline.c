/* kseek timeline: what a CUDA program does, and when it does nothing. */
#include <errno.h>
#include <stdint.h>
#include <unistd.h>

#include "app/common.h"
#include "app/subs.h"
#include "app/timeline_print.h"
#include "app/timeline_run.h"
#include "base/file.h"
#include "base/mem.h"

struct options {
	bool json;
	long top, skip_ms, last_ms, max;
	const char *raw, *read;
};

/* 100 where lines may have any length. */
static size_t columns(void)
{
	int cols = ks_columns(stdout);

	return cols == 0 ? 100 : cols < 72 ? 72 : cols > 160 ? 160 : (size_t)cols;
}

static int check(const struct options *o, int words, struct ks_err *err)
{
	if (o->top < 0 || o->skip_ms < 0 || o->last_ms < 0 || o->max < 1) {
		return ks_err_set(err, KS_EINVAL,
			"--top, --skip and --last take numbers from 0 on, "
			"--max from 1 on");
	}
	if (o->skip_ms > INT32_MAX || o->last_ms > INT32_MAX) {
		return ks_err_set(err, KS_EINVAL,
			"--skip and --last take milliseconds, below 2^31");
	}
	if ((o->read != NULL) == (words > 0)) {
		return ks_err_set(err, KS_EINVAL,
			"give the program behind '--', or --read FILE; "
			"see 'kseek timeline --help'");
	}
	return 0;
}

/* A process that could not be traced says why. */
static int look_for_items(const struct ks_trace *trace, struct ks_err *err)
{
	for (size_t i = 0; trace->n_items == 0 && i < trace->n_processes; i++) {
		if (trace->processes[i].note != NULL) {
			return ks_err_set(err, KS_EUNSUPPORTED, "nothing could be traced: %.300s",
				trace->processes[i].note);
		}
	}
	return trace->n_items > 0 ? 0 : ks_err_set(err, KS_ENOTFOUND, "nothing to show: %.40s "
		"started CUDA and did nothing with it", trace->processes[0].program);
}

static int show(const struct options *o, struct ks_str records, struct ks_err *err)
{
	const struct ks_timeline_options window = {.skip = (uint64_t)o->skip_ms * 1000000,
		.last = (uint64_t)o->last_ms * 1000000};
	size_t top = o->top > 0 ? (size_t)o->top : SIZE_MAX;
	struct ks_trace trace;
	struct ks_timeline timeline;
	int rc = ks_trace_read(&trace, records, err);

	if (rc < 0) {
		return rc;
	}
	rc = look_for_items(&trace, err);
	if (rc == 0) {
		ks_timeline_make(&timeline, &trace, &window);
		if (o->json) {
			struct ks_buf out = {0};
			ks_timeline_json(&out, &trace, &timeline, top);
			ks_put_json(&out);
		} else {
			ks_timeline_print(stdout, &trace, &timeline, top, columns());
		}
		ks_timeline_fini(&timeline);
	}
	ks_trace_fini(&trace);
	return rc;
}

static int trace_program(const struct options *o, char *const *command, int *out_status,
	struct ks_err *err)
{
	struct ks_traced traced = {0};
	int rc = ks_timeline_run(&traced, command, o->max, o->json, err);

	if (rc < 0) {
		return rc;
	}
	*out_status = traced.status;
	if (traced.records.len == 0) {
		rc = ks_err_set(err, KS_ENOTFOUND, "nothing to show: %.200s never started CUDA",
			command[0]);
	} else {
		struct ks_err keeping = KS_ERR_INIT;
		int kept = o->raw == NULL ? 0 :
			ks_file_write(o->raw, ks_buf_str(&traced.records), 0644, &keeping);
		rc = show(o, ks_buf_str(&traced.records), err);
		if (rc == 0 && kept < 0) {
			*err = keeping;
			rc = kept;
		}
	}
	ks_buf_fini(&traced.records);
	return rc;
}

static int read_back(const struct options *o, struct ks_err *err)
{
	struct ks_buf records = {0};
	int rc = ks_file_read(&records, o->read, KS_TRACE_BYTES_MAX, err);

	if (rc == 0) {
		rc = show(o, ks_buf_str(&records), err);
		ks_err_prefix(err, "%.200s", o->read);
	}
	ks_buf_fini(&records);
	return rc;
}

static int run(const struct ks_sub *sub, int argc, char **argv)
{
	struct options o = {.top = 10, .max = 1000000};
	const struct ks_opt opts[] = {
		{"top", KS_OPT_INT, &o.top, "N", "rows of each table (10; 0: all)"},
		{"skip", KS_OPT_INT, &o.skip_ms, "MS",
			"leave out what begins in the first MS milliseconds"},
		{"last", KS_OPT_INT, &o.last_ms, "MS",
			"only what begins in the last MS milliseconds"},
		{"json", KS_OPT_FLAG, &o.json, NULL,
			"one JSON object; the program prints to standard error"},
		{"raw", KS_OPT_TEXT, &o.raw, "FILE", "keep the records"},
		{"read", KS_OPT_TEXT, &o.read, "FILE", "show records that were kept"},
		{"max", KS_OPT_INT, &o.max, "N",
			"records of a process (1000000); more are counted"},
		{0}
	};
	struct ks_err err = KS_ERR_INIT;
	const char **command = ks_zalloc((size_t)argc + 1, sizeof(*command));
	int status = KS_EXIT_OK;
	int n = ks_args(sub, opts, argc, argv, command, 0, argc);

	if (n < 0) {
		free(command);
		return n == -1 ? KS_EXIT_OK : KS_EXIT_USAGE;
	}
	int rc = check(&o, n, &err);
	if (rc == 0 && o.read != NULL) {
		rc = read_back(&o, &err);
	} else if (rc == 0) {
		rc = trace_program(&o, (char *const *)command, &status, &err);
	}
	free(command);
	if (rc < 0) {
		int own = ks_fail(sub, &err);
		return status != KS_EXIT_OK ? status : own;
	}
	return status;
}

const struct ks_sub ks_sub_timeline = {
	"timeline",
	"[--top N] [--skip MS] [--last MS] [--json] [--raw FILE] -- PROGRAM [ARGUMENTS]",
	"show what a CUDA program does on the GPU, and its gaps",
	"Runs any program and shows kernels, copies, fills and CUDA calls as CUPTI\n"
	"records them: how long the GPU was busy, the longest gaps with what the host\n"
	"did in them, and totals by name.\n"
	"Milliseconds count from the first activity of the GPU. The exit status is the\n"
	"program's.\n"
	"Tracing slows launches down by some microseconds; compare shares, not wall\n"
	"clock times.", run
};
