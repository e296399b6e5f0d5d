# Every setting against the best: Which settings are as good as the best, which are surely worse, which are still open?
# Draws itself again: gnuplot forest.gp (the data are in forest.dat beside it).
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
set label 9001 "Every setting against the best" at screen 0, screen 1 offset character 1.8,-1.3 left front font ",14" textcolor rgb '#1f2328'
set label 9002 "gemm=768 on synthetic:1048576, batches of 1; 2 CPUs to use" at screen 0, screen 1 offset character 1.8,-2.9 left front font ",10" textcolor rgb '#59636e'
set label 9003 "n = 11 to 42 invocations; bars: 95 \045 intervals; green band: within 5 \045 of the best" at screen 0, screen 0 offset character 1.8,1.1 left front font ",9" textcolor rgb '#59636e'
set yrange [9.6:-0.6]
unset grid
set grid xtics linetype 1 linewidth 0.6 linecolor rgb '#dfe3e8'
set ytics ("main process x 1 thread" 0, "1 worker x 1 thread" 1, "2 workers x 1 thread" 2, "3 workers x 1 thread" 3, "4 workers x 1 thread" 4, "main process x 2 threads" 5, "1 worker x 2 threads" 6, "2 workers x 2 threads" 7, "3 workers x 2 threads" 8, "4 workers x 2 threads" 9) font ",10" textcolor rgb '#1f2328' scale 0
set xrange [0.932587:2.75275]
set xlabel "cost over the cost of the best setting, paired within blocks" textcolor rgb '#1f2328'
set key horizontal maxcols 2 width 2 at screen 0.02, graph 1 left bottom
set arrow 1 from first 1, graph 0 to first 1, graph 1 nohead linewidth 1.2 linecolor rgb '#59636e'
set object 1 rectangle from first 1, graph 0 to first 1.05, graph 1 fillcolor rgb '#e3f1ec' fillstyle solid noborder behind
set rmargin 27
set label 10 "1.98  [1.89, 2.66]" at graph 1.015, first 0 left font ",9" textcolor rgb '#1f2328'
set label 11 "1.96  [1.90, 2.69]" at graph 1.015, first 1 left font ",9" textcolor rgb '#1f2328'
set label 12 "1.00  [1.00, 1.03]" at graph 1.015, first 2 left font ",9" textcolor rgb '#1f2328'
set label 13 "1.32  [1.22, 1.82]" at graph 1.015, first 3 left font ",9" textcolor rgb '#1f2328'
set label 14 "1.01  [1.00, 1.04]" at graph 1.015, first 4 left font ",9" textcolor rgb '#1f2328'
set label 15 "1.10  [1.03, 1.12]" at graph 1.015, first 5 left font ",9" textcolor rgb '#1f2328'
set label 16 "1.12  [1.02, 1.14]" at graph 1.015, first 6 left font ",9" textcolor rgb '#1f2328'
set label 17 "1.30  [1.08, 1.60]" at graph 1.015, first 7 left font ",9" textcolor rgb '#1f2328'
set label 18 "1.28  [1.05, 1.36]" at graph 1.015, first 8 left font ",9" textcolor rgb '#1f2328'
set label 19 "1.19  [1.06, 1.49]" at graph 1.015, first 9 left font ",9" textcolor rgb '#1f2328'

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
    set output "forest.".kind
    plot 'forest.dat' index 0 using 2:1:3:4 with xerrorbars linecolor rgb '#009e73' linewidth 1.8 pointtype 7 pointsize 0.9 title "within the margin, for sure", \
         'forest.dat' index 1 using 2:1:3:4 with xerrorbars linecolor rgb '#0072b2' linewidth 1.8 pointtype 6 pointsize 0.9 title "still open", \
         'forest.dat' index 3 using 2:1:3:4 with xerrorbars linecolor rgb '#d55e00' linewidth 1.8 pointtype 5 pointsize 0.9 title "worse by the margin, for sure"
    unset output
}
