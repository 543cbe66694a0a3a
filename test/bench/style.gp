# Shared by the plots: terminal, colours, what to read. Expects `folder` (of the CSVs), `format` (png or
# svg), and width and height from the plot. Colours are those of Okabe and Ito (2008), which
# colour-blind readers can tell apart; the balancers that the papers do not have are grey.
open(name, width, height) = sprintf("set terminal %s size %d,%d font '%s,%d' ; set output '%s/%s.%s'", \
    format eq "png" ? "pngcairo" : "svg", width, height, "DejaVu Sans", 11, folder, name, format)

balancers = "plb-hac af plb-hec hdss acosta greedy oracle awf static factoring gss sure hdss+sync greedy+idle"
set linetype 1 lc rgb "#0072B2" lw 2.5 pt 7   # plb-hac
set linetype 2 lc rgb "#A0A0A0" lw 1 pt 6 dt 3   # af
set linetype 3 lc rgb "#D55E00" lw 1.5 pt 5   # plb-hec
set linetype 4 lc rgb "#009E73" lw 1.5 pt 9   # hdss
set linetype 5 lc rgb "#CC79A7" lw 1.5 pt 11  # acosta
set linetype 6 lc rgb "#E69F00" lw 1.5 pt 13  # greedy
set linetype 7 lc rgb "#000000" lw 1.5 pt 1 dt 3 # oracle
set linetype 8 lc rgb "#707070" lw 1 pt 4 dt 2   # awf
set linetype 9 lc rgb "#707070" lw 1 pt 8 dt 4   # static
set linetype 10 lc rgb "#A0A0A0" lw 1 pt 10 dt 2 # factoring
set linetype 11 lc rgb "#A0A0A0" lw 1 pt 12 dt 4 # gss
set linetype 12 lc rgb "#A00000" lw 3 pt 7   # sure
set linetype 13 lc rgb "#009E73" lw 1 pt 8 dt 2   # hdss+sync
set linetype 14 lc rgb "#E69F00" lw 1 pt 12 dt 2  # greedy+idle
number(balancer) = int(system(sprintf("echo %s | tr ' ' '\\n' | grep -nx -- %s | cut -d: -f1", balancers, balancer)))

# The different values of one column, in the order of the file, where all lines contain `part`.
values(file, part, column) = system(sprintf( \
    "grep -e '%s' %s/%s | awk -F, '!seen[$%d]++ {print $%d}' | tr '\\n' ' '", part, folder, file, column, column))
# The lines that match, as a file to plot.
rows(file, match) = sprintf("< grep -e '^%s' %s/%s", match, folder, file)

set datafile separator comma
set encoding utf8
set border 3 lc rgb "#606060"
set tics nomirror
set grid ytics lc rgb "#D8D8D8" lt 1 lw 0.5

# A strip with the names of balancers, from the screen's height y down, as lines or boxes; after all plots.
legend(names, style, y) = "unset title; unset label; unset arrow; unset xlabel; unset ylabel; unset border; unset tics; unset grid; unset logscale; " \
    . sprintf("set lmargin at screen 0.02; set rmargin at screen 0.98; set tmargin at screen %g; set bmargin at screen %g; ", y, y - 0.03) \
    . sprintf("set xrange [0:1]; set yrange [0:1]; set key at screen 0.5, screen %g center top horizontal width 1 samplen 3 maxrows 1; ", y) \
    . "plot NaN notitle, for [i = 1:words('".names."')] keyentry with ".style." lt number(word('".names."', i)) title word('".names."', i)"
