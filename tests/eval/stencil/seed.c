/* One step of a 5-point stencil, as one writes it first. */
#include <stdint.h>

int stencil5(const float *grid, float *next, int64_t rows, int64_t cols, float centre, float side)
{
	for (int64_t j = 0; j < cols; j++) {
		for (int64_t i = 0; i < rows; i++) {
			int64_t at = i * cols + j;
			if (i == 0 || j == 0 || i == rows - 1 || j == cols - 1) {
				next[at] = grid[at];
			} else {
				next[at] = centre * grid[at] + side * (grid[at - cols] +
					grid[at + cols] + grid[at - 1] + grid[at + 1]);
			}
		}
	}
	return 0;
}
