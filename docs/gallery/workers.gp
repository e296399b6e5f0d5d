# Cost of a sample against workers: How many workers, with how many threads each, deliver a sample at the lowest cost?
# Draws itself again: gnuplot workers.gp (the data are in workers.dat beside it).
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
set label 9001 "Cost of a sample against workers" at screen 0, screen 1 offset character 1.8,-1.3 left front font ",14" textcolor rgb '#1f2328'
set label 9002 "gemm=768 on synthetic:1048576, batches of 1; 2 CPUs to use" at screen 0, screen 1 offset character 1.8,-2.9 left front font ",10" textcolor rgb '#59636e'
set label 9003 "n = 11 to 42 invocations; bars: 95 \045 intervals" at screen 0, screen 0 offset character 1.8,1.1 left front font ",9" textcolor rgb '#59636e'
set xrange [-0.5:4.5]
set xtics ("0" 0, "1" 1, "2" 2, "3" 3, "4" 4)
set xlabel "workers (0: the main process loads)" textcolor rgb '#1f2328'
set yrange [0:10.8442]
set ylabel "cost of a sample [ms]" textcolor rgb '#1f2328'
set object 1 rectangle from first 2, graph 0 to graph 1, graph 1 fillcolor rgb '#f0f2f5' fillstyle solid noborder behind
set arrow 1 from first 2, graph 0 to first 2, graph 1 nohead linewidth 1.2 dashtype (6,4) linecolor rgb '#59636e'
set label 1 "CPU budget: 2" at first 2, graph 1 offset character 0,0.6 center font ",9" textcolor rgb '#59636e'

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
    set output "workers.".kind
    plot 'workers.dat' index 0 using 1:2 with lines linewidth 1.4 dashtype 3 linecolor rgb '#59636e' title "ideal: 1 worker\047s cost / workers", \
         'workers.dat' index 1 using 1:4:5 with filledcurves linecolor rgb '#0072b2' fillstyle transparent solid 0.12 noborder notitle, \
         'workers.dat' index 1 using 1:3:4:5 with yerrorbars linecolor rgb '#0072b2' linewidth 1.4 pointtype 0 notitle, \
         'workers.dat' index 1 using 1:3 with lines linecolor rgb '#0072b2' linewidth 2 dashtype 1 notitle, \
         'workers.dat' index 1 using 1:3 with points linecolor rgb '#ffffff' pointtype 7 pointsize 0.95 notitle, \
         'workers.dat' index 1 using 1:($6 == 0 ? $3 : NaN) with points linecolor rgb '#0072b2' pointtype 7 pointsize 0.95 notitle, \
         'workers.dat' index 1 using 1:($6 == 1 ? $3 : NaN) with points linecolor rgb '#0072b2' pointtype 6 pointsize 0.95 linewidth 1.6 notitle, \
         NaN with linespoints linecolor rgb '#0072b2' linewidth 2 dashtype 1 pointtype 7 pointsize 0.95 title "1 thread", \
         'workers.dat' index 2 using 1:4:5 with filledcurves linecolor rgb '#d55e00' fillstyle transparent solid 0.12 noborder notitle, \
         'workers.dat' index 2 using 1:3:4:5 with yerrorbars linecolor rgb '#d55e00' linewidth 1.4 pointtype 0 notitle, \
         'workers.dat' index 2 using 1:3 with lines linecolor rgb '#d55e00' linewidth 2 dashtype 2 notitle, \
         'workers.dat' index 2 using 1:3 with points linecolor rgb '#ffffff' pointtype 5 pointsize 0.95 notitle, \
         'workers.dat' index 2 using 1:($6 == 0 ? $3 : NaN) with points linecolor rgb '#d55e00' pointtype 5 pointsize 0.95 notitle, \
         'workers.dat' index 2 using 1:($6 == 1 ? $3 : NaN) with points linecolor rgb '#d55e00' pointtype 4 pointsize 0.95 linewidth 1.6 notitle, \
         NaN with linespoints linecolor rgb '#d55e00' linewidth 2 dashtype 2 pointtype 5 pointsize 0.95 title "2 threads", \
         NaN with points pointtype 6 pointsize 0.95 linewidth 1.6 linecolor rgb '#59636e' title "hollow: beyond the CPU budget", \
         'workers.dat' index 3 using 1:2 with points pointtype 6 pointsize 2.6 linewidth 2 linecolor rgb '#1f2328' notitle, \
         NaN with points pointtype 6 pointsize 2 linewidth 2 linecolor rgb '#1f2328' title "recommended: 2 workers x 1 thread"
    unset output
}
