# Gate: PASS: Which rows are surely worse, which surely not, which could not be told?
# Draws itself again: gnuplot gate.gp (the data are in gate.dat beside it).
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
set label 9001 "Gate: PASS" at screen 0, screen 1 offset character 1.8,-1.3 left front font ",14" textcolor rgb '#1f2328'
set label 9002 "cost_ns; rule non-inferior, risk of a false alarm 1 \045" at screen 0, screen 1 offset character 1.8,-2.9 left front font ",10" textcolor rgb '#59636e'
set label 9003 "4 rows; bars: 95 \045 intervals; green band: the margin of 5 \045; above 1 is worse" at screen 0, screen 0 offset character 1.8,1.1 left front font ",9" textcolor rgb '#59636e'
set yrange [3.6:-0.6]
unset grid
set grid xtics linetype 1 linewidth 0.6 linecolor rgb '#dfe3e8'
set ytics ("inline small product" 0, "worker small product" 1, "worker tiny samples" 2, "inline product" 3) font ",10" textcolor rgb '#1f2328' scale 0
set xrange [0.942381:1.06]
set xlabel "candidate over baseline" textcolor rgb '#1f2328'
set key horizontal maxcols 2 width 2 at screen 0.02, graph 1 left bottom
set arrow 1 from first 1, graph 0 to first 1, graph 1 nohead linewidth 1.2 linecolor rgb '#59636e'
set object 1 rectangle from first 0.952381, graph 0 to first 1.05, graph 1 fillcolor rgb '#e3f1ec' fillstyle solid noborder behind
set rmargin 25
set label 10 "1.000  [0.994, 1.003]" at graph 1.015, first 0 left font ",9" textcolor rgb '#1f2328'
set label 11 "pass" at graph 1.015, first 0 left font ",9" textcolor rgb '#1f2328' offset character 20,0
set label 12 "1.002  [0.994, 1.008]" at graph 1.015, first 1 left font ",9" textcolor rgb '#1f2328'
set label 13 "pass" at graph 1.015, first 1 left font ",9" textcolor rgb '#1f2328' offset character 20,0
set label 14 "1.00  [0.98, 1.02]" at graph 1.015, first 2 left font ",9" textcolor rgb '#1f2328'
set label 15 "pass" at graph 1.015, first 2 left font ",9" textcolor rgb '#1f2328' offset character 20,0
set label 16 "1.00  [0.98, 1.00]" at graph 1.015, first 3 left font ",9" textcolor rgb '#1f2328'
set label 17 "pass" at graph 1.015, first 3 left font ",9" textcolor rgb '#1f2328' offset character 20,0

do for [kind in "svg png "] {
    if (kind eq "svg") {
        set terminal svg noenhanced size 1240,351 font "sans-serif,11" fontscale 1.3 linewidth 1.2 background '#ffffff'
    }
    if (kind eq "png") {
        set terminal pngcairo noenhanced size 2480,702 font "sans-serif,11" fontscale 2 linewidth 2 pointscale 2 background '#ffffff'
    }
    if (kind eq "pdf") {
        set terminal pdfcairo noenhanced size 12.92in,3.66in font "sans-serif,11" fontscale 0.8 background '#ffffff'
    }
    set output "gate.".kind
    plot 'gate.dat' index 0 using 2:1:3:4 with xerrorbars linecolor rgb '#009e73' linewidth 1.8 pointtype 7 pointsize 0.9 title "surely not worse by the margin"
    unset output
}
