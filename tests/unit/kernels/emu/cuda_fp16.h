#ifndef EMU_FP16_H
#define EMU_FP16_H
/* A 16-bit float by the conversions of kseek_kernel.h; see emu.h. */
#include "emu.h"
#include "kseek_kernel.h"

struct __half {
	kseek_float16 bits;
	explicit __half(float v) : bits(kseek_f32_to_f16(v)) {}
	operator float() const { return kseek_f16_to_f32(bits); }
};

#endif
