/*
 * The ten layers by name, and the map of where an agent has looked: evidence
 * and attention, each halved every 36 calls. The map is decayed at each added
 * call, so that reading it is free; sums stay bounded by 1 / (1 - decay).
 */
#include "core/layer.h"

#include <string.h>

static const struct {
	char letter;
	const char *brief;
	const char *name;
} layers[KS_LAYERS] = {
	[KS_LAYER_V] = {'V', "validity", "measurement validity"},
	[KS_LAYER_H] = {'H', "host", "host launch path"},
	[KS_LAYER_C] = {'C', "call", "scheduling across kernels"},
	[KS_LAYER_R] = {'R', "routing", "routing and dispatch"},
	[KS_LAYER_G] = {'G', "grid", "grid, waves and tail"},
	[KS_LAYER_M] = {'M', "memory", "memory traffic"},
	[KS_LAYER_S] = {'S', "staging", "on-chip staging"},
	[KS_LAYER_P] = {'P', "compute", "compute pipes"},
	[KS_LAYER_O] = {'O', "overlap", "synchronisation and overlap"},
	[KS_LAYER_X] = {'X', "compiler", "registers and compiler output"},
};

static bool is_layer(int layer)
{
	return layer >= 0 && layer < KS_LAYERS;
}

char ks_layer_letter(int layer)
{
	return is_layer(layer) ? layers[layer].letter : '?';
}

int ks_layer_of_letter(char letter)
{
	for (int i = 0; i < KS_LAYERS; i++) {
		if (layers[i].letter == letter) {
			return i;
		}
	}
	return KS_LAYER_NONE;
}

const char *ks_layer_name(int layer)
{
	return is_layer(layer) ? layers[layer].name : "none";
}

int ks_layer_of_question(const char *id)
{
	const char *dash = strrchr(id, '-');

	return dash != NULL && dash > id ? ks_layer_of_letter(dash[-1]) : KS_LAYER_NONE;
}

const char *ks_layer_short(int layer)
{
	return is_layer(layer) ? layers[layer].brief : "none";
}

const char *ks_call_kind_name(enum ks_call_kind kind)
{
	static const char *const names[] = {
		[KS_CALL_OTHER] = "other", [KS_CALL_MEASURE] = "measure",
		[KS_CALL_READ] = "read", [KS_CALL_EDIT] = "edit",
		[KS_CALL_BUILD] = "build",
	};

	return (size_t)kind < sizeof(names) / sizeof(names[0]) ? names[kind] : "other";
}

void ks_layers_init(struct ks_layers *map)
{
	memset(map, 0, sizeof(*map));
}

void ks_layers_add(struct ks_layers *map, const struct ks_call_class *call)
{
	float *recent = map->recent[map->calls % KS_LAYERS_RECENT];

	map->calls++;
	for (int i = 0; i < KS_LAYERS; i++) {
		map->evidence[i] *= KS_LAYERS_DECAY;
		map->attention[i] *= KS_LAYERS_DECAY;
		recent[i] = 0;
	}
	ks_layers_amend(map, call);
}

void ks_layers_amend(struct ks_layers *map, const struct ks_call_class *call)
{
	float *recent;

	if (map->calls == 0) {
		map->calls = 1;
	}
	recent = map->recent[(map->calls - 1) % KS_LAYERS_RECENT];
	for (int i = 0; i < KS_LAYERS; i++) {
		map->evidence[i] += call->evidence[i];
		map->attention[i] += call->attention[i];
		recent[i] += (float)(call->evidence[i] + call->attention[i]);
		if (call->evidence[i] >= KS_LAYER_EVIDENCE_LEAST) {
			map->measured[i] = map->calls;
		}
		if (call->kind == KS_CALL_EDIT && call->attention[i] > 0) {
			map->edited[i] = map->calls;
		}
	}
}

double ks_layers_level(const double of[KS_LAYERS], int layer)
{
	double most = 0;

	for (int i = 0; i < KS_LAYERS; i++) {
		most = of[i] > most ? of[i] : most;
	}
	return is_layer(layer) && most > 0 ? of[layer] / most : 0;
}

double ks_layers_stale(const struct ks_layers *map, int layer)
{
	return is_layer(layer) && map->edited[layer] > map->measured[layer];
}

double ks_layers_novelty(const struct ks_layers *map, int layer)
{
	double e = is_layer(layer) ? map->evidence[layer] : 0;

	return 1 - e / (1 + e);
}

double ks_layers_tunnel(const struct ks_layers *map, int layer)
{
	double evidence = 0, attention = 0;

	if (!is_layer(layer)) {
		return 0;
	}
	for (int i = 0; i < KS_LAYERS; i++) {
		evidence += map->evidence[i];
		attention += map->attention[i];
	}
	return (attention > 0 ? map->attention[layer] / attention : 0) -
		(evidence > 0 ? map->evidence[layer] / evidence : 0);
}

uint64_t ks_layers_since(const struct ks_layers *map, int layer)
{
	if (!is_layer(layer) || map->measured[layer] == 0) {
		return KS_LAYERS_NEVER;
	}
	return map->calls - map->measured[layer];
}

int ks_layers_focus(const struct ks_layers *map)
{
	double sum[KS_LAYERS] = {0}, all = 0;
	int best = 0;

	for (size_t k = 0; k < KS_LAYERS_RECENT; k++) {
		for (int i = 0; i < KS_LAYERS; i++) {
			sum[i] += (double)map->recent[k][i];
			all += (double)map->recent[k][i];
		}
	}
	for (int i = 1; i < KS_LAYERS; i++) {
		best = sum[i] > sum[best] ? i : best;
	}
	return all > 0 && sum[best] >= all / 2 ? best : KS_LAYER_NONE;
}
