#!/usr/bin/env bash
# --resume-failed: lines that failed run again, alone, and their outputs take the place of the earlier ones.
. "$(dirname "$0")/../support/lib.sh"
cd "$tmp" || exit 1

# Lines 3 and 6 fail while there is no file `go`. Each line says that it ran.
cat >sim <<'END'
#!/bin/sh
echo "$1" >>ran
case $1 in 3|6) [ -e go ] || { echo "bad$1"; exit 4; };; esac
echo "good$1"
END
chmod +x sim

# fails ARGUMENTS...: a run of six lines ends with two that failed.
fails() {
    rm -f log* ran go made
    "$PLBRUN" --joblog log --range 1-6 --run './sim {}' "$@" >stdout 2>out
    [ $? -eq 1 ] && grep -q '^plbrun: 2 of 6 lines failed, the first is line 3: .*: exit status 4' out
}
# again STATUS ARGUMENTS...: --resume-failed ends with the status, and `ran` has the lines that it ran.
again() {
    local status=$1 is; shift
    : >ran
    "$PLBRUN" --joblog log --range 1-6 --run './sim {}' "$@" --resume-failed >printed 2>out
    is=$?
    [ $is -eq "$status" ]
}
# logged STATUS...: the exit statuses in the joblog, by line, each line once.
logged() { [ "$(sed 1d log | sort -n | cut -f 1,7 | xargs)" = "$*" ]; }

for order in '' -k; do
    # shellcheck disable=SC2086 # no word, or one
    fails $order && [ "$(sort stdout | xargs)" = 'bad3 bad6 good1 good2 good4 good5' ] &&
        again 1 $order && [ "$(sort ran | xargs)" = '3 6' ] && [ "$(sort printed | xargs)" = 'bad3 bad6' ] &&
        grep -q '^plbrun: 2 of 6 lines failed' out && logged 1 0 2 0 3 4 4 0 5 0 6 4
    ok "failed lines run again, alone, and may fail again${order:+, in order}" $?
    : >go
    # shellcheck disable=SC2086 # no word, or one
    again 0 $order && [ "$(sort ran | xargs)" = '3 6' ] && [ "$(sort printed | xargs)" = 'good3 good6' ] &&
        logged 1 0 2 0 3 0 4 0 5 0 6 0
    ok "or end well, and the joblog says so${order:+, in order}" $?
    # shellcheck disable=SC2086 # no word, or one
    again 0 $order && [ ! -s ran ] && [ ! -s printed ] &&
        [ "$(echo log*)" = 'log log.journal' ]
    ok "then nothing is left, but the joblog and its journal${order:+, in order}" $?
done

fails && : >ran && ! "$PLBRUN" --joblog log --range 1-6 --run './sim {}' --resume >printed 2>&1 &&
    [ ! -s ran ]
ok "--resume leaves failed lines as they are" $?

# Their outputs take the place of the earlier ones.
fails --retries 2 command.stdout=made && [ "$(sort ran | xargs)" = '1 2 3 3 4 5 6 6' ] &&
    [ "$(xargs <made)" = 'good1 good2 bad3 good4 good5 bad6' ]
ok "all tries fail" $?
again 1 --retries 2 command.stdout=made && [ "$(sort ran | xargs)" = '3 3 6 6' ] &&
    [ "$(xargs <made)" = 'good1 good2 bad3 good4 good5 bad6' ]
ok "lines have all their tries again" $?
: >go
again 0 --retries 2 command.stdout=made && [ "$(sort ran | xargs)" = '3 6' ] &&
    [ "$(xargs <made)" = 'good1 good2 good3 good4 good5 good6' ] && logged 1 0 2 0 3 0 4 0 5 0 6 0
ok "a file of outputs is whole" $?

# Line 6 waits for `end` here, and the run is killed meanwhile.
cat >sim <<'END'
#!/bin/sh
echo "$1" >>ran
case $1 in
3) [ -e go ] || exit 4;;
6) until [ -e end ]; do sleep 0.02; done;;
esac
echo "good$1"
END
killed() {
    : >ran
    "$PLBRUN" -j 1 --joblog log --range 1-6 --run './sim {}' "$@" >>stdout 2>out &
    local run=$!
    soon grep -qx 6 ran && soon noted "$noted"
    kill -9 $run
    ! wait $run 2>/dev/null
}
# noted N: the journal has so many lines that ended.
noted() {
    [ "$("$PLBRUN" --journal log.journal 2>/dev/null | sed 1d | sed 's/.*: lines* //' |
        awk '{ n += NF > 1 ? $3 - $1 + 1 : 1 } END { print n + 0 }')" -ge "$1" ]
}
rm -f log* go end
: >stdout
noted=5 killed && noted=6 killed --resume-failed && [ "$(xargs <ran)" = '3 6' ]
ok "of a run that was killed, failed lines and the rest run" $?
: >go
: >end
again 0 -j 1 && [ "$(xargs <ran)" = '3 6' ] && cat printed >>stdout && logged 1 0 2 0 3 0 4 0 5 0 6 0 &&
    [ "$(xargs <stdout)" = 'good1 good2 good4 good5 good3 good6' ]
