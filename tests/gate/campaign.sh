#!/bin/sh
# The figures of docs/gate.md: gates repeated through the real path by `loaderbench calibrate`, a line each in a raw
# file, so that it can be stopped (Ctrl-C) and goes on where it was.
# Usage: campaign.sh PROGRAM RAW.jsonl N [PART...]   parts: null power fine edge time load table plot (default: all)
#   N: gates of the null case; N / 3 of each injected slowdown; N / 10 of each point of the time curve, at least 3
#   plot needs gnuplot and writes RAW.svg
set -eu
[ $# -ge 3 ] || { sed -n '2,6s/^# //p' "$0" >&2; exit 2; }
program=$1 raw=$2 n=$3
shift 3
[ $# -gt 0 ] || set -- null power fine edge time load table plot
third=$(((n + 2) / 3))
tenth=$(((n + 9) / 10))
[ "$tenth" -ge 3 ] || tenth=3
points=${POINTS:-$tenth} # gates of each point of the time curve
transform=${TRANSFORM:-gemm=64}
turn=${TURN:-5ms}

# $1: slowdowns, $2: how many of each; the rest goes to calibrate.
repeat() {
    slowdowns=$1 times=$2
    shift 2
    "$program" calibrate --slowdowns "$slowdowns" --null-runs "$times" --power-runs "$times" --transform "$transform" \
        --turn "$turn" --tune-runs 0 --budget 7d --raw "$raw" --no-keep "$@"
    echo
}

# What the null gates say: budget in seconds and the smallest slowdown (%) that 95 of 100 gates find with a margin of 1 %.
# An effect is a ratio to what the margin allows, so it is carried over from the margin of the null gates.
curve() {
    repeat 0 "$n" | awk '/^[0-9]+ s .*%$/ { printf "%d %.2f\n", $1, 100 * ((1 + $(NF - 1) / 100) / 1.05 * 1.01 - 1) }'
}

# Gates with these slowdowns really injected.
confirm_curve() {
    curve | while read -r seconds slowdown; do
        repeat "$slowdown%" "$points" --margin 1% --gate-budget "${seconds}s" </dev/null
    done
}

# The curve, and how many of the gates with the slowdown injected found it.
plot() {
    curve >"${raw%.jsonl}.dat"
    table | awk '$1 == "1.0" && $3 + 0 > 0 { printf "%d %s %d of %d\n", $3, $5, $8, $7 }' >"${raw%.jsonl}.found"
    gnuplot <<GP
set terminal svg size 640,400 font "sans,12" background "white"
set output "${raw%.jsonl}.svg"
set logscale x
set xtics (5, 15, 30, 60)
set xrange [4:95]
set offsets 0, 0, graph 0.12, 0
set yrange [0:*]
set xlabel "budget of a gate of one row (s)"
set ylabel "slowdown (%)"
set key top right
set grid ytics lc rgb "#dddddd"
set title "Smallest slowdown found in 95 of 100 gates (margin 1 %)"
plot 1 with lines dashtype 2 lc rgb "#666666" title "margin", \\
     "${raw%.jsonl}.dat" with linespoints pt 7 lc rgb "#0072b2" title "from null gates drawn anew", \\
     "${raw%.jsonl}.found" using 1:2:(sprintf("%d of %d found", \$3, \$5)) with labels left offset 0.7,0.8 tc rgb "#d55e00" \\
         title "with that slowdown injected"
GP
}

# The same on CPU 0 while another program computes on CPU 1.
under_load() {
    taskset -c 1 sh -c 'while :; do :; done' &
    load=$!
    trap 'kill $load 2>/dev/null' EXIT INT TERM
    taskset -c 0 "$program" calibrate --slowdowns 0,10% --null-runs "$third" --power-runs "$tenth" \
        --transform "$transform" --turn "$turn" --tune-runs 0 --budget 7d --raw "${raw%.jsonl}-load.jsonl" --no-keep
    kill "$load"
    trap - EXIT INT TERM
    wait "$load" 2>/dev/null || true
}

# What the raw lines say: by rule and slowdown, how often each verdict, the median time and the median ratio.
table() {
    for file in "$raw" "${raw%.jsonl}-load.jsonl"; do
        [ -f "$file" ] || continue
        echo "$file"
        echo "margin  budget  injected  gates  REGRESSION  PASS  INCONCLUSIVE  median time  median ratio"
        awk '
        function number(key,    s) {
            if (!match($0, "\"" key "\":-?[0-9.e+-]+")) return "nan"
            s = substr($0, RSTART, RLENGTH)
            sub(/^[^:]*:/, "", s)
            return s + 0
        }
        /"verdict"/ {
            printf "%.4f %.0f %.4f %s %.6f %.6f\n", number("margin"), number("gate_budget_ns") / 1e9,
                number("slowdown"), $0 ~ /"PASS"/ ? "P" : $0 ~ /"REGRESSION"/ ? "R" : "I", number("seconds"),
                number("ratio")
        }' "$file" | sort -k1,1n -k2,2n -k3,3n -k5,5n | awk '
        function median(list, k,    v, m, i, j, t) {
            m = split(list, v, " ")
            for (i = 2; i <= m; i++)
                for (j = i; j > 1 && v[j] + 0 < v[j - 1] + 0; j--) { t = v[j]; v[j] = v[j - 1]; v[j - 1] = t }
            return m % 2 ? v[(m + 1) / 2] : (v[m / 2] + v[m / 2 + 1]) / 2
        }
        function flush() {
            if (n) printf "%5.1f %%  %5s  %7.2f %%  %5d  %10d  %4d  %12d  %9.1f s  %12.3f\n", 100 * margin,
                budget + 0 ? budget " s" : "-", 100 * slowdown, n, r, p, n - r - p, median(times), median(ratios)
            n = r = p = 0
            times = ratios = ""
        }
        { key = $1 " " $2 " " $3 }
        key != last { flush(); last = key; margin = $1; budget = $2; slowdown = $3 }
        { n++; r += $4 == "R"; p += $4 == "P"; times = times " " $5; ratios = ratios " " $6 }
        END { flush() }'
        echo
    done
}

for part in "$@"; do
    case $part in
    null) repeat 0 "$n" ;;           # at most 1 % alarms at alpha 0.01
    power) repeat 10% "$third" ;;    # REGRESSION in at least 98 of 100 with the default margin
    fine) repeat 3% "$third" --margin 1% ;; # found in at least 90 of 100
    edge) repeat 5% "$third" ;;      # passed in at most 1 of 100 with the default margin
    time) confirm_curve ;;           # the smallest slowdown found in 95 of 100, by the time spent
    load) under_load ;;
    table) table ;;
    plot) plot ;;
    *)
        echo "campaign.sh: no part '$part' (null power fine edge time load table plot)" >&2
        exit 2
        ;;
    esac
done
