# Counters for each sample: How many switches, migrations, faults and hardware events does a sample cost?
# Draws itself again: gnuplot counters.gp (the data are in counters.dat beside it).

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
set rmargin 3
set label 9001 "Counters for each sample" at screen 0, screen 1 offset character 1.8,-1.3 left front font ",14" textcolor rgb '#1f2328'
set label 9002 "gemm=768 on synthetic:1048576, batches of 1; 2 CPUs to use" at screen 0, screen 1 offset character 1.8,-2.9 left front font ",10" textcolor rgb '#59636e'
set label 9003 "n = 11 to 42 invocations; medians, a sample; 6 counters unavailable here, the record says why" at screen 0, screen 0 offset character 1.8,1.1 left front font ",9" textcolor rgb '#59636e'
set yrange [9.6:-0.6]
unset grid
set grid xtics linetype 1 linewidth 0.6 linecolor rgb '#dfe3e8'
set ytics ("main process x 1 thread" 0, "1 worker x 1 thread" 1, "2 workers x 1 thread" 2, "3 workers x 1 thread" 3, "4 workers x 1 thread" 4, "main process x 2 threads" 5, "1 worker x 2 threads" 6, "2 workers x 2 threads" 7, "3 workers x 2 threads" 8, "4 workers x 2 threads" 9) font ",10" textcolor rgb '#1f2328' scale 0
    if (kind eq "svg") {
        set terminal svg noenhanced size 1040,1085 font "sans-serif,11" fontscale 1.3 linewidth 1.2 background '#ffffff'
    }
    if (kind eq "png") {
        set terminal pngcairo noenhanced size 2080,2170 font "sans-serif,11" fontscale 2 linewidth 2 pointscale 2 background '#ffffff'
    }
    if (kind eq "pdf") {
        set terminal pdfcairo noenhanced size 10.83in,11.30in font "sans-serif,11" fontscale 0.8 background '#ffffff'
    }
    set output "counters.".kind
    set multiplot
    set lmargin at screen 0.2885
    set rmargin at screen 0.4404
    set tmargin at screen 0.8922
    set bmargin at screen 0.6682
    set label 1 "context-switches" at graph 0, graph 1 offset character 0,0.7 left font ",10" textcolor rgb '#1f2328'
    set xrange [0:367.606]
    set xtics 0,200 format "%h" font ",9"
    set ytics ("main process x 1 thread" 0, "1 worker x 1 thread" 1, "2 workers x 1 thread" 2, "3 workers x 1 thread" 3, "4 workers x 1 thread" 4, "main process x 2 threads" 5, "1 worker x 2 threads" 6, "2 workers x 2 threads" 7, "3 workers x 2 threads" 8, "4 workers x 2 threads" 9) font ",10" textcolor rgb '#1f2328' scale 0
    plot 'counters.dat' index 0 using (0):1:2:(0):3 with vectors nohead linewidth 1.6 linecolor rgb variable notitle, \
         'counters.dat' index 0 using 2:1:3 with points pointtype 7 pointsize 0.9 linecolor rgb variable notitle
    unset label
    set lmargin at screen 0.4615
    set rmargin at screen 0.6135
    set tmargin at screen 0.8922
    set bmargin at screen 0.6682
    set label 1 "cpu-migrations" at graph 0, graph 1 offset character 0,0.7 left font ",10" textcolor rgb '#1f2328'
    set xrange [0:0.1375]
    set xtics 0,0.05 format "%h" font ",9"
    unset ytics
    plot 'counters.dat' index 1 using (0):1:2:(0):3 with vectors nohead linewidth 1.6 linecolor rgb variable notitle, \
         'counters.dat' index 1 using 2:1:3 with points pointtype 7 pointsize 0.9 linecolor rgb variable notitle
    unset label
    set lmargin at screen 0.6346
    set rmargin at screen 0.7865
    set tmargin at screen 0.8922
    set bmargin at screen 0.6682
    set label 1 "page-faults" at graph 0, graph 1 offset character 0,0.7 left font ",10" textcolor rgb '#1f2328'
    set xrange [0:1]
    set xtics 0,1 format "%h" font ",9"
    unset ytics
    plot 'counters.dat' index 2 using (0):1:2:(0):3 with vectors nohead linewidth 1.6 linecolor rgb variable notitle, \
         'counters.dat' index 2 using 2:1:3 with points pointtype 7 pointsize 0.9 linecolor rgb variable notitle
    unset label
    set lmargin at screen 0.8077
    set rmargin at screen 0.9596
    set tmargin at screen 0.8922
    set bmargin at screen 0.6682
    set label 1 "task-clock" at graph 0, graph 1 offset character 0,0.7 left font ",10" textcolor rgb '#1f2328'
    set xrange [0:1.42069e+07]
    set xtics 0,5e+06 format "%.0s%c" font ",9"
    unset ytics
    plot 'counters.dat' index 3 using (0):1:2:(0):3 with vectors nohead linewidth 1.6 linecolor rgb variable notitle, \
         'counters.dat' index 3 using 2:1:3 with points pointtype 7 pointsize 0.9 linecolor rgb variable notitle
    unset label
    set lmargin at screen 0.2885
    set rmargin at screen 0.4404
    set tmargin at screen 0.6018
    set bmargin at screen 0.3779
    set label 1 "batches" at graph 0, graph 1 offset character 0,0.7 left font ",10" textcolor rgb '#1f2328'
    set xrange [0:1.1]
    set xtics 0,0.5 format "%h" font ",9"
    set ytics ("main process x 1 thread" 0, "1 worker x 1 thread" 1, "2 workers x 1 thread" 2, "3 workers x 1 thread" 3, "4 workers x 1 thread" 4, "main process x 2 threads" 5, "1 worker x 2 threads" 6, "2 workers x 2 threads" 7, "3 workers x 2 threads" 8, "4 workers x 2 threads" 9) font ",10" textcolor rgb '#1f2328' scale 0
    plot 'counters.dat' index 4 using (0):1:2:(0):3 with vectors nohead linewidth 1.6 linecolor rgb variable notitle, \
         'counters.dat' index 4 using 2:1:3 with points pointtype 7 pointsize 0.9 linecolor rgb variable notitle
    unset label
    set lmargin at screen 0.4615
    set rmargin at screen 0.6135
    set tmargin at screen 0.6018
    set bmargin at screen 0.3779
    set label 1 "samples" at graph 0, graph 1 offset character 0,0.7 left font ",10" textcolor rgb '#1f2328'
    set xrange [0:1.1]
    set xtics 0,0.5 format "%h" font ",9"
    unset ytics
    plot 'counters.dat' index 5 using (0):1:2:(0):3 with vectors nohead linewidth 1.6 linecolor rgb variable notitle, \
         'counters.dat' index 5 using 2:1:3 with points pointtype 7 pointsize 0.9 linecolor rgb variable notitle
    unset label
    set lmargin at screen 0.6346
    set rmargin at screen 0.7865
    set tmargin at screen 0.6018
    set bmargin at screen 0.3779
    set label 1 "bytes" at graph 0, graph 1 offset character 0,0.7 left font ",10" textcolor rgb '#1f2328'
    set xrange [0:2.59523e+06]
    set xtics 0,1e+06 format "%.0s%c" font ",9"
    unset ytics
    plot 'counters.dat' index 6 using (0):1:2:(0):3 with vectors nohead linewidth 1.6 linecolor rgb variable notitle, \
         'counters.dat' index 6 using 2:1:3 with points pointtype 7 pointsize 0.9 linecolor rgb variable notitle
    unset label
    set lmargin at screen 0.8077
    set rmargin at screen 0.9596
    set tmargin at screen 0.6018
    set bmargin at screen 0.3779
    set label 1 "queue_full" at graph 0, graph 1 offset character 0,0.7 left font ",10" textcolor rgb '#1f2328'
    set xrange [0:0.366667]
    set xtics 0,0.2 format "%h" font ",9"
    unset ytics
    plot 'counters.dat' index 7 using (0):1:2:(0):3 with vectors nohead linewidth 1.6 linecolor rgb variable notitle, \
         'counters.dat' index 7 using 2:1:3 with points pointtype 7 pointsize 0.9 linecolor rgb variable notitle
    unset label
    set lmargin at screen 0.2885
    set rmargin at screen 0.4404
    set tmargin at screen 0.3115
    set bmargin at screen 0.0876
    set label 1 "queue_empty" at graph 0, graph 1 offset character 0,0.7 left font ",10" textcolor rgb '#1f2328'
    set xrange [0:1.1]
    set xtics 0,0.5 format "%h" font ",9"
    set ytics ("main process x 1 thread" 0, "1 worker x 1 thread" 1, "2 workers x 1 thread" 2, "3 workers x 1 thread" 3, "4 workers x 1 thread" 4, "main process x 2 threads" 5, "1 worker x 2 threads" 6, "2 workers x 2 threads" 7, "3 workers x 2 threads" 8, "4 workers x 2 threads" 9) font ",10" textcolor rgb '#1f2328' scale 0
    plot 'counters.dat' index 8 using (0):1:2:(0):3 with vectors nohead linewidth 1.6 linecolor rgb variable notitle, \
         'counters.dat' index 8 using 2:1:3 with points pointtype 7 pointsize 0.9 linecolor rgb variable notitle
    unset label
    set lmargin at screen 0.4615
    set rmargin at screen 0.6135
    set tmargin at screen 0.3115
    set bmargin at screen 0.0876
    set label 1 "head_of_line_waits" at graph 0, graph 1 offset character 0,0.7 left font ",10" textcolor rgb '#1f2328'
    set xrange [0:0.733333]
    set xtics 0,0.5 format "%h" font ",9"
    unset ytics
    plot 'counters.dat' index 9 using (0):1:2:(0):3 with vectors nohead linewidth 1.6 linecolor rgb variable notitle, \
         'counters.dat' index 9 using 2:1:3 with points pointtype 7 pointsize 0.9 linecolor rgb variable notitle
    unset label
    set lmargin at screen 0.6346
    set rmargin at screen 0.7865
    set tmargin at screen 0.3115
    set bmargin at screen 0.0876
    set label 1 "futex_sleeps" at graph 0, graph 1 offset character 0,0.7 left font ",10" textcolor rgb '#1f2328'
    set xrange [0:1.1]
    set xtics 0,0.5 format "%h" font ",9"
    unset ytics
    plot 'counters.dat' index 10 using (0):1:2:(0):3 with vectors nohead linewidth 1.6 linecolor rgb variable notitle, \
         'counters.dat' index 10 using 2:1:3 with points pointtype 7 pointsize 0.9 linecolor rgb variable notitle
    unset label
    set lmargin at screen 0.8077
    set rmargin at screen 0.9596
    set tmargin at screen 0.3115
    set bmargin at screen 0.0876
    set label 1 "voluntary switches" at graph 0, graph 1 offset character 0,0.7 left font ",10" textcolor rgb '#1f2328'
    set xrange [0:2.75]
    set xtics 0,1 format "%h" font ",9"
    unset ytics
    plot 'counters.dat' index 11 using (0):1:2:(0):3 with vectors nohead linewidth 1.6 linecolor rgb variable notitle, \
         'counters.dat' index 11 using 2:1:3 with points pointtype 7 pointsize 0.9 linecolor rgb variable notitle
    unset label
    unset multiplot

    unset output
}
