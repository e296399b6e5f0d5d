#!/bin/sh
# Prints a result file: result.sh MACHINE STARTED COMMIT ARM=COST_NS... (names as JSON has them: \" and \n are allowed).
# Each arm has 8 invocations of one block with two turns; costs wave by 0.2 % about the given one.
set -eu
awk -v machine="$1" -v started="$2" -v commit="$3" 'BEGIN {
    n = ARGC - 4
    for (i = 1; i <= n; i++) {
        at = match(ARGV[i + 3], /=[0-9.e+]*$/)
        name[i] = substr(ARGV[i + 3], 1, at - 1)
        cost[i] = substr(ARGV[i + 3], at + 1)
    }
    printf "{\"type\":\"header\",\"schema\":1,\"tool\":\"loaderbench 0.1.0\",\"command\":\"made\",\"started\":\"%s\",\"commit\":\"%s\",\"seed\":0,\"alpha\":0.05,\"margin\":0.05,\"looks_planned\":1,\"budget_ns\":0,\"cpu_budget\":2,\"cpu_budget_text\":\"2\",\"environment\":{\"cpu\":{\"model\":\"%s\"}},\"arms\":[", started, commit, machine
    for (i = 1; i <= n; i++)
        printf "%s{\"name\":\"%s\",\"subject\":\"core\",\"workload\":{\"data\":\"synthetic:64:16\",\"transform\":\"copy\",\"sampler\":\"sequential\",\"batch_size\":1},\"setting\":{\"workers\":0,\"threads\":1,\"prefetch_factor\":2,\"affinity\":\"scatter\",\"backend\":\"inline\"},\"cpus_asked\":1}", (i > 1 ? "," : ""), name[i]
    print "]}"
    for (k = 0; k < 8; k++) {
        for (i = 1; i <= n; i++) {
            c = cost[i] * (1 + 0.002 * sin(k + i))
            printf "{\"type\":\"trial\",\"invocation\":%d,\"arm\":%d,\"start_ns\":1e6,\"first_batch_ns\":1e6,\"peak_bytes\":1048576,\"order_hash\":\"00\",\"set_hash\":\"00\",\"placement\":{},\"placement_mismatch\":null,\"counters\":[{\"name\":\"counter, %d\",\"value\":%g,\"share\":1}],\"turns\":[", k, i - 1, i, c
            for (b = 0; b < 2; b++)
                for (s = 0; s < 2; s++)
                    printf "%s{\"block\":%d,\"slot\":%d,\"batches\":4,\"samples\":4,\"wall_ns\":%g,\"cost_ns\":%g,\"item_ns\":%g,\"cpu_ns\":%g}", (b + s ? "," : ""), b, s, 4 * c, c, c, c
            print "]}"
        }
        printf "{\"type\":\"invocation\",\"invocation\":%d,\"look\":1,\"void\":null,\"fixed_work_before_ns\":1e6,\"fixed_work_after_ns\":1e6,\"cpus\":[0,1]}\n", k
    }
    print "{\"type\":\"footer\",\"interrupted\":false,\"invocations\":8}"
    exit
}' "$@"
