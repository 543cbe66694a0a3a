#!/usr/bin/env bash
# A form of the command for CPUs and one for GPUs. The GPUs are a list in the environment, or those of the
# fake CUDA runtime; the programs are stand-ins.
. "$(dirname "$0")/../support/lib.sh"
if [ -n "${SAN:-}" ]; then
    skip "forms for GPUs" "it is for the normal build" # what auto finds is measured
    done_testing
fi
cd "$tmp" || exit 1
export CUDA_VISIBLE_DEVICES=3,5
unset PLB_CLUSTER_PUS ROCR_VISIBLE_DEVICES HIP_VISIBLE_DEVICES ZE_AFFINITY_MASK

# plb ARGUMENTS...: for programs that wait for others, which a wrong plbrun does not start.
plb() { rm -f at.* ended.*; timeout "$PATIENCE" "$PLBRUN" "$@"; }
# meets NAME N: a program waits until so many have begun, of as many names. after N: until so many have ended.
meets() { echo ": >at.$1; until [ \$(ls at.* | wc -l) -ge $2 ]; do sleep 0.02; done"; }
after() { echo "until [ \$(ls | grep -c '^ended') -ge $1 ]; do sleep 0.02; done"; }

told='$CUDA_VISIBLE_DEVICES,$ROCR_VISIBLE_DEVICES,$HIP_VISIBLE_DEVICES,$ZE_AFFINITY_MASK'
plb -j 1 --range 1-40 --run "$(meets cpu 3); $(after 30); echo 'cpu -' [\$CUDA_VISIBLE_DEVICES]; : {}" \
    --run-gpu "$(meets '{gpu}' 3); echo gpu {gpu} [$told]; : >ended.{}" >stdout 2>out
status=$?
sort -u stdout >kinds
[ $status -eq 0 ] && [ "$(wc -l <stdout)" -eq 40 ] && cmp kinds - <<'K' >>out
cpu - []
gpu 3 [3,3,0,3]
gpu 5 [5,5,0,5]
K
ok "each GPU is a slot of its own, and a CPU's form sees none" $?
[ "$(grep -c gpu stdout)" -ge 30 ]
ok "by their rates most lines are for GPUs" $?
plb -j 2 --range 1-40 --run 'echo cpu {}; : >ended.{}' --run-gpu "$(after 30); echo gpu {}" >stdout 2>out
[ $? -eq 0 ] && [ "$(grep -c cpu stdout)" -ge 30 ]
ok "or for CPUs" $?
"$PLBRUN" --run-gpu 'echo {gpu} {#}' --range 1-9 >stdout 2>out
[ $? -eq 0 ] && [ "$(cut -d ' ' -f 2 stdout | sort -n | xargs)" = "$(seq -s ' ' 9)" ] &&
    ! grep -qv '^[35] ' stdout
ok "without a form for CPUs GPUs do all" $?
plb --per-gpu 2 --range 1-20 --run-gpu "$(meets '{gpu}.{%}' 4); : {}" >/dev/null 2>&1
[ $? -eq 0 ] && [ "$(find . -name "at.*" | wc -l)" -eq 4 ]
ok "several programs at a time share one" $?
seq 9 | "$PLBRUN" -k --serve-gpu 'while read -r x; do echo $((x * x)) $CUDA_VISIBLE_DEVICES; done' \
    >stdout 2>out
[ $? -eq 0 ] && cmp <(cut -d ' ' -f 1 stdout) <(seq 9 | awk '{print $1 * $1}') && ! grep -qv ' [35]$' stdout
ok "a server has its GPU, too" $?

# A line that fails in one form is run by the other, all lines of which may fail.
both=(-j 1 -k --range 1-20 --joblog log)
"$PLBRUN" "${both[@]}" --run 'echo {}' --run-gpu 'sleep 0.02; [ $(({} % 4)) -gt 0 ] && echo {}' >stdout 2>out
[ $? -eq 0 ] && cmp stdout <(seq 20) >>out
ok "what fails on a GPU is done on a CPU" $?
rm -f log*
"$PLBRUN" "${both[@]}" --run 'sleep 0.02; exit 9' --run-gpu 'sleep 0.01; echo {}' >stdout 2>out
[ $? -eq 0 ] && cmp stdout <(seq 20) >>out
ok "and the other way round" $?
# A slot of the form that fails has nothing to do then, and does not keep the other one from its lines. A long
# one is a task of its own.
for nap in 0.02 0.3; do
    rm -f log* ran
    "$PLBRUN" -j 1 -k --range 1-9 --joblog log --run "sleep $nap; echo {} >>ran; echo {}" --run-gpu 'exit 8' \
        >stdout 2>out
    [ $? -eq 0 ] && cmp stdout <(seq 9) >>out && cmp <(sort ran) <(seq 9) >>out && [ "$(wc -l <log)" -eq 10 ]
    ok "a form that always fails leaves all lines to the other, naps of $nap s" $?
