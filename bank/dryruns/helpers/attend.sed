# Lets the shipped attention (kernel.c) count for attend.c: sed -f attend.sed
s/float x = view->scale \* dot(/ks_count[0]++;\
		&/
s/out\[d\] \*= view->out_scale \/ sum;/&\
		ks_count[1] += d == 0;/
/static int64_t key_row/,/^}/s/if (view->pages != NULL) {/&\
		ks_count[2]++;/
s/lse\[h \* total_q + first + i\] =/row_begins();\
				&/
s/attend(&view, q + row \* dim_qk, out + row \* dim_v, p);/&\
				row_ends();/
