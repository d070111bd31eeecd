/* Blocks of fibers: see emu.h. */
#include "emu.h"

#include <vector>

#if !defined(__x86_64__)
#include <ucontext.h>
#endif

#define STACK (128 * 1024)
#define WARP 32

dim3 threadIdx, blockIdx, blockDim, gridDim;

/* ---- from one stack to another ---- */

#if defined(__x86_64__)

/* What a call has to keep goes onto the stack, and the stack is changed. */
struct place {
	void *stack;
};

extern "C" void emu_switch(void **from, void *to);

__asm__(
	".text\n"
	".globl emu_switch\n"
	".type emu_switch, @function\n"
	"emu_switch:\n"
	"	pushq %rbp\n"
	"	pushq %rbx\n"
	"	pushq %r12\n"
	"	pushq %r13\n"
	"	pushq %r14\n"
	"	pushq %r15\n"
	"	movq %rsp, (%rdi)\n"
	"	movq %rsi, %rsp\n"
	"	popq %r15\n"
	"	popq %r14\n"
	"	popq %r13\n"
	"	popq %r12\n"
	"	popq %rbx\n"
	"	popq %rbp\n"
	"	ret\n"
	".size emu_switch, . - emu_switch\n");

static void go(struct place *from, struct place *to)
{
	emu_switch(&from->stack, to->stack);
}

/* Six registers, the function to return to, and room for its own return. */
static void make(struct place *at, char *stack, size_t size, void (*start)(void))
{
	void **top = (void **)(void *)(stack + size / 16 * 16 - 16);

	memset(top - 8, 0, 10 * sizeof *top);
	top[-2] = (void *)start;
	at->stack = top - 8;
}

#else

struct place {
	ucontext_t context;
};

static void go(struct place *from, struct place *to)
{
	swapcontext(&from->context, &to->context);
}

static void make(struct place *at, char *stack, size_t size, void (*start)(void))
{
	getcontext(&at->context);
	at->context.uc_stack.ss_sp = stack;
	at->context.uc_stack.ss_size = size;
	at->context.uc_link = NULL;
	makecontext(&at->context, start, 0);
}

#endif

namespace {

struct barrier {
	unsigned arrived, round;
};

struct warp {
	struct barrier all;
	unsigned lanes;		/* that have not left */
	uint64_t word[2][WARP];
	unsigned asked;		/* mask of the exchange under way */
};

struct fiber {
	struct place at;
	dim3 index;
	unsigned number;
	bool done;
	const struct barrier *waits;
	unsigned round;
};

struct machine {
	struct place scheduler;
	std::vector<fiber> fibers;
	std::vector<warp> warps;
	std::vector<char> stacks;
	struct barrier block;
	unsigned live;
	fiber *now;
	char *shared;
	emu_body body;
	void *ctx;
	bool backwards;
};

machine m;

[[noreturn]] void fail(const char *what)
{
	fprintf(stderr, "emu: %s (block %u %u %u, thread %u)\n", what, blockIdx.x, blockIdx.y,
		blockIdx.z, m.now != NULL ? m.now->number : 0);
	abort();
}

void wait(struct barrier *b, unsigned need)
{
	if (++b->arrived >= need) {
		b->arrived = 0;
		b->round++;
		return;
	}
	m.now->waits = b;
	m.now->round = b->round;
	go(&m.now->at, &m.scheduler);
}

/* A thread that leaves lets those go who wait for everybody else. */
void leave(void)
{
	struct warp *w = &m.warps[m.now->number / WARP];

	m.now->done = true;
	m.live--;
	w->lanes &= ~(1u << m.now->number % WARP);
	if (w->all.arrived > 0 && (w->asked >> m.now->number % WARP & 1) != 0) {
		fail("a lane has left that a shuffle's mask names");
	}
	if (m.block.arrived > 0 && m.block.arrived >= m.live) {
		m.block.arrived = 0;
		m.block.round++;
	}
}

void start(void)
{
	m.body(m.ctx);
	leave();
	go(&m.now->at, &m.scheduler);
}

bool may_run(const fiber *f)
{
	return !f->done && (f->waits == NULL || f->waits->round != f->round);
}

void resume(fiber *f)
{
	m.now = f;
	f->waits = NULL;
	threadIdx = f->index;
	go(&m.scheduler, &f->at);
}

void prepare(unsigned threads)
{
	m.fibers.assign(threads, fiber());
	m.warps.assign((threads + WARP - 1) / WARP, warp());
	m.stacks.resize((size_t)threads * STACK);
	m.block = barrier();
	m.live = threads;
	for (unsigned t = 0; t < threads; t++) {
		fiber *f = &m.fibers[t];

		f->number = t;
		f->index = dim3(t % blockDim.x, t / blockDim.x % blockDim.y,
			t / (blockDim.x * blockDim.y));
		m.warps[t / WARP].lanes |= 1u << t % WARP;
		make(&f->at, &m.stacks[(size_t)t * STACK], STACK, start);
	}
}

void run_block(unsigned threads)
{
	prepare(threads);
	while (m.live > 0) {
		bool moved = false;

		for (unsigned t = 0; t < threads; t++) {
			fiber *f = &m.fibers[m.backwards ? threads - 1 - t : t];

			if (may_run(f)) {
				moved = true;
				resume(f);
			}
		}
		if (!moved) {
			fail("some threads wait at a barrier that others never reach");
		}
	}
}

} /* namespace */

