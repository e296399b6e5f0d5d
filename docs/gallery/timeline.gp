# A stretch of single trials: What does each worker do when, and what does the consumer wait for?
# Draws itself again: gnuplot timeline.gp (the data are in timeline.dat beside it).
reset
set encoding utf8
set style data linespoints
set border 3 linecolor rgb '#59636e'
set tics nomirror scale 0.6 textcolor rgb '#1f2328'
set format "%h"
set grid ytics linetype 1 linewidth 0.6 linecolor rgb '#dfe3e8'
set style fill solid 1.0 noborder
set bars small
set key outside right top vertical Left reverse noenhanced samplen 3 spacing 1.3 font ",10" textcolor rgb '#1f2328'
set tmargin 6.2
set bmargin 5.6
set label 9001 "A stretch of single trials" at screen 0, screen 1 offset character 1.8,-1.3 left front font ",14" textcolor rgb '#1f2328'
set label 9002 "gemm=768 on synthetic:1048576, batches of 1; 2 CPUs to use" at screen 0, screen 1 offset character 1.8,-2.9 left front font ",10" textcolor rgb '#59636e'
set label 9003 "one trial of each, counted in no figure; bars: batches being made, numbered in sampler order; head of line: a later batch is ready" at screen 0, screen 0 offset character 1.8,1.1 left front font ",9" textcolor rgb '#59636e'
set yrange [11.55:-0.6]
unset grid
set ytics ("consumer" 1, "worker 0" 2, "worker 1" 3, "consumer" 5, "worker 0" 6, "worker 1" 7, "worker 2" 8, "worker 3" 9, "main process" 11) font ",9" textcolor rgb '#1f2328' scale 0
set label 10 "2 workers x 1 thread (recommended)" at graph 0, first 0.12 left front font ",10" textcolor rgb '#1f2328'
set label 11 "4 workers x 2 threads" at graph 0, first 4.12 left front font ",10" textcolor rgb '#1f2328'
set label 12 "main process x 1 thread" at graph 0, first 10.12 left front font ",10" textcolor rgb '#1f2328'
set xrange [0:39.579736]
set xlabel "time since the stretch began [ms]" textcolor rgb '#1f2328'
set lmargin at screen 0.1000
set rmargin at screen 0.9750
set key horizontal maxcols 3 width 1 at graph 0, graph 1 left bottom

do for [kind in "svg png "] {
    if (kind eq "svg") {
        set terminal svg noenhanced size 1040,504 font "sans-serif,11" fontscale 1.3 linewidth 1.2 background '#ffffff'
    }
    if (kind eq "png") {
        set terminal pngcairo noenhanced size 2080,1008 font "sans-serif,11" fontscale 2 linewidth 2 pointscale 2 background '#ffffff'
    }
    if (kind eq "pdf") {
        set terminal pdfcairo noenhanced size 10.83in,5.25in font "sans-serif,11" fontscale 0.8 background '#ffffff'
    }
    set output "timeline.".kind
    plot 'timeline.dat' index 0 using 1:3:1:2:($3-0.36):($3+0.30):5 with boxxyerror linecolor rgb variable fillstyle solid noborder notitle, \
         'timeline.dat' index 0 using (($1+$2)/2):3:7:6 with labels font ",8" textcolor rgb variable notitle, \
         'timeline.dat' index 1 using 1:($3+0.40):($2-$1):(0) with vectors nohead linewidth 1.4 linecolor rgb '#1f2328' title "finished, not taken yet", \
         'timeline.dat' index 2 using 1:3:1:2:($3-0.36):($3+0.36) with boxxyerror linecolor rgb '#8a929b' fillstyle solid noborder title "consumer works", \
         'timeline.dat' index 3 using 1:3:1:2:($3-0.36):($3+0.36) with boxxyerror linecolor rgb '#56b4e9' fillstyle solid noborder title "waits: batch is being made", \
         'timeline.dat' index 4 using 1:3:1:2:($3-0.36):($3+0.36) with boxxyerror linecolor rgb '#e69f00' fillstyle solid noborder title "waits: head of line", \
         'timeline.dat' index 5 using 1:3:1:2:($3-0.36):($3+0.36) with boxxyerror linecolor rgb '#0072b2' fillstyle solid noborder title "waits: hand-off"
    unset output
}