done
rm -f log*
"$PLBRUN" "${both[@]}" --run 'exit 9' --run-gpu 'exit 8' >stdout 2>out
[ $? -eq 1 ] && grep -q '^plbrun: 20 of 20 lines failed' out
ok "what fails in both has failed" $?
plb -j 1 --retries 1 --range 1-20 --run "$(meets cpu 2); exit 9" --run-gpu "$(meets gpu 2); echo {}" \
    >stdout 2>out
[ $? -eq 1 ] && grep -q 'lines failed, the first is line' out
ok "--retries 1 leaves it at one form" $?

# Who gave a form for GPUs hears that there is none, unless GPUs were left out on purpose.
warning='^plbrun: warning: no GPU was found for programs, so all lines run on CPUs'
forms=(-j 1 --range 1-3 --run 'echo {}' --run-gpu 'echo gpu {}')
CUDA_VISIBLE_DEVICES='' "$PLBRUN" "${forms[@]}" >stdout 2>out
[ $? -eq 0 ] && cmp <(sort stdout) <(seq 3) && [ "$(grep -c "$warning" out)" -eq 1 ]
ok "a form for GPUs without a GPU is a warning" $?
CUDA_VISIBLE_DEVICES='' "$PLBRUN" "${forms[@]}" cluster.pus=cpu >stdout 2>out
[ $? -eq 0 ] && cmp <(sort stdout) <(seq 3) && ! grep -q "$warning" out &&
    "$PLBRUN" "${forms[@]}" >stdout 2>out && ! grep -q "$warning" out
ok "but not with cluster.pus=cpu, or with GPUs" $?
"$PLBRUN" --dry-run --run 'prog {gpu}' --run-gpu 'prog --on {gpu} {}' ::: 7 >stdout 2>out &&
    "$PLBRUN" --dry-run --run-gpu 'prog --on {gpu} {}' ::: 7 >>stdout 2>>out
[ $? -eq 0 ] && cmp stdout <(printf 'prog \nprog --on {gpu} 7\n') >>out
"$PLBRUN" --run-gpu 'exit {gpu}; : {}' ::: 7 >stdout 2>>out
[ $? -eq 1 ] && grep -q 'the first is line 1: exit {gpu}; : 7: exit status [35]' out
ok "a command that is told names no GPU, which only its slot knows" $?
# No slot waits for slots of the other form that are not there: two slots are at work most of the time.
no_pause() {
    rm -f log*
    CUDA_VISIBLE_DEVICES='' "$PLBRUN" -j 2 --range 1-80 --joblog log --report r.json \
        --run 'sleep 0.03; [ {} -gt 40 ]' --run-gpu 'echo {}' >stdout 2>out
    [ $? -eq 1 ] && grep -q '^plbrun: 40 of 80 lines failed' out &&
        tail -n +2 log | awk -v makespan="$(field makespan_s)" '{s += $4} END {exit !(s > makespan)}'
}
tries no_pause
ok "lines that failed are run again at once where no GPU is" $?
"$PLBRUN" --bar -j 2 --range 1-40 --run 'sleep 0.02; echo cpu' --run-gpu 'sleep 0.02; echo gpu' >stdout 2>out
[ $? -eq 0 ] && grep -qx "lines: $(grep -c cpu stdout) on CPUs, $(grep -c gpu stdout) on GPUs" out
ok "the summary says how many lines ran in each form" $?

# A program that has the GPU for itself, and one that leaves room. It is in C: under load a shell needs so
# long to start that two of them do more than one, even where they take turns.
cat >sim.c <<'S'
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    char name[200];
    const char *gpu = getenv("CUDA_VISIBLE_DEVICES");
    glob_t others;
    if (argc < 2 || gpu == NULL)
        return 9;
    snprintf(name, sizeof name, "lock.%s", gpu);
    int fd = open(name, O_CREAT | O_RDWR, 0666);
    if (strcmp(argv[1], "alone") == 0)
        flock(fd, LOCK_EX);
    snprintf(name, sizeof name, "run.%s.%d", gpu, (int)getpid());
    close(open(name, O_CREAT | O_WRONLY, 0666));
    usleep(300000);
    char all[200];
    snprintf(all, sizeof all, "run.%s.*", gpu);
    int status = glob(all, 0, NULL, &others);
    unlink(name);
    return strcmp(argv[1], "small") == 0 && (status != 0 || others.gl_pathc != 1);
}
S
"${CC:-cc}" -O1 -o sim sim.c
# programs KIND: how many slots were at work on the GPUs in the last third of the run.
programs() {
    rm -f run.* log*
    "$PLBRUN" --per-gpu auto --range 1-70 --joblog log --run-gpu "./sim $1 {} {%}" >stdout 2>out || return 9
    tail -n +2 log | sort -k 3,3n | tail -n 16 | sed 's/.* //' | sort -u | wc -l
}
have() { [ "$(programs "$1")" -eq "$2" ]; }
tries have room 8
ok "auto finds that four programs do more than one" $?
tries have alone 2
ok "and that they do not" $?
p=$(programs small)
[ "$p" -eq 2 ] && ! grep -q . out
ok "and takes fewer where lines fail, without a line that has failed" $?

