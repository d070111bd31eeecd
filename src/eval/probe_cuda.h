#ifndef KSEEK_EVAL_PROBE_CUDA_H
#define KSEEK_EVAL_PROBE_CUDA_H
/*
 * GPUs and their rates, as libkseek-cuda.so finds them (kernels/probes). Both
 * print one JSON object and return an exit status: 0, or 3 and {"error": "..."}
 * where there is no library, no driver or no GPU.
 */

/* {"driver":13000,"runtime":13000,"devices":[{"i":0,"uuid":"GPU-...","device":
 * NAME,"arch":"sm_90a","cc":"9.0","sms":N,"l2_bytes":N,"mem_mb":N}]} */
int ks_probe_cuda_devices(const char *library);
/* Rates of the device with this UUID, or of the first. */
int ks_probe_cuda_print(const char *library, const char *uuid);

#endif
