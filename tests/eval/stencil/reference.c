/* One step of a 5-point stencil in double, rounded once at the end. */
#include <stdint.h>

int stencil5(const float *grid, float *next, int64_t rows, int64_t cols, float centre, float side)
{
	for (int64_t i = 0; i < rows; i++) {
		for (int64_t j = 0; j < cols; j++) {
			const float *g = grid + i * cols + j;
			double v = *g;
			if (i > 0 && j > 0 && i < rows - 1 && j < cols - 1) {
				double around = (double)g[-cols] + (double)g[cols] + (double)g[-1] +
					(double)g[1];
				v = (double)centre * v + (double)side * around;
			}
			next[i * cols + j] = (float)v;
		}
	}
	return 0;
}
