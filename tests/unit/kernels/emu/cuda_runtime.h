/* See emu.h. */
#include "emu.h"
