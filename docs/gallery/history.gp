# Cost over time: When did the cost of a setting change for good?
# Draws itself again: gnuplot history.gp (the data are in history.dat beside it).
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
set label 9001 "Cost over time" at screen 0, screen 1 offset character 1.8,-1.3 left front font ",14" textcolor rgb '#1f2328'
set label 9002 "gemm=256 on synthetic:1048576, batches of 1" at screen 0, screen 1 offset character 1.8,-2.9 left front font ",10" textcolor rgb '#59636e'
set label 9003 "n = 9 invocations; bars: 95 \045 intervals; 5 settings without interval; lines: levels that lasted for 3 results, steps of at least 5 \045" at screen 0, screen 0 offset character 1.8,1.1 left front font ",9" textcolor rgb '#59636e'
set yrange [0:1.39409]
set ylabel "cost of a sample [ms]" textcolor rgb '#1f2328'
set xrange [0.5:10.5]
set xlabel "result, in order of time"

do for [kind in "svg png "] {
    if (kind eq "svg") {
        set terminal svg noenhanced size 1040,560 font "sans-serif,11" fontscale 1.3 linewidth 1.2 background '#ffffff'
    }
    if (kind eq "png") {
        set terminal pngcairo noenhanced size 2080,1120 font "sans-serif,11" fontscale 2 linewidth 2 pointscale 2 background '#ffffff'
    }
    if (kind eq "pdf") {
        set terminal pdfcairo noenhanced size 10.83in,5.83in font "sans-serif,11" fontscale 0.8 background '#ffffff'
    }
    set output "history.".kind
    plot 'history.dat' index 0 using 1:2:3:4 with yerrorbars pointtype 7 pointsize 0.7 linewidth 1.2 linecolor rgb '#0072b2' title "one product", \
         'history.dat' index 1 using 1:2 with lines linewidth 2 linecolor rgb '#0072b2' notitle
    unset output
}
