# Device code for emu.h: launches and dynamic shared memory.
s/([A-Za-z_][A-Za-z_0-9]*(<[^<>;]*>)?)<<<([^;]*)>>>\(/EMU_LAUNCH((\1), \3)(/
s/extern __shared__ ([A-Za-z_0-9 ]+[A-Za-z_0-9]) ([a-z_0-9]+)\[\];/\1 *\2 = (\1 *)emu_shared();/
