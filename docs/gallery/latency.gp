# A cache line there and back: Which CPUs are close to each other, and which far?
# Draws itself again: gnuplot latency.gp (the data are in latency.dat beside it).
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
set label 9001 "A cache line there and back" at screen 0, screen 1 offset character 1.8,-1.3 left front font ",14" textcolor rgb '#1f2328'
set label 9002 "round trip in ns between CPUs, as the operating system numbers them" at screen 0, screen 1 offset character 1.8,-2.9 left front font ",10" textcolor rgb '#59636e'
set label 9003 "83 ns between any two" at screen 0, screen 0 offset character 1.8,1.1 left front font ",9" textcolor rgb '#59636e'
set xrange [-0.5:1.5]
set xtics ("0" 0, "1" 1) scale 0
set xlabel "CPU" textcolor rgb '#1f2328'
set yrange [1.5:-0.5]
set ytics ("0" 0, "1" 1) scale 0
set ylabel "CPU" textcolor rgb '#1f2328'
unset grid
unset border
set lmargin at screen 0.1
set rmargin at screen 0.8778

do for [kind in "svg png "] {
    if (kind eq "svg") {
        set terminal svg noenhanced size 720,750 font "sans-serif,11" fontscale 1.3 linewidth 1.2 background '#ffffff'
    }
    if (kind eq "png") {
        set terminal pngcairo noenhanced size 1440,1500 font "sans-serif,11" fontscale 2 linewidth 2 pointscale 2 background '#ffffff'
    }
    if (kind eq "pdf") {
        set terminal pdfcairo noenhanced size 7.50in,7.81in font "sans-serif,11" fontscale 0.8 background '#ffffff'
    }
    set output "latency.".kind
    plot 'latency.dat' index 0 using 1:2:(0.48):(0.48):4 with boxxyerror linecolor rgb variable fillstyle solid noborder notitle, \
         'latency.dat' index 0 using 1:2:6:5 with labels textcolor rgb variable font ",11" notitle
    unset output
}
