#!/usr/bin/env bash
# Something of a run of --run, --serve or --run-gpu is killed at a random moment: no line is lost, and none is
# twice in the output. PLB_ROUNDS rounds of each form (default 3); SEED (default 1) seeds the moments. A round
# that was wrong keeps its output as $PLB_EVIDENCE/FORM.ROUND.*, where that folder is named.
# test/run: alone
# test/run: ranks and programs are lost.
. "$(dirname "$0")/../support/lib.sh"
[ -z "${SAN:-}" ] || { skip "lines survive" "signals and times, not memory"; done_testing; }
cd "$tmp" || exit 1
rounds=${PLB_ROUNDS:-3} RANDOM=${SEED:-1} lines=60

# A program for a line. Those that run now are listed in `here`, each as a file named by its process.
mkdir here
cat >sim <<'S'
#!/bin/sh
: >"here/$$"
sleep 0.0$(($1 % 7 + 2))
echo "$1"
rm -f "here/$$"
S
cat >server <<'S'
#!/bin/sh
: >"here/$$"
while read -r x; do
    sleep 0.0$((x % 7 + 2))
    echo "$x"
done
rm -f "here/$$"
S
chmod +x sim server

# pause: a random part of about the time of the run, which is $span seconds.
pause() { sleep "$(awk -v r="$RANDOM" -v s="$span" 'BEGIN { print s * r / 32768 }')"; }
# shoot PID: kills a process, and counts that, unless it has ended.
shoot() {
    [ -n "$1" ] && kill -KILL "$1" 2>/dev/null && hits=$((hits + 1))
}
# shoot_one: one of the programs that run.
shoot_one() {
    local all
    mapfile -t all < <(ls here)
    [ ${#all[@]} -gt 0 ] && shoot "${all[RANDOM % ${#all[@]}]}"
}
# several N ARGUMENTS...: plbrun on N ranks in the background, as failures.md says.
several() {
    timeout 120 mpirun --enable-recovery --oversubscribe --bind-to none -np "$1" "$PLBRUN" "${@:2}" \
        >stdout 2>out &
    run=$!
}
# one ARGUMENTS...: the same of one rank, whose process is $run.
one() {
    "$PLBRUN" "$@" >stdout 2>out &
    run=$!
}

# Each form: what is begun, and what is killed once lines run. Its status is that of the run.
rank_dies() {
    several 3 -j 2 --run './sim {}' --range 1-$lines
    soon_here && pause
    shoot "$(process_of $((RANDOM % 2 + 1)))"
    wait $run
    [ -s stdout ] # mpirun has a status of its own where a rank is lost
}
server_dies() {
    one -j 3 --serve ./server --retries 3 --range 1-$lines
    soon_here && pause
    shoot_one
    wait $run
}
gpu_form_dies() {
    one -j 1 --run './sim {}' --run-gpu './sim {}' --retries 3 --range 1-$lines
    soon_here && pause
    shoot_one
    wait $run
}
rank0_dies() {
    local resumed=(-k -j 2 --joblog log --run './sim {}' --range "1-$lines") tries=0
    rm -f log*
    one "${resumed[@]}"
    soon_here && pause
    shoot $run
    wait $run 2>/dev/null
    cp stdout before
    until one "${resumed[@]}" --resume && wait $run; do
        tries=$((tries + 1))
        [ $tries -lt 3 ] || return
    done
    cat before stdout >both && mv both stdout
    cmp <(tail -n +2 log | cut -f 1) <(seq $lines) >>out && cmp stdout <(seq $lines) >>out
}
soon_here() { soon eval '[ -n "$(ls here)" ]'; }

# survives NAME FORM SECONDS: so many rounds of it, of a run of about so many seconds.
survives() {
    local right=0 i status
    span=$3 hits=0
    for ((i = 0; i < rounds; i++)); do
        rm -rf here/* stdout
        "$2" && cmp <(sort -n stdout) <(seq $lines) >>out
        status=$?
        right=$((right + (status == 0)))
        if [ $status -ne 0 ] && [ -n "${PLB_EVIDENCE:-}" ]; then
            for f in stdout out log; do [ ! -e $f ] || cp $f "$PLB_EVIDENCE/$2.$i.$f"; done
        fi
    done
    echo "# $1: $right of $rounds rounds were right; $hits times something was hit before its end"
    [ $right -eq "$rounds" ] && [ $hits -ge 1 ]
    ok "$1" $?
}
if mpirun --version 2>/dev/null | grep -q 'Open MPI) 4'; then
    survives "a rank of three is killed" rank_dies 0.6
else
    skip "a rank of three is killed" "this mpirun is not Open MPI 4"
fi
survives "a server is killed" server_dies 1
unset PLB_CLUSTER_PUS
export CUDA_VISIBLE_DEVICES=0,1 # stand-ins
survives "a program of CPUs or GPUs is killed" gpu_form_dies 1
export CUDA_VISIBLE_DEVICES=
survives "rank 0 is killed, and --resume goes on" rank0_dies 1.5
done_testing
