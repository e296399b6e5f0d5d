# Turns and invocations in running order: Did the machine drift, was an invocation void, what else ran meanwhile?
# Draws itself again: gnuplot order.gp (the data are in order.dat beside it).

do for [kind in "svg png "] {
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
set label 9001 "Turns and invocations in running order" at screen 0, screen 1 offset character 1.8,-1.3 left front font ",14" textcolor rgb '#1f2328'
set label 9002 "gemm=768 on synthetic:1048576, batches of 1; 2 CPUs to use" at screen 0, screen 1 offset character 1.8,-2.9 left front font ",10" textcolor rgb '#59636e'
set label 9003 "n = 11 to 42 invocations; grey dots: single turns" at screen 0, screen 0 offset character 1.8,1.1 left front font ",9" textcolor rgb '#59636e'
set xtics 0,5
set ylabel "cost over the setting's own" textcolor rgb '#1f2328'
set arrow 2 from first 11.5, graph 0 to first 11.5, graph 1 nohead dashtype (6,4) linecolor rgb '#59636e'
set label 2 "look 2" at first 11.5, graph 1 offset character 0.4,0.6 left font ",9" textcolor rgb '#59636e'
set arrow 3 from first 22.5, graph 0 to first 22.5, graph 1 nohead dashtype (6,4) linecolor rgb '#59636e'
set label 3 "look 3" at first 22.5, graph 1 offset character 0.4,0.6 left font ",9" textcolor rgb '#59636e'
set lmargin at screen 0.085
set rmargin at screen 0.64
set key at screen 0.655, graph 1 left top
set tmargin at screen 0.84
set bmargin at screen 0.40
set yrange [0.596541:1.5662]
set xrange [0.3:42.7]
    if (kind eq "svg") {
        set terminal svg noenhanced size 1040,660 font "sans-serif,11" fontscale 1.3 linewidth 1.2 background '#ffffff'
    }
    if (kind eq "png") {
        set terminal pngcairo noenhanced size 2080,1320 font "sans-serif,11" fontscale 2 linewidth 2 pointscale 2 background '#ffffff'
    }
    if (kind eq "pdf") {
        set terminal pdfcairo noenhanced size 10.83in,6.88in font "sans-serif,11" fontscale 0.8 background '#ffffff'
    }
    set output "order.".kind
    set multiplot
    plot 'order.dat' index 10 using 1:2 with points pointtype 7 pointsize 0.2 linecolor rgb '#9aa4ae' notitle, \
         'order.dat' index 0 using 1:2 with linespoints linewidth 1.4 linecolor rgb '#8cc0dc' dashtype 1 pointtype 7 pointsize 0.6 title "main process x 1 thread", \
         'order.dat' index 1 using 1:2 with linespoints linewidth 1.4 linecolor rgb '#69acd2' dashtype 1 pointtype 7 pointsize 0.6 title "1 worker x 1 thread", \
         'order.dat' index 2 using 1:2 with linespoints linewidth 1.4 linecolor rgb '#4699c7' dashtype 1 pointtype 7 pointsize 0.6 title "2 workers x 1 thread", \
         'order.dat' index 3 using 1:2 with linespoints linewidth 1.4 linecolor rgb '#2385bd' dashtype 1 pointtype 7 pointsize 0.6 title "3 workers x 1 thread", \
         'order.dat' index 4 using 1:2 with linespoints linewidth 1.4 linecolor rgb '#0072b2' dashtype 1 pointtype 7 pointsize 0.6 title "4 workers x 1 thread", \
         'order.dat' index 5 using 1:2 with linespoints linewidth 1.4 linecolor rgb '#ecb78c' dashtype 2 pointtype 5 pointsize 0.6 title "main process x 2 threads", \
         'order.dat' index 6 using 1:2 with linespoints linewidth 1.4 linecolor rgb '#e6a069' dashtype 2 pointtype 5 pointsize 0.6 title "1 worker x 2 threads", \
         'order.dat' index 7 using 1:2 with linespoints linewidth 1.4 linecolor rgb '#e18a46' dashtype 2 pointtype 5 pointsize 0.6 title "2 workers x 2 threads", \
         'order.dat' index 8 using 1:2 with linespoints linewidth 1.4 linecolor rgb '#db7423' dashtype 2 pointtype 5 pointsize 0.6 title "3 workers x 2 threads", \
         'order.dat' index 9 using 1:2 with linespoints linewidth 1.4 linecolor rgb '#d55e00' dashtype 2 pointtype 5 pointsize 0.6 title "4 workers x 2 threads"
    unset label
    set tmargin at screen 0.32
    set bmargin at screen 0.15
    set ylabel "% of a turn"
    set xlabel "invocation, in running order" textcolor rgb '#1f2328'
    set yrange [0:0.76849]
    set ytics 0,0.5
    plot 'order.dat' index 12 using 1:2 with lines linewidth 1.6 linecolor rgb '#1f2328' title "CPU time of others", \
         'order.dat' index 12 using 1:3 with lines linewidth 1.6 dashtype 2 linecolor rgb '#D55E00' title "taken by the hypervisor"
    unset multiplot

    unset output
}
