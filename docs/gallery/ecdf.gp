# How long items take: What share of items takes at most so long, and how slow are the slowest?
# Draws itself again: gnuplot ecdf.gp (the data are in ecdf.dat beside it).
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
set label 9001 "How long items take" at screen 0, screen 1 offset character 1.8,-1.3 left front font ",14" textcolor rgb '#1f2328'
set label 9002 "gemm=768 on synthetic:1048576, batches of 1; 2 CPUs to use" at screen 0, screen 1 offset character 1.8,-2.9 left front font ",10" textcolor rgb '#59636e'
set label 9003 "n = 11 to 42 invocations; points: p95" at screen 0, screen 0 offset character 1.8,1.1 left front font ",9" textcolor rgb '#59636e'
set logscale x
set xrange [4.31007:49.6972]
set xtics ("5" 5, "6" 6, "8" 8, "10" 10, "15" 15, "20" 20, "30" 30, "40" 40)
set xlabel "time of an item [ms], logarithmic" textcolor rgb '#1f2328'
set yrange [0:1]
set ytics ("0" 0, "25 %%" 0.25, "50 %%" 0.5, "75 %%" 0.75, "95 %%" 0.95)
set ylabel "share of items at most as long" textcolor rgb '#1f2328'

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
    set output "ecdf.".kind
    plot 'ecdf.dat' index 0 using 1:2 with lines linewidth 1.8 linecolor rgb '#8cc0dc' dashtype 1 title "main process x 1 thread", \
         'ecdf.dat' index 1 using 1:2 with points pointtype 7 pointsize 0.9 linecolor rgb '#8cc0dc' notitle, \
         'ecdf.dat' index 2 using 1:2 with lines linewidth 1.8 linecolor rgb '#69acd2' dashtype 1 title "1 worker x 1 thread", \
         'ecdf.dat' index 3 using 1:2 with points pointtype 7 pointsize 0.9 linecolor rgb '#69acd2' notitle, \
         'ecdf.dat' index 4 using 1:2 with lines linewidth 1.8 linecolor rgb '#4699c7' dashtype 1 title "2 workers x 1 thread", \
         'ecdf.dat' index 5 using 1:2 with points pointtype 7 pointsize 0.9 linecolor rgb '#4699c7' notitle, \
         'ecdf.dat' index 6 using 1:2 with lines linewidth 1.8 linecolor rgb '#2385bd' dashtype 1 title "3 workers x 1 thread", \
         'ecdf.dat' index 7 using 1:2 with points pointtype 7 pointsize 0.9 linecolor rgb '#2385bd' notitle, \
         'ecdf.dat' index 8 using 1:2 with lines linewidth 1.8 linecolor rgb '#0072b2' dashtype 1 title "4 workers x 1 thread", \
         'ecdf.dat' index 9 using 1:2 with points pointtype 7 pointsize 0.9 linecolor rgb '#0072b2' notitle, \
         'ecdf.dat' index 10 using 1:2 with lines linewidth 1.8 linecolor rgb '#ecb78c' dashtype 2 title "main process x 2 threads", \
         'ecdf.dat' index 11 using 1:2 with points pointtype 5 pointsize 0.9 linecolor rgb '#ecb78c' notitle, \
         'ecdf.dat' index 12 using 1:2 with lines linewidth 1.8 linecolor rgb '#e6a069' dashtype 2 title "1 worker x 2 threads", \
         'ecdf.dat' index 13 using 1:2 with points pointtype 5 pointsize 0.9 linecolor rgb '#e6a069' notitle, \
         'ecdf.dat' index 14 using 1:2 with lines linewidth 1.8 linecolor rgb '#e18a46' dashtype 2 title "2 workers x 2 threads", \
         'ecdf.dat' index 15 using 1:2 with points pointtype 5 pointsize 0.9 linecolor rgb '#e18a46' notitle, \
         'ecdf.dat' index 16 using 1:2 with lines linewidth 1.8 linecolor rgb '#db7423' dashtype 2 title "3 workers x 2 threads", \
         'ecdf.dat' index 17 using 1:2 with points pointtype 5 pointsize 0.9 linecolor rgb '#db7423' notitle, \
         'ecdf.dat' index 18 using 1:2 with lines linewidth 1.8 linecolor rgb '#d55e00' dashtype 2 title "4 workers x 2 threads", \
         'ecdf.dat' index 19 using 1:2 with points pointtype 5 pointsize 0.9 linecolor rgb '#d55e00' notitle
    unset output
}
