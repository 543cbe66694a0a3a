# gnuplot: met.png beside this file, from galaxies.npy and met.npy.
cd system("dirname '" . ARG0 . "'")
set terminal pngcairo size 900,450 background '#101018'
set output 'met.png'
set multiplot layout 1,2
unset border
unset tics
unset key
set size ratio -1
set lmargin 0; set rmargin 0; set tmargin 0; set bmargin 0
set xrange [-4.2:4.2]
set yrange [-4.2:4.2]
row = '%7float64'
do for [file in "galaxies.npy met.npy"] {
    plot file binary skip=128 format=row using 2:3 every ::1::1998 with points pt 7 ps 0.2 linecolor rgb '#8fc7ff', \
         file binary skip=128 format=row using 2:3 every ::2000::3998 with points pt 7 ps 0.2 linecolor rgb '#ffc58f'
}
