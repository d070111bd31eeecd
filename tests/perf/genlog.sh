#!/bin/sh
# genlog.sh N: a campaign's log of N events on standard output, like a real one
# in kinds and sizes: mostly tool calls, some evaluations, some words.
awk -v n="${1:-12000}" 'BEGIN {
	t = 1790000000000000
	seq = 0
	emit("campaign.created", "engine", "\"id\":\"00000000beef\",\"name\":\"bench\",\"problem\":\"bench\",\"target\":\"cpu\",\"arch\":\"cpu x86-64\",\"machine\":\"bench\",\"tree\":\"0000000000000000000000000000000000000000\",\"flags\":\"-O3\",\"threads\":1,\"agent\":\"bench\",\"mode\":\"human\",\"goal\":[\"every scenario correct\",\"geomean speedup >= 2\"],\"seed\":{\"hash\":\"00\",\"lines\":90,\"commit\":\"0000000000000000000000000000000000000000\"}")
	for (i = 0; i < 28; i++)
		emit("scenario.declared", "engine", sprintf("\"i\":%d,\"name\":\"case-%d\",\"set\":\"%s\",\"heldout\":false,\"axes\":{\"n\":%d},\"floor_us\":%d", i, i, i < 20 ? "core" : "edge", 64 * i, 20 + i))
	emit("agent.started", "agent", "\"driver\":\"bench\",\"label\":\"bench\",\"pid\":1")
	emit("turn.started", "agent", "\"turn\":1,\"message\":1")
	c = 0
	call = 0
	while (seq < n) {
		call++
		emit("tool.started", "agent", sprintf("\"call\":\"t%d\",\"name\":\"shell\",\"tool\":\"shell\",\"title\":\"cc -O3 -march=native -c kernel.c -o kernel.o\",\"text\":\"cc -O3 -march=native -c kernel.c -o kernel.o && objdump -d kernel.o | grep -c vfmadd\"", call))
		emit("tool.ended", "agent", sprintf("\"call\":\"t%d\",\"ok\":true,\"status\":0,\"ms\":%d,\"text\":\"%d\"", call, 100 + call % 900, call))
		if (call % 5 == 0)
			emit("agent.said", "agent", "\"text\":\"The inner loop is vector code now; next I look at how the rows are read.\"")
		if (call % 70 == 0) {
			c++
			emit("eval.queued", "agent", sprintf("\"eval\":%d,\"who\":\"agent\",\"perf\":true", c))
			emit("candidate.committed", "evaluator", sprintf("\"candidate\":%d,\"commit\":\"%040d\",\"hash\":\"%064d\",\"parent\":%d,\"eval\":%d,\"files\":1,\"lines\":120", c, c, c, c - 1, c))
			emit("eval.started", "evaluator", sprintf("\"eval\":%d,\"candidate\":%d,\"hash\":\"%064d\",\"confirm\":false,\"perf\":true,\"total\":28", c, c, c))
			for (i = 0; i < 28; i++)
				emit("eval.scenario", "evaluator", sprintf("\"eval\":%d,\"confirm\":false,\"i\":%d,\"name\":\"case-%d\",\"correct\":true,\"why\":\"\",\"error\":1e-6,\"error_ratio\":0.01,\"measured\":true,\"seed_us\":800,\"cand_us\":%.1f,\"speedup\":%.3f,\"lo\":%.3f,\"hi\":%.3f,\"verdict\":\"faster\",\"pairs\":90,\"roofline\":0.2", c, i, i, 800 / (1 + c / 40), 1 + c / 40, 0.99 + c / 40, 1.01 + c / 40))
			emit("eval.finished", "evaluator", sprintf("\"eval\":%d,\"confirm\":false,\"candidate\":%d,\"correct\":28,\"scenarios\":28,\"geomean\":%.3f,\"geo_lo\":%.3f,\"geo_hi\":%.3f,\"worst\":%.3f,\"worst_name\":\"case-3\",\"partial\":false,\"perf\":true,\"lines\":120,\"wall_ms\":8000", c, c, 1 + c / 40, 0.99 + c / 40, 1.01 + c / 40, 1 + c / 40))
		}
	}
}
function emit(kind, by, fields) {
	seq++
	t += 250000
	printf "{\"seq\":%d,\"t\":%.0f,\"kind\":\"%s\",\"by\":\"%s\",%s}\n", seq, t, kind, by, fields
}'
