/* Device code: a container made by hand, and objects of nvcc where there is one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/mem.h"
#include "eval/build.h"
#include "eval/fatbin.h"
#include "eval/symbols.h"
#include "fatbin_sample.h"

static char folder[] = "/tmp/kseek-fatbin-XXXXXX";

static int make_folder(void **state)
{
	(void)state;
	return mkdtemp(folder) == NULL;
}

static int drop_folder(void **state)
{
	(void)state;
	return ks_file_remove_tree(folder, NULL);
}

static bool has(char *const *names, size_t count, const char *part)
{
	for (size_t i = 0; i < count; i++) {
		if (strstr(names[i], part) != NULL) {
			return true;
		}
	}
	return false;
}

static void read_sample(struct ks_fatbin *f, char hex[KS_HASH_HEX], const struct ks_buf *bytes)
{
	struct ks_hash *code = ks_hash_new();
	ks_fatbin_read(f, (const unsigned char *)bytes->ptr, bytes->len, code);
	ks_hash_peek(code, hex);
	ks_hash_free(code);
}

static void test_sample(void **state)
{
	struct ks_buf bytes = {0};
	struct ks_fatbin f;
	char first[KS_HASH_HEX], second[KS_HASH_HEX];
	(void)state;
	sample_container(&bytes, 0);
	sample_number(&bytes, 0, 8);
	sample_container(&bytes, 0);
	read_sample(&f, first, &bytes);
	assert_false(f.broken || f.compressed);
	assert_int_equal(f.containers, 2);
	assert_int_equal(f.cubins, 2);
	assert_int_equal(f.ptx, 2);
	assert_true(has(f.names, f.nnames, "sample_kernel"));
	assert_true(has(f.names, f.nnames, "sample_helper"));
	assert_true(has(f.names, f.nnames, "ptx_kernel"));
	assert_true(has(f.names, f.nnames, "ptx_helper"));
	ks_fatbin_fini(&f);
	char *text = memmem(bytes.ptr, bytes.len, "\x01\x08\x0f\x16", 4);
	assert_non_null(text);
	text[3]++;
	read_sample(&f, second, &bytes);
	assert_string_not_equal(first, second);
	ks_fatbin_fini(&f);
	ks_buf_fini(&bytes);
}

static void test_what_cannot_be_read(void **state)
{
	struct ks_buf bytes = {0};
	struct ks_fatbin f;
	char hex[KS_HASH_HEX];
	(void)state;
	sample_container(&bytes, 0x2000);
	read_sample(&f, hex, &bytes);
	assert_true(f.compressed);
	assert_int_equal(f.cubins, 0);
	ks_fatbin_fini(&f);
	ks_buf_clear(&bytes);
	sample_container(&bytes, 0);
	ks_buf_truncate(&bytes, bytes.len - 10);
	read_sample(&f, hex, &bytes);
	assert_true(f.broken);
	ks_fatbin_fini(&f);
	ks_buf_clear(&bytes);
	ks_buf_adds(&bytes, "something else");
	read_sample(&f, hex, &bytes);
	assert_true(f.broken);
	ks_fatbin_fini(&f);
	ks_buf_fini(&bytes);
}

static void test_hides(void **state)
{
	struct ks_buf bytes = {0};
	(void)state;
	ks_buf_adds(&bytes, "numbers and text, \x7f" "ELF as a word, and more of it");
	assert_false(ks_fatbin_hides((const unsigned char *)bytes.ptr, bytes.len));
	sample_cubin(&bytes);
	assert_true(ks_fatbin_hides((const unsigned char *)bytes.ptr, bytes.len));
	ks_buf_clear(&bytes);
	ks_buf_adds(&bytes, "abc");
	sample_container(&bytes, 0x2000);
	assert_true(ks_fatbin_hides((const unsigned char *)bytes.ptr, bytes.len));
	ks_buf_fini(&bytes);
}

/* ---- nvcc's own ---- */

#define KERNEL "#include <stdint.h>\n#include <cuda_runtime.h>\n" \
	"__global__ void banned_gemm(const float *x, float *y, int64_t n) {\n" \
	"\tint64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;\n" \
	"\tif (i < n) { y[i] = 2 * x[i]; }\n}\n" \
	"extern \"C\" int k(const float *x, float *y, int64_t n, void *stream) {\n" \
	"\tbanned_gemm<<<(unsigned)((n + 255) / 256), 256, 0, (cudaStream_t)stream>>>(x, y, n);\n" \
	"\treturn cudaGetLastError() != cudaSuccess;\n}\n"

static char *nvcc;

static int find_nvcc(void **state)
{
	struct ks_err err = KS_ERR_INIT;
	(void)state;
	if (ks_build_find_nvcc(&nvcc, &err) != 0) {
		print_message("skipped: what nvcc builds (%s)\n", err.msg);
	}
	return make_folder(state);
}

static int forget_nvcc(void **state)
{
	free(nvcc);
	return drop_folder(state);
}

static void build(struct ks_binary *bin, const char *text, const char *instead, const char *with)
{
	struct ks_err err = KS_ERR_INIT;
	char *source = ks_asprintf("%s/k.cu", folder), *out = ks_asprintf("%s/k.so", folder);
	const char *sources[] = {source};
	char **argv = NULL;
	struct ks_build_spec spec = {.target = "cuda", .sources = sources, .nsources = 1,
		.flags = "-O1 -gencode=arch=compute_90a,code=sm_90a", .out = out, .threads = 1};
	assert_int_equal(ks_file_write(source, ks_str_of(text), 0600, &err), 0);
	assert_int_equal(ks_build_argv(&argv, &spec, &err), 0);
	for (size_t i = 0; argv[i] != NULL && instead != NULL; i++) {
		if (strstr(argv[i], instead) != NULL) {
			free(argv[i]);
			argv[i] = ks_strdup(with);
		}
	}
	pid_t pid = fork();
	if (pid == 0) {
		execv(argv[0], argv);
		_exit(127);
	}
	int status = 0;
	waitpid(pid, &status, 0);
	assert_int_equal(status, 0);
	assert_int_equal(ks_binary_load(bin, out, &err), 0);
	ks_build_argv_free(argv);
	free(source);
	free(out);
}

