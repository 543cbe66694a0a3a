#!/usr/bin/env bash
# Runs what examples/papers/RESULTS.md is made of, in parts, and writes its tables and plots anew.
# Usage: test/bench/results.sh FOLDER simulated|real|page [PIECE...]
#
# simulated: what runs in virtual time, some five minutes of a core, whatever else the machine does
# real:      processes, three runs of each (RUNS), on a machine with nothing else to do, some six minutes
# page:      the tables from what is in FOLDER, each between two comments of the page that name it
#
# Pieces are those of the list below; without any, all of a part are run. FOLDER gets what the benches write,
# and with each piece how it came about: PIECE.origin.
set -euo pipefail
usage="usage: test/bench/results.sh FOLDER simulated|real|page [PIECE...]"
folder=$(realpath -m "${1:?$usage}") part=${2:?$usage}
shift 2
cd "$(dirname "$0")/../.."
: "${PLBRUN:=$PWD/plbrun}" "${BUILD:=$PWD/build}" "${RUNS:=3}"
export PLBRUN BUILD RUNS
page=examples/papers/RESULTS.md
simulated=(papers quiet readings one-gpu adaptation growth energy)
real=(solver curves ranks-1 ranks-2 li-small li-512 li-1024-regular li-1024-sparse li-barrier watts)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# The command of a piece, and the file in FOLDER that gets what it prints.
choose() {
    local in="\$FOLDER"
    output=$1.txt
    case $1 in
    papers) command="build/bench/papers $in" ;;
    quiet) command="build/bench/papers $in/quiet \"\" 1 0" output=quiet/papers.txt ;;
    readings) command="build/bench/papers $in/readings \"\" 3 - readings" output=readings/papers.txt ;;
    one-gpu) command="build/bench/papers $in/one-gpu \"\" 10 - one-gpu" output=one-gpu/papers.txt ;;
    adaptation) command="build/bench/adaptation $in" ;;
    growth) command="build/bench/growth $in 1000" ;;
    energy) command="build/bench/energy examples/energy $in" ;;
    solver) command="build/bench/solver" ;;
    curves) command="test/bench/curves.sh $in" ;;
    ranks-1) command="test/bench/real.sh $in/ranks-1 $RUNS greedy greedy+idle hdss hdss+sync" ;;
    ranks-2) command="test/bench/real.sh $in/ranks-2 $RUNS acosta plb-hec plb-hac sure" ;;
    li-*) command="examples/li-table5/run.sh ${1#li-}" ;;
    watts) command="test/bench/watts.sh $in $RUNS" ;;
    *) echo "results.sh: there is no piece '$1'; there are ${simulated[*]} ${real[*]}" >&2 && exit 2 ;;
    esac
}
machine() {
    lscpu | awk -F': *' '/^CPU\(s\)/ { n = $2 } /^Model name/ { name = $2 }
                         END { printf "%d cores of %s", n, name }'
}
piece() {
    local began=$SECONDS commit where
    choose "$1"
    # The last one that changed what the benches run.
    commit=$(git log -1 --format=%h -- balancers hostfiles kernels runtime 2>/dev/null)
    git diff --quiet HEAD -- balancers hostfiles kernels runtime 2>/dev/null || commit+=" with changes"
    [[ " ${real[*]} " = *" $1 "* ]] && where=$(machine) || where="virtual time"
    echo "$1: $command"
    FOLDER=$folder bash -c "$command" >"$tmp/output"
    mv "$tmp/output" "$folder/$output"
    printf '| %s | `%s` | %s | %s | %s | %d s |\n' "$1" "${command//\$FOLDER/FOLDER}" \
        "${commit:-an archive}" "$where" "$(date -u +%F)" $((SECONDS - began)) >"$folder/$1.origin"
}
case $part in
simulated) pieces=("${simulated[@]}") ;;
real) pieces=("${real[@]}") ;;
page) pieces=() ;;
*) echo "$usage" >&2 && exit 2 ;;
esac
[ $# -eq 0 ] || pieces=("$@")
mkdir -p "$folder"/{quiet,readings,one-gpu,ranks-1,ranks-2}
for p in "${pieces[@]}"; do piece "$p"; done
[ "$part" = page ] || exit 0

for p in "${simulated[@]}" "${real[@]}"; do
    [ -e "$folder/$p.origin" ] || { echo "results.sh: $folder has no $p; run its part first" >&2; exit 1; }
done
join() { cat "$folder/ranks-1/$1" && sed "1,$2d" "$folder/ranks-2/$1"; } # NAME and the lines of its head
join real.csv 1 >"$folder/real.csv"
join real.md 2 >"$folder/real.md"
head -n 2 "$folder/li-small.txt" >"$folder/li.txt"
for p in small 1024-regular 1024-sparse 512 barrier; do
    sed '1,2d; $d' "$folder/li-$p.txt"
done >>"$folder/li.txt"
tail -n 1 "$folder/li-512.txt" >>"$folder/li.txt"
# The size, 0 or 1 with migration, both GPUs' times, the total, its least and its most.
awk '$2 == "sparse" || $1 == "A4xB4" {
         on = $0 ~ /migration on/
         size = $1 == "A4xB4" ? 1024 : 512
         match($0, /migration (on|off) */)
         split(substr($0, RSTART + RLENGTH), v, " ")
         split(v[10], range, "–")
         print size "," on "," v[1] "," v[2] "," v[5] "," range[1] "," range[2]
     }' "$folder/li.txt" >"$folder/li.csv"
