#!/usr/bin/env bash
# Draws what the benches left in FOLDER, as far as it is there, as PNG
# and SVG. Usage: test/bench/papers.sh FOLDER
set -euo pipefail
folder=$(realpath "${1:?usage: test/bench/papers.sh FOLDER}")
cd "$(dirname "$0")/../.."
if ! command -v gnuplot >/dev/null; then
    echo "papers.sh: the numbers are in $folder/*.csv; for plots of them run scripts/install-deps --bench," \
        "which installs gnuplot, and test/bench/papers.sh $folder"
    exit 0
fi

# draw SCRIPT [SETTINGS]: in both formats. The settings are gnuplot assignments.
draw() {
    local format
    for format in png svg; do
        gnuplot -e "folder='$folder'; format='$format'; ${2:-}" "test/bench/$1.gp"
    done
}
has() { [ -e "$folder/$1.csv" ] && grep -q "^$2" "$folder/$1.csv"; }

for family in plb-hec plb-hac; do
    if [ $family = plb-hec ]; then
        idle='hdss+sync hdss acosta plb-hec sure' shares='oracle hdss+sync acosta plb-hec'
    else
        idle='hdss+sync hdss plb-hac sure' shares='oracle hdss+sync plb-hac'
    fi
    has cells $family- || continue
    from=$folder
    if [ $family = plb-hec ] && has one-gpu/cells $family-; then from+=/one-gpu; fi
    draw speedup "family='$family'"
    draw idle "family='$family'; compared='$idle'; folder='$from'"
    draw shares "family='$family'; compared='$shares'; folder='$from'"
done
! has adaptation whole || draw adaptation
! has growth '[0-9]' || draw growth
! has growth '[0-9]*,sure' || ! has growth-files '[0-9]*,sure' || draw growth-files
[ ! -e "$folder/energy.csv" ] || draw energy
[ ! -e "$folder/curves.csv" ] || draw curves
[ ! -e "$folder/li.csv" ] || draw li
! has ratios '[0-9]' || draw random
echo "plots: $folder/*.png and *.svg"