int emu_lane(void)
{
	return (int)(m.now->number % WARP);
}

void *emu_shared(void)
{
	return m.shared;
}

void emu_block_barrier(void)
{
	wait(&m.block, m.live);
	threadIdx = m.now->index;
}

static struct warp *meet(unsigned mask, uint64_t word, unsigned *out_side)
{
	struct warp *w = &m.warps[m.now->number / WARP];
	unsigned lane = m.now->number % WARP;
	unsigned side = w->all.round % 2;

	if ((mask >> lane & 1) == 0 || (mask & ~w->lanes) != 0) {
		/* the last warp of a block may be short: its mask names nobody else */
		fail("a shuffle's mask leaves its own lane out or names one that has left");
	}
	if (w->all.arrived > 0 && w->asked != mask) {
		fail("two lanes of a warp are in shuffles of different masks");
	}
	w->asked = mask;
	w->word[side][lane] = word;
	wait(&w->all, (unsigned)__builtin_popcount(mask));
	threadIdx = m.now->index;
	*out_side = side;
	return w;
}

uint64_t emu_exchange(unsigned mask, uint64_t word, int from)
{
	unsigned side;
	struct warp *w = meet(mask, word, &side);

	if ((mask >> from & 1) == 0) {
		fail("a shuffle reads a lane that its mask leaves out");
	}
	return w->word[side][from];
}

unsigned emu_ballot(unsigned mask, bool vote)
{
	unsigned side;
	struct warp *w = meet(mask, vote, &side);
	unsigned votes = 0;

	for (unsigned i = 0; i < WARP; i++) {
		votes |= (mask >> i & 1) != 0 && w->word[side][i] != 0 ? 1u << i : 0;
	}
	return votes;
}

void emu_run(dim3 grid, dim3 block, size_t shared_bytes, emu_body body, void *ctx)
{
	const unsigned threads = block.x * block.y * block.z;
	uint64_t blocks = (uint64_t)grid.x * grid.y * grid.z;

	if (threads == 0 || threads > 1024 || blocks == 0 || grid.y > 65535 || grid.z > 65535) {
		fail("a launch with a grid or block that no device takes");
	}
	gridDim = grid;
	blockDim = block;
	m.body = body;
	m.ctx = ctx;
	m.backwards = !m.backwards;
	for (uint64_t b = 0; b < blocks; b++) {
		uint64_t at = m.backwards ? blocks - 1 - b : b;

		blockIdx = dim3((unsigned)(at % grid.x), (unsigned)(at / grid.x % grid.y),
			(unsigned)(at / grid.x / grid.y));
		/* new for every block and never zero: nothing is left from the last one */
		m.shared = (char *)malloc(shared_bytes + 1);
		memset(m.shared, 0xff, shared_bytes);
		run_block(threads);
		free(m.shared);
	}
}