# A time limit while auto still tries, and slots wait for their turn. Lines that have begun end. Where a busy
# machine needs longer for the begin than the limit, a larger limit is tried.
limited=(--per-gpu auto --range 1-400 --joblog log --run-gpu 'echo {} >>ran; sleep 0.1; echo {}')
for limit in 2 8; do
    rm -f log* ran
    "$PLBRUN" "${limited[@]}" run.time_limit=${limit}s run.grace=${limit}s >stdout 2>out
    status=$?
    [ ! -s ran ] || break
done
[ $status -eq 1 ] && grep -q 'time limit .* was reached' out && cmp <(sort ran) <(sort stdout) &&
    [ -s ran ] && [ "$(wc -l <ran)" -lt 400 ] && cmp <(tail -n +2 log | cut -f 1 | sort) <(sort ran)
ok "auto under a time limit ends the lines that have begun, and begins no other" $?
"$PLBRUN" "${limited[@]}" --resume >>stdout 2>out
[ $? -eq 0 ] && cmp <(sort -n stdout) <(seq 400) && cmp <(sort -n ran) <(seq 400)
ok "and --resume runs the others" $?
for limit in 1 4 16; do
    : >ran
    timeout 100 "$PLBRUN" --per-gpu auto --range 1-9 run.time_limit=${limit}s run.grace=0.1s \
        --run-gpu 'echo {} >>ran; exec sleep 98765.'$$ >stdout 2>out
    status=$?
    [ "$(wc -l <ran)" -lt 2 ] || break
done
[ $status -eq 1 ] && [ "$(wc -l <ran)" -eq 2 ] && [ ! -s stdout ] && ! pgrep -xf "sleep 98765.$$" >/dev/null
ok "also where one program on each GPU does not end, and slots wait behind it" $?

fake=$BUILD/test/fake-cuda
if [ -e "$fake/libcudart.so.13" ]; then
    unset CUDA_VISIBLE_DEVICES
    libraries=$fake${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
    LD_LIBRARY_PATH=$libraries PLB_FAKE_CUDA=devices=3 plb --range 1-30 \
        --run-gpu "$(meets '{gpu}' 3); echo {gpu} \$CUDA_VISIBLE_DEVICES; : {}" >stdout 2>out
    [ $? -eq 0 ] && cmp <(sort -u stdout) <(printf '%d %d\n' 0 0 1 1 2 2) >>out
    ok "GPUs that CUDA finds" $?
    LD_LIBRARY_PATH=$libraries PLB_FAKE_CUDA=devices=3 CUDA_VISIBLE_DEVICES=2,0 plb --range 1-30 \
        --run-gpu "$(meets '{gpu}' 2); echo {gpu}; : {}" >stdout 2>out
    [ $? -eq 0 ] && [ "$(sort -u stdout | xargs)" = '0 2' ]
    ok "of those that the environment lists" $?
    rm -f at.*
    # shellcheck disable=SC2086 # several words
    LD_LIBRARY_PATH=$libraries PLB_FAKE_CUDA=devices=2 timeout "$PATIENCE" mpirun $MPIRUN_OPTIONS -np 2 \
        "$PLBRUN" --range 1-30 --run-gpu "$(meets '{gpu}' 2); echo {gpu} \$PPID; : {}" >stdout 2>out
    [ $? -eq 0 ] && [ "$(sort -u stdout | wc -l)" -eq 2 ]
    ok "two ranks of a host share them out" $?
else
    skip "GPUs that CUDA finds" "the fake CUDA runtime is not built"
fi
export CUDA_VISIBLE_DEVICES=
"$PLBRUN" --run-gpu 'echo {}' ::: a >out 2>&1
[ $? -eq 2 ] && grep -q 'no GPU was found for programs, and CPUs are to run none; add --run' out
ok "refused: no GPU" $?
"$PLBRUN" -k --run 'echo cpu {}' --run-gpu 'echo gpu {}' ::: a b >stdout 2>out
[ $? -eq 0 ] && cmp stdout <(printf 'cpu a\ncpu b\n') >>out
ok "where there is none, the other form does all" $?
for wrong in 0 x 65; do
    "$PLBRUN" --per-gpu $wrong --run-gpu true ::: a >out 2>&1
    [ $? -eq 2 ] && grep -q "per_gpu = $wrong: expected a number from 1 to 64, or auto" out
    ok "refused: per-gpu $wrong" $?
done
"$PLBRUN" --per-gpu 2 --run true ::: a >out 2>&1
[ $? -eq 2 ] && grep -q 'name one with command.run_gpu' out
ok "refused: programs for GPUs without a command" $?
done_testing