test/bench/papers.sh "$folder"
# put NAME [PAGE]: the lines between NAME's two comments become those of standard input.
put() {
    local page=${2:-$page}
    cat >"$tmp/part"
    grep -q "^<!-- $1 -->$" "$page" || { echo "results.sh: $page has no table '$1'" >&2; exit 1; }
    awk -v name="$1" -v part="$tmp/part" '
        $0 == "<!-- end of " name " -->" { inside = 0 }
        !inside { print }
        $0 == "<!-- " name " -->" {
            inside = 1
            while ((getline line < part) > 0) print line
        }' "$page" >"$tmp/page"
    cp "$tmp/page" "$page"
}
{
    echo "| part | command | commit | machine | date | took |"
    echo "|---|---|---|---|---|---|"
    for p in "${simulated[@]}" "${real[@]}"; do cat "$folder/$p.origin"; done |
        awk -F' *[|] *' '{ print; all += $7 }
                         END { printf "| all | `make bench-results` | | | | %d s |\n", all }'
} | put origins
seeds=$(sed -n '1s/.*mean of \([0-9]*\) seeds.*/\1/p' "$folder/papers.txt")
numbers() { # PART: what is made of cells
    awk -v part="$1" -v seeds="$seeds" \
        -f <(cat test/bench/results{_rows,_both,_shares,_idle,_hec,_hac,}.awk) \
        "$folder"/{cells,shares,quiet/cells,readings/cells,real,one-gpu/cells,one-gpu/shares}.csv
}
texts() { # PART: what is made of printed lines
    awk -v part="$1" -f test/bench/results_rows.awk -f test/bench/results_text.awk \
        "$folder"/{solver,adaptation,li,energy}.txt "$folder"/{watts,real}.csv
}
for name in set-up hec-why order ahead judged-why readings readings-why; do numbers $name | put $name; done
{ numbers hec && texts solver | sed 1,2d; } | put hec
{ numbers hac && texts adapts | sed 1,2d; } | put hac
for name in adapts-why li li-why real-why stafford; do texts $name | put $name; done
sed -n '/^sure within/,$ s/^/- /p' "$folder/papers.txt" | put judged # its last lines
{
    echo "| PUs | balancer | makespan over the optimum | blocks | master, µs per block | messages per PU |"
    echo "|---|---|---|---|---|---|"
    awk -F, 'NR > 1 { printf "| %d | `%s` | %.3f | %d | %.1f | %.0f |\n", $1, $2, $4, $5, $6, $7 / $1 }' \
        "$folder/growth.csv"
} | put growth
{
    echo "| PUs | makespan, data in rank 0's memory | makespan, data in files | of its optimum |"
    echo "|---|---|---|---|"
    awk -F, '$2 != "sure" { next }
             FNR == NR { memory[$1] = $3; next }
             { slow = $1 in memory ? sprintf("%.2f s", memory[$1]) : ""
               printf "| %d | %s | %.2f s | %.3f |\n", $1, slow, $3, $4 }' \
        "$folder/growth.csv" "$folder/growth-files.csv"
} | put growth-files
awk -F, '$2 != "sure" { next }
         FNR == NR { memory[$1] = $3; next }
         $1 in memory && limit == "" && memory[$1] > 1.1 * $3 { limit = $1 }
         END { if (limit == "") print "No link is the limit here."
               else printf "Rank 0\047s link is the limit from %d PUs on. In files it is not.\n", limit }' \
    "$folder/growth.csv" "$folder/growth-files.csv" | put growth-why
put real <"$folder/real.md"
awk -f test/bench/results_outcome.awk $page | put outcome
{
    echo '```'
    cat "$folder/li.txt"
    echo '```'
} | put table5 examples/li-table5/README.md
for plot in speedup-plb-{hec,hac} {shares,idle}-plb-hac one-gpu/{shares,idle}-plb-hec adaptation growth \
    growth-files energy curves li; do
    [ ! -e "$folder/$plot.png" ] || cp "$folder/$plot.png" examples/papers/
done
