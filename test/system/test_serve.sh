#!/usr/bin/env bash
# Servers: each line is answered once, whatever ends them.
. "$(dirname "$0")/../support/lib.sh"
cd "$tmp" || exit 1
seq 1 200 >cases
lines echo.sh 'echo x >>starts' 'while read -r l; do echo "<$l>"; echo "err $l" >&2; done' \
    'echo "over $PWD" >&2'
sed 's/.*/<&>/' cases >right

# run N ARGUMENTS...: like ranks, but standard output goes to $tmp/stdout.
run() {
    local n=$1; shift
    # shellcheck disable=SC2086 # several words
    timeout 120 mpirun $MPIRUN_OPTIONS -np "$n" "$PLBRUN" "$@" >stdout 2>out
}

for n in $(counts 1 3); do
    rm -f starts
    run "$n" -k -j 2 --serve 'sh echo.sh' --lines cases --joblog log
    [ $? -eq 0 ] && cmp stdout right && cmp <(grep '^err' out | sort) <(sed 's/^/err /' cases | sort) &&
        [ "$(wc -l <starts)" -le $((2 * n)) ] && [ "$(grep -c '^over' out)" -eq "$(wc -l <starts)" ] &&
        cmp <(cut -f 1,5- log | tail -n +2) \
            <(awk '{ printf "%d\t%d\t%d\t0\t0\t%s\n", $1, length + 1, length + 3, $1 }' cases)
    ok "a server for each slot at most reads all lines, and the joblog has them: $n ranks" $?
    rm -f log log.journal
done
"$PLBRUN" -k --serve "awk -W interactive '{ print \$1; print \"END\"; fflush() }' 2>/dev/null" \
    --answer-end END --lines cases >stdout 2>out
[ $? -eq 0 ] && cmp stdout cases
ok "a script for a shell, whose answers have an end of their own" $?

# A batch begins with the number of its lines. One line has the server end.
lines batch.sh 'while read -r n; do got=' 'for i in $(seq "$n"); do read -r l; got="$got $l"; done' \
    'case " $got " in *" 77 "*) echo x >>deaths; exit 4 ;; esac' \
    'for l in $got; do echo "$l $n"; done; done'
run 2 -k -j 1 --serve 'bash batch.sh' --serve-batch --lines cases
[ $? -eq 1 ] && cmp <(cut -d ' ' -f 1 stdout) <(grep -vx 77 cases) && [ "$(wc -l <deaths)" -ge 2 ] &&
    [ "$(cut -d ' ' -f 2 stdout | sort -n | tail -n 1)" -gt 1 ] &&
    grep -q '1 of 200 lines failed, the first is line 77: 77: its server ended with exit status 4' out
ok "lines come in batches, and one that ends its servers is found among them and named" $?

# Lines 20 and 120 kill their server whenever they come, line 60 once, line 90 is too slow.
lines die.sh 'while read -r l; do case $l in 20 | 120) echo "$l" >>killed; kill -KILL $$ ;;' \
    '60) [ -e once ] || { : >once; exit 0; } ;; 90) sleep 98 ;; esac; echo "$l"; done'
run 2 -k -j 2 --serve 'sh die.sh' --lines cases --timeout 2s --joblog log
[ $? -eq 1 ] && cmp stdout <(grep -vxE '20|90|120' cases) && [ "$(sort killed | uniq -c | tr -s ' ')" = \
    "$(printf ' 2 120\n 2 20')" ] && grep -q '^plbrun: 3 of 200 lines failed, the first is line 20' out &&
    [ "$(awk -F '\t' 'NR > 1 && ($7 != 0 || $8 != 0) { printf "%d %d %d,", $1, $7, $8 }' log)" = \
        '20 0 9,90 -1 15,120 0 9,' ]
ok "lines that kill two servers, or are too slow twice, are set aside; all others are answered once" $?
rm -f log*

# Somebody kills servers.
lines slow.sh 'echo $$ >>pids' 'while read -r l; do sleep 0.01; echo "<$l>"; done'
run 2 -k -j 1 --serve 'sh slow.sh' --lines cases --retries 5 &
job=$!
for ((i = 0; i < 6; i++)); do
    soon [ -s pids ] && kill -KILL "$(tail -n 1 pids)" 2>/dev/null
    sleep 0.1
done
wait $job && cmp stdout right
ok "servers that are killed are started again, and no line is lost or answered twice" $?

