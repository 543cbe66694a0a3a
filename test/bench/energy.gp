# Figures 2 to 4 of Stafford et al. (2017): time, energy and their product over the CPU's share, for each
# machine and benchmark, as parts of the GPU's alone. Points are the shares that plbrun finds, and triangles
# real runs with static shares, where watts.csv has them.
load "test/bench/style.gp"
machines = "Kepler_324 Kepler_758 GTX950"
benchmarks = "Binomial NBody Mandelbrot Taylor"
COLOURS = "#0072B2 #D55E00 #009E73 #CC79A7"
metrics = "time energy energy_times_delay"
eval open("energy", 1300, 1050)
plain(name) = system("echo ".name." | tr _ ' '")
alone(m, b, column) = system(sprintf("grep -e '^%s,%s,0.00,' %s/energy.csv | cut -d, -f%d", m, b, folder, column)) + 0.0
runs = "kepler-324-mandelbrot kepler-758-binomial gtx950-taylor"
of_benchmark = "3 1 4"
ran = system(sprintf("[ ! -e %s/watts.csv ] || echo yes", folder)) eq "yes"
equation(name, column) = system(sprintf("grep -e '^%s,static,' %s/watts.csv | head -n 1 | cut -d, -f%d", name, folder, column)) + 0.0
# Seconds, joules or both of a run, as a part of what the equations say of the GPU alone.
part(c, name) = (c == 2 ? 1 : column(4) / equation(name, 10)) * (c == 1 ? 1 : column(7) / equation(name, 11))
set multiplot layout 3, 3
set xrange [0:1]
set logscale y
set key top left
do for [c = 1:3] {
    do for [i = 1:3] {
        m = plain(word(machines, i))
        set title m.", ".plain(word(metrics, c))
        set xlabel (c == 3 ? "share of the CPU" : "")
        plot for [b = 1:4] rows("energy.csv", m.",".word(benchmarks, b).",") \
                 using 3:(column(3 + c) / alone(m, word(benchmarks, b), 3 + c)) \
                 with lines lc rgb word(COLOURS, b) lw 1.5 title word(benchmarks, b), \
             for [b = 1:4] rows("energy-best.csv", sprintf("%s,%s,%d,", m, word(benchmarks, b), c - 1)) \
                 using 4:($5 / alone(m, word(benchmarks, b), 3 + c)) \
                 with points pt 7 ps 1.3 lc rgb word(COLOURS, b) notitle, \
             for [r = 1:(ran ? 1 : 0)] rows("watts.csv", word(runs, i).",static,") \
                 using 3:(part(c, word(runs, i))) \
                 with points pt 8 ps 1.5 lc rgb word(COLOURS, int(word(of_benchmark, i))) notitle
    }
}
unset multiplot
