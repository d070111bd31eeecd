#ifndef EMU_BF16_H
#define EMU_BF16_H
/* A bfloat16 by the conversions of kseek_kernel.h; see emu.h. */
#include "emu.h"
#include "kseek_kernel.h"

struct __nv_bfloat16 {
	kseek_bfloat16 bits;
	explicit __nv_bfloat16(float v) : bits(kseek_f32_to_bf16(v)) {}
	operator float() const { return kseek_bf16_to_f32(bits); }
};

#endif
