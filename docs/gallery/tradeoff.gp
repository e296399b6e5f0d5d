# What a lower cost takes in CPU time: How much CPU time does each setting spend for the cost it delivers?
# Draws itself again: gnuplot tradeoff.gp (the data are in tradeoff.dat beside it).
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
set label 9001 "What a lower cost takes in CPU time" at screen 0, screen 1 offset character 1.8,-1.3 left front font ",14" textcolor rgb '#1f2328'
set label 9002 "gemm=768 on synthetic:1048576, batches of 1; 2 CPUs to use" at screen 0, screen 1 offset character 1.8,-2.9 left front font ",10" textcolor rgb '#59636e'
set label 9003 "n = 11 to 42 invocations; bars: 95 \045 intervals; lighter: fewer workers; hollow: beyond the CPU budget" at screen 0, screen 0 offset character 1.8,1.1 left front font ",9" textcolor rgb '#59636e'
set xrange [0:16.4297]
set yrange [0:10.8442]
set xlabel "CPU time of a sample, all processes [ms]" textcolor rgb '#1f2328'
set ylabel "cost of a sample [ms]" textcolor rgb '#1f2328'
set lmargin at screen 0.0865
set rmargin at screen 0.6442
set key at screen 0.6635, graph 1 left top
set grid xtics ytics
set label 10 "main process x 1 thread" at 7.7326,10.4296 left front font ",9" textcolor rgb '#1f2328'
set label 11 "1 worker x 1 thread" at 5.65178,9.76143 left front font ",9" textcolor rgb '#1f2328'
set label 12 "2 workers x 1 thread" at 5.51803,4.95956 left front font ",9" textcolor rgb '#1f2328'
set label 13 "3 workers x 1 thread" at 5.53722,6.68273 left front font ",9" textcolor rgb '#1f2328'
set label 14 "4 workers x 1 thread" at 10.0864,4.51007 left front font ",9" textcolor rgb '#1f2328'
set label 17 "2 workers x 2 threads" at 11.8894,8.07106 left front font ",9" textcolor rgb '#1f2328'

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
    set output "tradeoff.".kind
    plot 'tradeoff.dat' index 0 using 1:2 with fsteps linecolor rgb '#59636e' dashtype 3 linewidth 1.4 title "front: none is better in both", \
         'tradeoff.dat' index 1 using 1:2:3:4:5:6:7 with xyerrorbars pointtype 0 linecolor rgb variable notitle, \
         'tradeoff.dat' index 1 using ($8 == 0 ? $1 : NaN):2:7 with points pointtype 7 pointsize 1 linecolor rgb variable notitle, \
         'tradeoff.dat' index 1 using ($8 == 1 ? $1 : NaN):2:7 with points pointtype 6 pointsize 1 linewidth 1.8 linecolor rgb variable notitle, \
         NaN with points pointtype 7 pointsize 1 linecolor rgb '#0072b2' title "1 thread", \
         'tradeoff.dat' index 2 using 1:2:3:4:5:6:7 with xyerrorbars pointtype 0 linecolor rgb variable notitle, \
         'tradeoff.dat' index 2 using ($8 == 0 ? $1 : NaN):2:7 with points pointtype 5 pointsize 1 linecolor rgb variable notitle, \
         'tradeoff.dat' index 2 using ($8 == 1 ? $1 : NaN):2:7 with points pointtype 4 pointsize 1 linewidth 1.8 linecolor rgb variable notitle, \
         NaN with points pointtype 5 pointsize 1 linecolor rgb '#d55e00' title "2 threads", \
         'tradeoff.dat' index 3 using 1:2 with points pointtype 6 pointsize 2.6 linewidth 2 linecolor rgb '#1f2328' title "recommended"
    unset output
}
