# Cost over the best, by workers and threads: What does it cost to ask for more CPUs than there are, or to leave some idle?
# Draws itself again: gnuplot oversubscription.gp (the data are in oversubscription.dat beside it).
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
set label 9001 "Cost over the best, by workers and threads" at screen 0, screen 1 offset character 1.8,-1.3 left front font ",14" textcolor rgb '#1f2328'
set label 9002 "gemm=768 on synthetic:1048576, batches of 1; 2 CPUs to use" at screen 0, screen 1 offset character 1.8,-2.9 left front font ",10" textcolor rgb '#59636e'
set label 9003 "n = 11 to 42 invocations; figures: cost over the best setting\047s, interval; thick line: the CPU budget; inner frame: recommended" at screen 0, screen 0 offset character 1.8,1.1 left front font ",9" textcolor rgb '#59636e'
set xrange [-0.5:4.5]
set yrange [-0.5:1.5]
set xtics ("0" 0, "1" 1, "2" 2, "3" 3, "4" 4) scale 0
set ytics ("1 thread" 0, "2 threads" 1) scale 0
unset grid
unset border
set xlabel "workers"

do for [kind in "svg png "] {
    if (kind eq "svg") {
        set terminal svg noenhanced size 1040,488 font "sans-serif,11" fontscale 1.3 linewidth 1.2 background '#ffffff'
    }
    if (kind eq "png") {
        set terminal pngcairo noenhanced size 2080,976 font "sans-serif,11" fontscale 2 linewidth 2 pointscale 2 background '#ffffff'
    }
    if (kind eq "pdf") {
        set terminal pdfcairo noenhanced size 10.83in,5.08in font "sans-serif,11" fontscale 0.8 background '#ffffff'
    }
    set output "oversubscription.".kind
    plot 'oversubscription.dat' index 0 using 1:2:(0.485):(0.47):6 with boxxyerror linecolor rgb variable fillstyle solid noborder notitle, \
         'oversubscription.dat' index 1 using 1:2 with lines linewidth 3.2 linecolor rgb '#1f2328' notitle, \
         'oversubscription.dat' index 0 using ($8 == 1 ? $1 : NaN):2:(0.43):(0.39) with boxxyerror linecolor rgb '#1f2328' linewidth 1.8 fillstyle empty border notitle, \
         'oversubscription.dat' index 0 using 1:2:9:7 with labels offset character 0,0.45 textcolor rgb variable font ",11" notitle, \
         'oversubscription.dat' index 0 using 1:2:10:7 with labels offset character 0,-0.75 textcolor rgb variable font ",8" notitle
    unset output
}
