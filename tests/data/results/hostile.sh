#!/bin/sh
# Prints a result of two arms, a and b, whose costs are hard to read right: hostile.sh KIND DAY. Of the second day all are
# 1 % higher.
set -eu
awk -v kind="$1" -v day="$2" '
function cost(arm, k) {
    if (kind == "zero" && arm && k == 3) return 0
    if (kind == "near_2_53") return sprintf("%.0f", 2 ^ 53 + 2 * k * arm)
    if (kind == "near_2_63") return "9223372036854775807"
    if (kind == "nine_and_one") return arm && k == 4 ? 300 : 100
    if (kind == "nine_orders") return arm ? 1e11 : 100
    if (kind == "wide") return arm ? 100 * (0.3 + 1.4 * (k * 7 % 10) / 9) : 100
    if (kind == "step") return (k < 12 ? 100 : 150) * (1 + 0.001 * (k * 7 % 5))
    if (kind == "apart") return arm ? 114 + k / 9 : 78.8
    if (kind == "nan" && arm && k == 3) return "NaN"
    if (kind == "infinite" && arm && k == 3) return "1e999"
    return 100
}
function scaled(x) { return day == 1 || x + 0 == 0 || x ~ /999|N/ ? x : x * 1.01 }
BEGIN {
    n = kind == "one" ? 1 : kind == "two" ? 2 : kind == "step" ? 24 : 10
    printf "{\"type\":\"header\",\"schema\":1,\"tool\":\"t\",\"command\":\"made\",\"started\":\"2026-01-0%dT00:00:00Z\",\"seed\":0,\"alpha\":0.05,\"margin\":0.05,\"looks_planned\":1,\"cpu_budget\":2,\"cpu_budget_text\":\"2\",\"environment\":{},\"arms\":[", day
    for (i = 0; i < 2; i++)
        printf "%s{\"name\":\"%s\",\"subject\":\"core\",\"workload\":{\"data\":\"synthetic:64:16\",\"transform\":\"copy\",\"sampler\":\"sequential\",\"batch_size\":1},\"setting\":{\"workers\":%d,\"threads\":1,\"prefetch_factor\":2,\"affinity\":\"none\",\"backend\":\"process\"},\"cpus_asked\":1}", i ? "," : "", i ? "b" : "a", i
    print "]}"
    for (k = 0; k < n; k++) {
        for (i = 0; i < 2 && !(kind == "unequal" && i && k >= 7); i++)
            printf "{\"type\":\"trial\",\"invocation\":%d,\"arm\":%d,\"start_ns\":1e6,\"placement\":{},\"placement_mismatch\":null,\"turns\":[{\"block\":0,\"slot\":0,\"batches\":4,\"samples\":4,\"wall_ns\":400,\"cost_ns\":100},{\"block\":1,\"slot\":0,\"batches\":4,\"samples\":4,\"wall_ns\":400,\"cost_ns\":%s}]}\n", k, i, scaled(cost(i, k))
        printf "{\"type\":\"invocation\",\"invocation\":%d,\"look\":1,\"void\":null}\n", k
    }
    printf "{\"type\":\"footer\",\"interrupted\":false,\"invocations\":%d}\n", n
}'
