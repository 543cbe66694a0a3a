#!/usr/bin/env bash
# Clusters that showed a defect: the makespan, over the one that the best fixed distribution without noise
# has, is at most this. One seed, equal units; nothing is measured in real time.
. "$(dirname "$0")/../support/lib.sh"

lines "$tmp/j.conf" '[app]' "kernel = $BUILD/test/kernels/random.so"

# cluster NAME LINES...: the file NAME.cluster of these lines.
cluster() { lines "$tmp/$1.cluster" "${@:2}"; }
# pus N PREFIX KEY...: N PUs with these keys.
pus() {
    local n=$1 prefix=$2 i
    for ((i = 1; i <= n; i++)); do printf '%s\n' "[pu $prefix$i]" "${@:3}"; done
}
# names N PREFIX: a node's lines that list them.
names() { seq -f "$2%.0f" "$1" | xargs -n 16 | sed 's/ /, /g; s/^/pus = /'; }

# within LIMIT CLUSTER SETTING...: the makespan of this run is at most LIMIT times the optimum.
within() {
    local limit=$1
    "$PLBRUN" --simulate "$tmp/$2.cluster" --report "$tmp/r.json" "$tmp/j.conf" "${@:3}" >"$tmp/out" 2>&1 \
        && awk -v m="$(field makespan_s)" -v o="$(field optimum_s)" -v limit="$limit" 'BEGIN {
               print m " s, the best takes " o " s"; exit !(m > 0 && o > 0 && m <= limit * o) }' >>"$tmp/out"
    ok "$2, ${*:3}: at most $limit times the optimum" $?
}

# A quick PU that has just heard whom to ask is quicker, all the same, than 64 slow ones that wait.
cluster one-quick '[node slow]' "$(names 64 s)" '[node quick]' 'pus = q' \
    '[pu q]' 'kind = gpu' 'rate = 542.8' 'power = 542.8' 'noise = 0.1' \
    "$(pus 64 s 'rate = 1.0856' 'power = 1.0856' 'noise = 0.1')"
within 1.02 one-quick random.units=2714 random.told=no

# Units on which 64 slow PUs were tried are executed again together: each alone would cost a start of 30 ms.
cluster start '[node n]' 'pus = g' "$(names 64 s)" '[pu g]' 'kind = gpu' 'rate = 1000' 'overhead = 0.03' \
    'power = 1' "$(pus 64 s 'rate = 0.1' 'power = 1')"
within 1.5 start random.units=300

# The shape of matmul 4096 on two like ranks: each task first packs 64 MB, of which no empty task tells.
cluster matmul '[node a]' 'pus = p' '[node b]' 'pus = q' '[pu p]' 'rate = 2560' \
    'replicated_bandwidth = 4.48e9' '[pu q]' 'rate = 2560' 'replicated_bandwidth = 4.48e9'
within 1.001 matmul random.units=4096 random.replicated=67108864 balance.balancer=static balance.migration=off
awk -v s="$(field makespan_s)" 'BEGIN { exit !(s > 0.8149 && s < 0.8151) }'
ok "a task begins with reading the replicated data" $?
# Blocks that are cut so that others may take of them cost two starts more, and not seventy.
simulated() {
    "$PLBRUN" --simulate "$tmp/matmul.cluster" --report "$tmp/r.json" "$tmp/j.conf" random.units=4096 \
        random.replicated=67108864 "$@" >"$tmp/out" 2>&1
    field makespan_s
}
awk -v off="$(simulated balance.balancer=static balance.migration=off)" \
    -v on="$(simulated balance.balancer=static)" \
    'BEGIN { print on, off; exit !(off > 0 && on <= 1.04 * off) }' >>"$tmp/out"
ok "matmul, static: migration costs at most 4 %" $?

# Cheap starts: a short job is not cut into hundreds of tasks, since nobody takes any of them.
cluster short '[node a]' 'pus = p' '[node b]' 'pus = q' '[pu p]' 'rate = 81920' \
    'replicated_bandwidth = 5e10' '[pu q]' 'rate = 81920' 'replicated_bandwidth = 5e10'
within 1.01 short random.units=8192 random.replicated=1000000 balance.balancer=static

# The share of a PU makes up for its error: blocks of a balancer that plans by rates are not cut for others.
one() {
    printf '%s\n' "[node $1]" "pus = p$1" "[pu p$1]" "rate = $2" 'power = 1' 'noise = 0.01' 'overhead = 1e-4'
}
cluster unlike "$(one a 111)" "$(one b 333)" "$(one c 1000)"
tasks() { # SETTING...: of all PUs
    "$PLBRUN" --simulate "$tmp/unlike.cluster" --report "$tmp/r.json" "$tmp/j.conf" random.units=2022 "$@" \
        >"$tmp/out" 2>&1
    sed -n 's/^ *"tasks": *\([0-9]*\),*$/\1/p' "$tmp/r.json" | awk '{ n += $1 } END { print n }'
}
awk -v on="$(tasks)" -v off="$(tasks balance.migration=off)" \
    'BEGIN { print on, off; exit !(off > 0 && on <= 1.8 * off) }' >>"$tmp/out"
ok "sure: migration cuts few blocks" $?

# Without backups, powers that are wrong by 100,000 are answered by what is measured.
cluster powers '[node a]' 'pus = g' '[node b]' 'pus = c' '[pu g]' 'kind = gpu' 'rate = 1000' 'power = 1' \
    'noise = 0.05' '[pu c]' 'rate = 10' 'power = 1000' 'noise = 0.05'
# The same with a PU that can hold nothing: its node's shares follow measured rates all the same.
cluster powers-tiny '[node a]' 'pus = g, t' '[node b]' 'pus = c' '[pu g]' 'kind = gpu' 'rate = 1000' \
    'power = 1' 'noise = 0.05' '[pu c]' 'rate = 10' 'power = 1000' 'noise = 0.05' \
    '[pu t]' 'kind = gpu' 'rate = 1000' 'power = 1' 'memory = 10'
for b in static awf gss greedy factoring; do
    within 1.05 powers random.units=10000 balance.backups=off balance.balancer=$b
    within 1.05 powers-tiny random.units=10000 balance.backups=off balance.balancer=$b
done

# A job of 30 ms on a GPU that is worth its watts, and a CPU. For 3 ms the GPU waits for a core of its busy
# host, and still does most of the job: the CPU alone takes six times the energy.
cpu_and_gpu() { # NAME LINE...: the file NAME.cluster, with these lines of the GPU
    cluster "$1" '[node a]' 'pus = c, g' '[pu c]' 'rate = 3333' 'power = 0.1' 'static_watts = 41' \
        'dynamic_watts = 18' '[pu g]' 'kind = gpu' 'rate = 32630' 'power = 0.9' 'static_watts = 12.5' \
        'dynamic_watts = 54' "${@:2}"
}
joules() { # CLUSTER: with the least energy as the objective
    "$PLBRUN" --simulate "$tmp/$1.cluster" --report "$tmp/r.json" "$tmp/j.conf" random.units=1000 \
        balance.objective=energy >"$tmp/out" 2>&1 && field energy_j
}
cpu_and_gpu quiet
cpu_and_gpu busy 'slow = 0:1000' 'slow = 0.003:1'
awk -v quiet="$(joules quiet)" -v busy="$(joules busy)" \
    'BEGIN { print quiet, busy; exit !(quiet > 0 && busy > 0 && busy <= 1.3 * quiet) }' >>"$tmp/out"
ok "a PU that has waited for a core is not left out" $?

done_testing
