# What the consumer waits for: Where does a sample's time go: start-up, computing, head of line, hand-off, pinning?
# Draws itself again: gnuplot waits.gp (the data are in waits.dat beside it).
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
set label 9001 "What the consumer waits for" at screen 0, screen 1 offset character 1.8,-1.3 left front font ",14" textcolor rgb '#1f2328'
set label 9002 "gemm=768 on synthetic:1048576, batches of 1; 2 CPUs to use" at screen 0, screen 1 offset character 1.8,-2.9 left front font ",10" textcolor rgb '#59636e'
set label 9003 "n = 11 to 42 invocations" at screen 0, screen 0 offset character 1.8,1.1 left front font ",9" textcolor rgb '#59636e'
set yrange [9.6:-0.6]
unset grid
set grid xtics linetype 1 linewidth 0.6 linecolor rgb '#dfe3e8'
set ytics ("main process x 1 thread" 0, "1 worker x 1 thread" 1, "2 workers x 1 thread" 2, "3 workers x 1 thread" 3, "4 workers x 1 thread" 4, "main process x 2 threads" 5, "1 worker x 2 threads" 6, "2 workers x 2 threads" 7, "3 workers x 2 threads" 8, "4 workers x 2 threads" 9) font ",10" textcolor rgb '#1f2328' scale 0
set xrange [0:10.4071]
set xlabel "waiting of the consumer for a sample [ms]" textcolor rgb '#1f2328'
set key horizontal maxcols 4 width 1 at screen 0.02, graph 1 left bottom

do for [kind in "svg png "] {
    if (kind eq "svg") {
        set terminal svg noenhanced size 1040,455 font "sans-serif,11" fontscale 1.3 linewidth 1.2 background '#ffffff'
    }
    if (kind eq "png") {
        set terminal pngcairo noenhanced size 2080,910 font "sans-serif,11" fontscale 2 linewidth 2 pointscale 2 background '#ffffff'
    }
    if (kind eq "pdf") {
        set terminal pdfcairo noenhanced size 10.83in,4.74in font "sans-serif,11" fontscale 0.8 background '#ffffff'
    }
    set output "waits.".kind
    plot 'waits.dat' index 0 using 2:1:2:3:($1-0.34):($1+0.34) with boxxyerror linecolor rgb '#f0e442' fillstyle solid border linecolor rgb '#ffffff' title "startup", \
         'waits.dat' index 1 using 2:1:2:3:($1-0.34):($1+0.34) with boxxyerror linecolor rgb '#56b4e9' fillstyle solid border linecolor rgb '#ffffff' title "compute", \
         'waits.dat' index 2 using 2:1:2:3:($1-0.34):($1+0.34) with boxxyerror linecolor rgb '#e69f00' fillstyle solid border linecolor rgb '#ffffff' title "head of line", \
         'waits.dat' index 3 using 2:1:2:3:($1-0.34):($1+0.34) with boxxyerror linecolor rgb '#0072b2' fillstyle solid border linecolor rgb '#ffffff' title "handoff", \
         'waits.dat' index 4 using 2:1:2:3:($1-0.34):($1+0.34) with boxxyerror linecolor rgb '#5b1a3a' fillstyle solid border linecolor rgb '#ffffff' title "pin", \
         'waits.dat' index 5 using 2:1:2:3:($1-0.34):($1+0.34) with boxxyerror linecolor rgb '#000000' fillstyle solid border linecolor rgb '#ffffff' title "throttled", \
         'waits.dat' index 6 using 2:1:(0):(0.42) with xyerrorbars pointtype 0 linewidth 2 linecolor rgb '#1f2328' title "cost of a sample"
    unset output
}
