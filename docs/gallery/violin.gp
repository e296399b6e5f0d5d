# How item times are spread: Do items take about the same time, or are there several kinds, or a long tail?
# Draws itself again: gnuplot violin.gp (the data are in violin.dat beside it).
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
set label 9001 "How item times are spread" at screen 0, screen 1 offset character 1.8,-1.3 left front font ",14" textcolor rgb '#1f2328'
set label 9002 "gemm=768 on synthetic:1048576, batches of 1; 2 CPUs to use" at screen 0, screen 1 offset character 1.8,-2.9 left front font ",10" textcolor rgb '#59636e'
set label 9003 "n = 11 to 42 invocations" at screen 0, screen 0 offset character 1.8,1.1 left front font ",9" textcolor rgb '#59636e'
set yrange [9.6:-0.6]
unset grid
set grid xtics linetype 1 linewidth 0.6 linecolor rgb '#dfe3e8'
set ytics ("main process x 1 thread" 0, "1 worker x 1 thread" 1, "2 workers x 1 thread" 2, "3 workers x 1 thread" 3, "4 workers x 1 thread" 4, "main process x 2 threads" 5, "1 worker x 2 threads" 6, "2 workers x 2 threads" 7, "3 workers x 2 threads" 8, "4 workers x 2 threads" 9) font ",10" textcolor rgb '#1f2328' scale 0
set logscale x
set xrange [4.01131:59.5156]
set xtics ("5" 5, "6" 6, "8" 8, "10" 10, "15" 15, "20" 20, "30" 30, "40" 40, "50" 50)
set xlabel "time of an item [ms], logarithmic" textcolor rgb '#1f2328'
set key horizontal maxcols 3 width 2 at screen 0.02, graph 1 left bottom

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
    set output "violin.".kind
    plot 'violin.dat' index 0 using 1:2 with filledcurves closed linecolor rgb '#8cc0dc' fillstyle solid 1 noborder notitle, \
         'violin.dat' index 1 using 1:3 with points pointtype 7 pointsize 0.9 linecolor rgb '#ffffff' notitle, \
         'violin.dat' index 1 using 1:3 with points pointtype 6 pointsize 0.9 linewidth 1.4 linecolor rgb '#1f2328' title "median", \
         'violin.dat' index 1 using 2:3:(0):(0.4) with xyerrorbars pointtype 0 linewidth 1.8 linecolor rgb '#1f2328' title "p95", \
         'violin.dat' index 2 using 1:2 with filledcurves closed linecolor rgb '#69acd2' fillstyle solid 1 noborder notitle, \
         'violin.dat' index 3 using 1:3 with points pointtype 7 pointsize 0.9 linecolor rgb '#ffffff' notitle, \
         'violin.dat' index 3 using 1:3 with points pointtype 6 pointsize 0.9 linewidth 1.4 linecolor rgb '#1f2328' notitle, \
         'violin.dat' index 3 using 2:3:(0):(0.4) with xyerrorbars pointtype 0 linewidth 1.8 linecolor rgb '#1f2328' notitle, \
         'violin.dat' index 4 using 1:2 with filledcurves closed linecolor rgb '#4699c7' fillstyle solid 1 noborder notitle, \
         'violin.dat' index 5 using 1:3 with points pointtype 7 pointsize 0.9 linecolor rgb '#ffffff' notitle, \
         'violin.dat' index 5 using 1:3 with points pointtype 6 pointsize 0.9 linewidth 1.4 linecolor rgb '#1f2328' notitle, \
         'violin.dat' index 5 using 2:3:(0):(0.4) with xyerrorbars pointtype 0 linewidth 1.8 linecolor rgb '#1f2328' notitle, \
         'violin.dat' index 6 using 1:2 with filledcurves closed linecolor rgb '#2385bd' fillstyle solid 1 noborder notitle, \
         'violin.dat' index 7 using 1:3 with points pointtype 7 pointsize 0.9 linecolor rgb '#ffffff' notitle, \
         'violin.dat' index 7 using 1:3 with points pointtype 6 pointsize 0.9 linewidth 1.4 linecolor rgb '#1f2328' notitle, \
         'violin.dat' index 7 using 2:3:(0):(0.4) with xyerrorbars pointtype 0 linewidth 1.8 linecolor rgb '#1f2328' notitle, \
         'violin.dat' index 8 using 1:2 with filledcurves closed linecolor rgb '#0072b2' fillstyle solid 1 noborder notitle, \
         'violin.dat' index 9 using 1:3 with points pointtype 7 pointsize 0.9 linecolor rgb '#ffffff' notitle, \
         'violin.dat' index 9 using 1:3 with points pointtype 6 pointsize 0.9 linewidth 1.4 linecolor rgb '#1f2328' notitle, \
         'violin.dat' index 9 using 2:3:(0):(0.4) with xyerrorbars pointtype 0 linewidth 1.8 linecolor rgb '#1f2328' notitle, \
         'violin.dat' index 10 using 1:2 with filledcurves closed linecolor rgb '#ecb78c' fillstyle solid 1 noborder notitle, \
         'violin.dat' index 11 using 1:3 with points pointtype 7 pointsize 0.9 linecolor rgb '#ffffff' notitle, \
         'violin.dat' index 11 using 1:3 with points pointtype 6 pointsize 0.9 linewidth 1.4 linecolor rgb '#1f2328' notitle, \
         'violin.dat' index 11 using 2:3:(0):(0.4) with xyerrorbars pointtype 0 linewidth 1.8 linecolor rgb '#1f2328' notitle, \
         'violin.dat' index 12 using 1:2 with filledcurves closed linecolor rgb '#e6a069' fillstyle solid 1 noborder notitle, \
         'violin.dat' index 13 using 1:3 with points pointtype 7 pointsize 0.9 linecolor rgb '#ffffff' notitle, \
         'violin.dat' index 13 using 1:3 with points pointtype 6 pointsize 0.9 linewidth 1.4 linecolor rgb '#1f2328' notitle, \
         'violin.dat' index 13 using 2:3:(0):(0.4) with xyerrorbars pointtype 0 linewidth 1.8 linecolor rgb '#1f2328' notitle, \
         'violin.dat' index 14 using 1:2 with filledcurves closed linecolor rgb '#e18a46' fillstyle solid 1 noborder notitle, \
         'violin.dat' index 15 using 1:3 with points pointtype 7 pointsize 0.9 linecolor rgb '#ffffff' notitle, \
         'violin.dat' index 15 using 1:3 with points pointtype 6 pointsize 0.9 linewidth 1.4 linecolor rgb '#1f2328' notitle, \
         'violin.dat' index 15 using 2:3:(0):(0.4) with xyerrorbars pointtype 0 linewidth 1.8 linecolor rgb '#1f2328' notitle, \
         'violin.dat' index 16 using 1:2 with filledcurves closed linecolor rgb '#db7423' fillstyle solid 1 noborder notitle, \
         'violin.dat' index 17 using 1:3 with points pointtype 7 pointsize 0.9 linecolor rgb '#ffffff' notitle, \
         'violin.dat' index 17 using 1:3 with points pointtype 6 pointsize 0.9 linewidth 1.4 linecolor rgb '#1f2328' notitle, \
         'violin.dat' index 17 using 2:3:(0):(0.4) with xyerrorbars pointtype 0 linewidth 1.8 linecolor rgb '#1f2328' notitle, \
         'violin.dat' index 18 using 1:2 with filledcurves closed linecolor rgb '#d55e00' fillstyle solid 1 noborder notitle, \
         'violin.dat' index 19 using 1:3 with points pointtype 7 pointsize 0.9 linecolor rgb '#ffffff' notitle, \
         'violin.dat' index 19 using 1:3 with points pointtype 6 pointsize 0.9 linewidth 1.4 linecolor rgb '#1f2328' notitle, \
         'violin.dat' index 19 using 2:3:(0):(0.4) with xyerrorbars pointtype 0 linewidth 1.8 linecolor rgb '#1f2328' notitle
    unset output
}
