#ifndef KSEEK_CORE_LAYER_H
#define KSEEK_CORE_LAYER_H
/*
 * Where an agent looks: one tool call is classified by what it measures, reads
 * or edits, in ten layers; and the calls of a campaign add up to a decayed map
 * of evidence (measurements) and attention (reads and edits). Only evidence
 * counts as having looked at a layer.
 *
 * Pure: no clock, no I/O; the same calls always give the same map. All structs
 * are plain data without pointers of their own (a map may be copied by =).
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

enum ks_layer { /* also the order of the bank's groups: outside first */
	KS_LAYER_V, /* is the number real, and against what bound       */
	KS_LAYER_H, /* host launch path; cpu: the call outside the loops */
	KS_LAYER_C, /* across the kernels of a call; cpu: passes         */
	KS_LAYER_R, /* routing: which variant runs                       */
	KS_LAYER_G, /* grid, waves, tail; cpu: threads, blocks of rows   */
	KS_LAYER_M, /* device memory and L2; cpu: DRAM, last level cache */
	KS_LAYER_S, /* on-chip staging; cpu: blocking for L1 and L2      */
	KS_LAYER_P, /* compute pipes, instruction mix; cpu: vectors      */
	KS_LAYER_O, /* synchronisation and overlap; cpu: latency chains  */
	KS_LAYER_X, /* registers and compiler output                     */
	KS_LAYERS
};
#define KS_LAYER_NONE (-1)

char ks_layer_letter(int layer);       /* 'V'...; '?' for none          */
int ks_layer_of_letter(char letter);   /* KS_LAYER_NONE when there is none */
int ks_layer_of_question(const char *id); /* "U-H-01" gives H; none the same */
const char *ks_layer_name(int layer);  /* "host launch path"; static    */
const char *ks_layer_short(int layer); /* at most 10 columns: "host"    */

/* ---- one call ---- */
enum ks_call_kind { /* letters of the bank's table: X M R E B */
	KS_CALL_OTHER,
	KS_CALL_MEASURE,
	KS_CALL_READ,
	KS_CALL_EDIT,
	KS_CALL_BUILD
};
const char *ks_call_kind_name(enum ks_call_kind kind); /* "measure"; static */

enum ks_effort { /* rows of the effort table; a call may count for several */
	KS_EFFORT_TIMELINE = 1 << 0,  /* whole-call timelines                */
	KS_EFFORT_PROFILER = 1 << 1,  /* runs of a kernel or counter profiler */
	KS_EFFORT_DISASM = 1 << 2,    /* disassembly                          */
	KS_EFFORT_HOST = 1 << 3,      /* host tracers and profilers           */
	KS_EFFORT_DOCS = 1 << 4,      /* documents and reference code         */
	KS_EFFORT_BUILD = 1 << 5,
	KS_EFFORT_BENCH = 1 << 6,
	KS_EFFORT_CHECK = 1 << 7,     /* sanitisers, repeat loops             */
	KS_EFFORT_SUBAGENT = 1 << 8,
	KS_EFFORT_OWN_SOURCE = 1 << 9,/* prints or reads a candidate          */
	KS_EFFORT_REPORT = 1 << 10    /* compiler's own report read           */
};

/* What is known of a call; any slice may be empty. Borrowed for the call. */
struct ks_call {
	struct ks_str name;    /* the agent's tool: "Bash", "Read", "shell", …  */
	struct ks_str kind;    /* its kind where the protocol has one: "execute",
	                        * "read", "edit", "search", "fetch", "think"     */
	struct ks_str command; /* shell text or joined argv                     */
	struct ks_str path;    /* file read or edited                           */
	struct ks_str lines;   /* lines printed, or a unified diff, or new text */
	bool by_process;       /* command is one process the shim saw: the text
	                        * is not split into several commands            */
	bool cpu;              /* the campaign's target is cpu: a host profiler
	                        * then looks at the kernel itself               */
};

struct ks_call_class {
	enum ks_call_kind kind;
	double evidence[KS_LAYERS];  /* sums to at most 1: 1 for a measurement
	                              * of a layer, less for a mere timing    */
	double attention[KS_LAYERS]; /* sums to 0 or 1                        */
	unsigned effort;             /* enum ks_effort                      */
	char rule[40];               /* the row that matched, for a person  */
};

/* Whether it measures by the campaign's own evaluator and by nothing else: that
 * times the whole call and tells of no layer but the first. */
bool ks_call_evaluates(const struct ks_call_class *class);
/* Layers that it measures, 1 << enum ks_layer; those of an evaluation are none. */
unsigned ks_call_layers(const struct ks_call_class *class);

void ks_layer_classify(struct ks_call_class *out, const struct ks_call *call);

/* Shares of the ten layers in source lines (a diff's changed lines, else all):
 * sums to 1, or all 0 where no line says anything. */
void ks_layer_regions(double out[KS_LAYERS], struct ks_str lines);

/* ---- the map ---- */
#define KS_LAYERS_HALF_LIFE 36 /* calls */
#define KS_LAYERS_DECAY 0.980930087668915 /* 2^(-1/36): what a call leaves */
#define KS_LAYERS_RECENT 10    /* calls that make up "where it is now" */
#define KS_LAYERS_NEVER UINT64_MAX
#define KS_LAYER_EVIDENCE_LEAST 0.1 /* of a call; less tells nothing of a layer */

struct ks_layers {
	double evidence[KS_LAYERS];  /* decayed to the last call */
	double attention[KS_LAYERS];
	uint64_t calls;
	uint64_t measured[KS_LAYERS];/* number of the call, from 1; 0: never */
	uint64_t edited[KS_LAYERS];
	float recent[KS_LAYERS_RECENT][KS_LAYERS]; /* ring by call number */
};

void ks_layers_init(struct ks_layers *map);
void ks_layers_add(struct ks_layers *map, const struct ks_call_class *call);
/* More that became known of the last call: a process that it started, lines
 * that it printed. It is no call of its own. */
void ks_layers_amend(struct ks_layers *map, const struct ks_call_class *call);
/* Share of the largest layer's evidence or attention, 0..1; 0 while there is
 * none anywhere. */
double ks_layers_level(const double of[KS_LAYERS], int layer);
/* 1 where code of the layer changed since it was last measured, else 0. */
double ks_layers_stale(const struct ks_layers *map, int layer);
/* 1 - e/(1+e): 1 for never measured. */
double ks_layers_novelty(const struct ks_layers *map, int layer);
/* Share of attention minus share of evidence: much touched, little measured. */
double ks_layers_tunnel(const struct ks_layers *map, int layer);
/* Calls since the layer was measured, KS_LAYERS_NEVER without. */
uint64_t ks_layers_since(const struct ks_layers *map, int layer);
/* The layer that holds at least half of the last ten calls' weight, or
 * KS_LAYER_NONE. */
int ks_layers_focus(const struct ks_layers *map);

#endif