static void test_nvcc(void **state)
{
	struct ks_binary bin;
	struct ks_err err = KS_ERR_INIT;
	(void)state;
	if (nvcc == NULL) {
		skip();
	}
	build(&bin, KERNEL, NULL, NULL);
	assert_true(bin.nkernels > 0 && has(bin.kernels, bin.nkernels, "banned_gemm"));
	assert_non_null(ks_binary_mentions(&bin, "gemm"));
	assert_null(ks_binary_mentions(&bin, "cublas"));
	assert_int_equal(bin.units, 1);
	assert_int_equal(bin.at_load, 1);
	assert_int_equal(ks_binary_check_load(&bin, KS_MAY_CUDA, &err), 0);
	assert_int_equal(ks_binary_check_imports(&bin, KS_MAY_CUDA, &err), 0);
	assert_int_equal(ks_binary_check_embedded(&bin, &err), 0);
	assert_int_equal(ks_binary_check_load(&bin, 0, &err), KS_EDENIED);
	ks_err_clear(&err);
	assert_int_equal(ks_binary_check_imports(&bin, 0, &err), KS_EDENIED);
	ks_binary_fini(&bin);
}

#define TENSOR_MAP "#include <stdint.h>\n#include <cuda.h>\n#include <cuda_runtime.h>\n" \
	"__global__ void tiled(const __grid_constant__ CUtensorMap map, float *y) {\n" \
	"\ty[threadIdx.x] = (float)((const int *)&map)[threadIdx.x % 32];\n}\n" \
	"extern \"C\" int k(const float *x, float *y, int64_t n, void *stream) {\n" \
	"\tCUtensorMap map;\n" \
	"\tcuuint64_t sizes[2] = {64, (cuuint64_t)n / 64}, strides[1] = {256};\n" \
	"\tcuuint32_t box[2] = {64, 8}, steps[2] = {1, 1};\n" \
	"\tif (cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, (void *)x, " \
	"sizes,\n" \
	"\t\tstrides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,\n" \
	"\t\tCU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE)) { return 2; }\n" \
	"\ttiled<<<1, 32, 0, (cudaStream_t)stream>>>(map, y);\n" \
	"\treturn cudaGetLastError() != cudaSuccess;\n}\n"

static bool needs(const struct ks_binary *bin, const char *soname)
{
	return has(bin->needed, bin->nneeded, soname);
}

/* A kernel that loads tiles by descriptor needs the driver's encoder; others do not
 * need the driver. */
static void test_nvcc_tensor_map(void **state)
{
	struct ks_binary bin;
	struct ks_err err = KS_ERR_INIT;
	(void)state;
	if (nvcc == NULL) {
		skip();
	}
	build(&bin, TENSOR_MAP, NULL, NULL);
	assert_true(needs(&bin, "libcuda.so.1"));
	assert_true(has(bin.imports, bin.nimports, "cuTensorMapEncodeTiled"));
	assert_int_equal(ks_binary_check_imports(&bin, KS_MAY_CUDA, &err), 0);
	assert_int_equal(ks_binary_check_load(&bin, KS_MAY_CUDA, &err), 0);
	ks_binary_fini(&bin);
	build(&bin, KERNEL, NULL, NULL);
	assert_false(needs(&bin, "libcuda.so.1"));
	ks_binary_fini(&bin);
}

static void test_nvcc_compressed(void **state)
{
	struct ks_binary bin;
	struct ks_err err = KS_ERR_INIT;
	(void)state;
	if (nvcc == NULL) {
		skip();
	}
	build(&bin, KERNEL, "--compress-mode", "--compress-mode=size");
	assert_int_equal(ks_binary_check_embedded(&bin, &err), KS_EDENIED);
	assert_non_null(strstr(err.msg, "compressed device code"));
	ks_binary_fini(&bin);
}

static void test_nvcc_constructor(void **state)
{
	struct ks_binary bin;
	struct ks_err err = KS_ERR_INIT;
	(void)state;
	if (nvcc == NULL) {
		skip();
	}
	build(&bin, KERNEL "static volatile int done;\n"
		"__attribute__((constructor)) static void early() { done = 1; }\n", NULL, NULL);
	assert_int_equal(ks_binary_check_load(&bin, KS_MAY_CUDA, &err), KS_EDENIED);
	ks_binary_fini(&bin);
	ks_err_clear(&err);
	build(&bin, KERNEL "extern \"C\" void **__cudaRegisterFatBinary(void *) { return 0; }\n",
		NULL, NULL);
	assert_int_equal(ks_binary_check_imports(&bin, KS_MAY_CUDA, &err), KS_EDENIED);
	assert_non_null(strstr(err.msg, "__cudaRegisterFatBinary"));
	ks_binary_fini(&bin);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sample), cmocka_unit_test(test_what_cannot_be_read),
		cmocka_unit_test(test_hides), cmocka_unit_test(test_nvcc),
		cmocka_unit_test(test_nvcc_tensor_map),
		cmocka_unit_test(test_nvcc_compressed), cmocka_unit_test(test_nvcc_constructor),
	};
	return cmocka_run_group_tests(tests, find_nvcc, forget_nvcc);
}