ok "also when it was killed in that" $?

# Lines 3 and 6 failed, run again and end well; one of them hangs, the other is noted, and the run is killed.
# Then each way to go on does the rest alone, and nothing is printed twice.
cat >sim <<'END'
#!/bin/sh
echo "$1" >>ran
case $1 in 3|6) [ -e go ] || { echo "bad$1"; exit 4; };; esac
while [ -e "hang$1" ]; do sleep 0.02; done
echo "good$1"
END
# notes_anew N LINE: the journal has this line, counted from 1, behind its first N ranges.
notes_anew() { "$PLBRUN" --journal log.journal 2>/dev/null | sed "1,$1d" | grep -q ": line $(($2 - 1))\$"; }
# hangs LINE OTHER ARGUMENTS...: such a run; `state` has what it left.
hangs() {
    local line=$1 other=$2 run n; shift 2
    n=$("$PLBRUN" --journal log.journal | wc -l)
    : >ran
    touch go "hang$line"
    "$PLBRUN" -j 2 --joblog log --range 1-6 --run './sim {}' "$@" --resume-failed >>stdout 2>out &
    run=$!
    soon grep -qx "$line" ran && soon grep -qx "$other" ran && soon notes_anew "$n" "$other"
    kill -9 $run
    wait $run 2>/dev/null
    rm -rf state
    mkdir state
    cp -a log* stdout state
}
# ends_well LINE ARGUMENTS...: a run goes on from `state`, and has only this line to do.
ends_well() {
    local line=$1 run; shift
    rm -rf log*
    cp -a state/* .
    : >ran
    touch "hang$line"
    "$PLBRUN" -j 2 --joblog log --range 1-6 --run './sim {}' "$@" >>stdout 2>out &
    run=$!
    soon grep -qx "$line" ran
    sed 1d log | cut -f 7 >meanwhile
    rm "hang$line"
    wait $run && [ "$(xargs <ran)" = "$line" ] && grep -q 0 meanwhile && ! grep -qvx 0 meanwhile &&
        logged 1 0 2 0 3 0 4 0 5 0 6 0
}
for hung in '3 6' '6 3'; do
    for order in '' -k; do
        # shellcheck disable=SC2086 # no word, or one or two
        fails $order && hangs $hung $order
        for way in --resume --resume-failed; do
            # shellcheck disable=SC2086 # no word, or one
            ends_well "${hung% *}" $order $way && if [ "$order" = -k ]; then
                [ "$(xargs <stdout)" = 'good1 good2 bad3 good4 good5 bad6 good3 good6' ]
            else
                [ "$(sort stdout | xargs)" = 'bad3 bad6 good1 good2 good3 good4 good5 good6' ]
            fi
            ok "killed with line ${hung% *} at work${order:+, in order}: $way" $?
        done
    done
done
rm -f log* go hang*
ranks 2 -j 1 --joblog log --range 1-6 --run './sim {}' --retries 2 >stdout 2>out
hangs 6 3 --retries 2 && ends_well 6 --retries 2 --resume-failed
ok "also where ranks tried them in turn" $?

cat >sim <<'END'
#!/bin/sh
echo "$1" >>ran
case $1 in 3|6) [ -e go ] || exit 4;; esac
END
fails
: >go
: >ran
ranks 2 --quiet --joblog log --range 1-6 --run './sim {}' --resume-failed && [ "$(sort ran | xargs)" = '3 6' ]
ok "on two ranks, too" $?

rm -f log* ran
again 0 && [ "$(sort ran | xargs)" = '1 2 3 4 5 6' ]
ok "without an earlier run all lines run" $?

"$PLBRUN" --range 1-6 --run './sim {}' --resume-failed >out 2>&1
[ $? -eq 2 ] && grep -q '^plbrun: --resume-failed needs the journal' out
ok "it needs a journal" $?
"$PLBRUN" --resume-failed "$root/examples/demo/app.conf" run.journal=j >out 2>&1
[ $? -eq 2 ] && grep -q '^plbrun: --resume-failed: kernel matmul does not know of columns that failed' out
ok "and a kernel that knows of failed units" $?
done_testing
