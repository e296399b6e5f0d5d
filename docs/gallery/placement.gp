# Threads on each CPU: Where were the workers put, and which CPUs are shared?
# Draws itself again: gnuplot placement.gp (the data are in placement.dat beside it).
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
set rmargin 3
set label 9001 "Threads on each CPU" at screen 0, screen 1 offset character 1.8,-1.3 left front font ",14" textcolor rgb '#1f2328'
set label 9002 "gemm=768 on synthetic:1048576, batches of 1; 2 CPUs to use" at screen 0, screen 1 offset character 1.8,-2.9 left front font ",10" textcolor rgb '#59636e'
set label 9003 "n = 11 to 42 invocations; figures: threads on a CPU, a worker\047s spread over its CPUs; line: main process" at screen 0, screen 0 offset character 1.8,1.1 left front font ",9" textcolor rgb '#59636e'
set yrange [9.6:-0.6]
unset grid
set grid xtics linetype 1 linewidth 0.6 linecolor rgb '#dfe3e8'
set ytics ("main process x 1 thread" 0, "1 worker x 1 thread" 1, "2 workers x 1 thread" 2, "3 workers x 1 thread" 3, "4 workers x 1 thread" 4, "main process x 2 threads" 5, "1 worker x 2 threads" 6, "2 workers x 2 threads" 7, "3 workers x 2 threads" 8, "4 workers x 2 threads" 9) font ",10" textcolor rgb '#1f2328' scale 0
set lmargin at screen 0.2242
set rmargin at screen 0.9769
set xrange [-0.5:1.5]
unset grid
set xlabel "CPU, as the operating system numbers them" textcolor rgb '#1f2328'
set xtics ("0" 0, "1" 1) scale 0
set tmargin 4.8
set yrange [9.6:-2.267]
set label 10 "package, NUMA node, L3 cache" at graph 0, first -1.85 right offset character -0.8,0 font ",9" textcolor rgb '#59636e'
set label 13 "core" at graph 0, first -1.017 right offset character -0.8,0 font ",9" textcolor rgb '#59636e'

do for [kind in "svg png "] {
    if (kind eq "svg") {
        set terminal svg noenhanced size 1040,495 font "sans-serif,11" fontscale 1.3 linewidth 1.2 background '#ffffff'
    }
    if (kind eq "png") {
        set terminal pngcairo noenhanced size 2080,990 font "sans-serif,11" fontscale 2 linewidth 2 pointscale 2 background '#ffffff'
    }
    if (kind eq "pdf") {
        set terminal pdfcairo noenhanced size 10.83in,5.16in font "sans-serif,11" fontscale 0.8 background '#ffffff'
    }
    set output "placement.".kind
    plot 'placement.dat' index 2 using 1:3:1:2:($3-0.3667):($3+0.3667):4 with boxxyerror linecolor rgb variable fillstyle solid noborder notitle, \
         'placement.dat' index 2 using (($1+$2)/2):3:6 with labels font ",8" textcolor rgb '#1f2328' notitle, \
         'placement.dat' index 3 using ($4 == 3 ? $1 : NaN):2:(0):3 with vectors nohead linewidth 0.5 linecolor rgb '#59636e' notitle, \
         'placement.dat' index 3 using ($4 == 2 ? $1 : NaN):2:(0):3 with vectors nohead linewidth 1.4 linecolor rgb '#59636e' notitle, \
         'placement.dat' index 3 using ($4 == 1 ? $1 : NaN):2:(0):3 with vectors nohead linewidth 2.2 linecolor rgb '#59636e' notitle, \
         'placement.dat' index 3 using ($4 == 0 ? $1 : NaN):2:(0):3 with vectors nohead linewidth 3 linecolor rgb '#59636e' notitle, \
         'placement.dat' index 0 using 1:2:(0.47):(0.44):4 with boxxyerror linecolor rgb variable fillstyle solid noborder notitle, \
         'placement.dat' index 0 using 1:2:6:5 with labels textcolor rgb variable font ",9" notitle, \
         'placement.dat' index 1 using 1:($3+0.475):($2-$1):(0) with vectors nohead linewidth 2 linecolor rgb '#1f2328' notitle
    unset output
}