# The only rank is killed, and goes on.
rm -f pids log*
"$PLBRUN" -k -j 1 --serve 'sh slow.sh' --lines cases --joblog log >stdout 2>out &
run=$!
soon eval '[ "$(cat log 2>/dev/null | wc -l)" -ge 20 ]' && kill -KILL $run
wait $run 2>/dev/null
[ $? -eq 137 ] && [ "$(wc -l <stdout)" -lt 200 ] && soon eval '! kill -0 "$(cat pids)" 2>/dev/null' &&
    "$PLBRUN" -k -j 1 --serve 'sh slow.sh' --lines cases --joblog log --resume >>stdout 2>out &&
    cmp stdout right && [ "$(wc -l <log)" -eq 201 ]
ok "a server ends with its rank, and with --resume the run goes on" $?
rm -f log*

printf 'two\nlines\0one\0' >nul
"$PLBRUN" -k -0 --serve 'stdbuf -o0 cat' --lines nul >stdout 2>out && cmp stdout nul &&
    "$PLBRUN" -k -0 --run 'printf "[%s]" {}' --lines nul >stdout 2>out && [ "$(cat stdout)" = '[two
lines][one]' ]
ok "with -0 lines end with NUL, and so do answers" $?

lines late.sh 'cat' 'sleep 1.5; echo ended >>ends'
run 2 -k -j 1 --serve 'sh late.sh' --lines cases run.lost_after=0.5
[ $? -eq 0 ] && cmp stdout cases && [ "$(wc -l <ends)" -ge 1 ] && [ ! -s out ]
ok "a server has time to end, and its rank lives meanwhile" $?
"$PLBRUN" -k -j 1 --serve 'sh late.sh' --range 1-3 --grace 0.1s >stdout 2>out
[ $? -eq 0 ] && grep -q 'did not end within --grace' out
ok "but no more than --grace" $?

# Of two ranks only one can serve.
run 2 -k -j 1 --serve '[ -e go.$PPID ] || { mkdir bad 2>/dev/null && echo $PPID >bad/ppid; }
    [ "$(cat bad/ppid)" = $PPID ] && { echo no licence >&2; exit 6; }; exec sh slow.sh' --lines cases
[ $? -eq 0 ] && cmp stdout right && grep -q '3 servers ended without an answer, status 6: no licence' out
ok "a rank that cannot serve leaves, and says why" $?
"$PLBRUN" -j 1 --serve 'sh -c "echo broken >&2; exit 2"' --lines cases >stdout 2>out
[ $? -eq 1 ] && grep -q '3 servers ended without an answer, status 2: broken' out
ok "where nobody can, the run fails" $?
"$PLBRUN" -k --serve 'sh -c "while read l; do echo 1; echo 2; done"' --lines cases >stdout 2>out
[ $? -eq 1 ] && grep -q 'each answer is one line, or ends as --answer-end says' out
ok "a server that writes two lines for one is noticed" $?

# sentence NAME PATTERN ARGUMENTS...: refused before work begins.
sentence() {
    "$PLBRUN" "${@:3}" >out 2>&1 </dev/null
    [ $? -eq 2 ] && [ "$(wc -l <out)" -eq 1 ] && grep -qE "^plbrun: .*$2" out
    ok "refused: $1" $?
}
sentence "a server that does not exist" 'command.serve: program nosuch in PATH was not found' --serve nosuch \
    --range 1-2
sentence "both" 'command.run and command.serve exclude each other' --serve cat --run true --range 1-2
sentence "an end without a server" 'command.answer_end is for servers' --run true --answer-end x --range 1-2
sentence "no time" 'timeout = 9 weeks is not a time such as 90s' --run true --timeout '9 weeks' --range 1-2

# A server reads a batch, and ends on line 57 before it has answered any. Its lines are sent alone, however
# long a new server needs to start: none of them gets into another batch.
rm -f tried
# shellcheck disable=SC2016 # the server's own variables
"$PLBRUN" -j 1 --range 1-80 --serve-batch --serve 'sleep 0.4
    while read -r n; do
        lines=; while [ "$n" -gt 0 ]; do read -r x; lines="$lines $x"; n=$((n - 1)); done
        echo "$lines" >>tried
        case "$lines " in *" 57 "*) exit 3;; esac
        for x in $lines; do echo "$x"; done
    done' >stdout 2>out
[ $? -eq 1 ] && grep -q '^plbrun: 1 of 80 lines failed, the first is line 57: ' out &&
    [ "$(grep -cw 57 tried)" -le 3 ] && cmp <(sort -n stdout) <(seq 80 | grep -vx 57)
ok "lines of a lost batch stay alone while servers start slowly" $?
done_testing
