#!/usr/bin/env bash
# Lists of arguments, columns, slots, commands that are only printed, and early ends: as GNU parallel.
. "$(dirname "$0")/../support/lib.sh"
cd "$tmp" || exit 1

# prints NAME EXPECTED ARGUMENTS...: the lines that plbrun prints, in order.
prints() {
    "$PLBRUN" -k "${@:3}" >stdout 2>out </dev/null
    # shellcheck disable=SC2059 # the format has all of it
    [ $? -eq 0 ] && cmp stdout <(printf "$2") >>out
    ok "$1" $?
}
printf '%s\n' p q >letters
printf 'a b , 1\nc,2 , three\n' >table

# GNU parallel 20221122 has printed these.
prints "words behind :::" "a\nb c\nit's\n-k\n\n" --run 'echo {}' ::: a 'b c' "it's" -k ''
prints "all combinations, the last list first" 'a-1\na-2\nb-1\nb-2\n' --run 'echo {1}-{2}' ::: a b ::: 1 2
prints "without a replacement string all columns are arguments" '<a><1>\n<b><1>\n' \
    --run "printf '<%s><%s>\\n'" ::: a b ::: 1
prints "and so in a script" '<a b><1>\n' --run "printf '<%s><%s>\\n' {} | cat" ::: 'a b' ::: 1
prints "pairs, as many as the shorter list has" 'a 1 x\na 1 y\nb 2 x\nb 2 y\n' --run 'echo {}' \
    ::: a b c :::+ 1 2 ::: x y
prints "files of lines" 'p 1\np 2\nq 1\nq 2\n' --run 'echo {1} {2}' :::: letters ::: 1 2
prints "parts of columns" 'in/a a.txt in a | c.d\n' \
    --run 'echo {1.} {1/} {1//} {1/.} "|" {2.}' ::: in/a.txt ::: c.d.e
prints "columns of a line" '1 a b\n2 c\n' -C , --run 'echo {2} {1}' --lines table
prints "a regular expression, and columns that lack" 'b|1|\n,2|three|\n' --colsep '[ac] *|,\s+' \
    --run "printf '%s|%s|%s\\n' {2} {3} {4}" --lines table
prints "tabs" 'y x\n' -C '\t' --run 'echo {2} {1}' ::: "$(printf 'x\ty')"
prints "several lines at a time" 'a-b c a b c\nd- d\n' -N 2 --run 'echo {1}-{2} {}' ::: a 'b c' d
prints "lines with theirs before" 'a\tx a\na\ty\nb 2\tx b 2\nb 2\ty\n' --tag \
    --run 'echo x {}; printf y; echo' ::: a 'b 2'
prints "words as commands" 'one\n2\n' ::: 'echo one' 'echo $((1 + 1))'
"$PLBRUN" --dry-run --joblog log --run 'echo {2} {1} | cat >made' ::: a 'b c' ::: 1 >stdout 2>out
[ $? -eq 0 ] && cmp stdout <(printf "echo 1 a | cat >made\necho 1 'b c' | cat >made\n") && [ ! -e made ] &&
    [ ! -e log ]
ok "--dry-run prints the commands, and runs none" $?
if parallel --version 2>/dev/null | grep -q '^GNU parallel'; then
    same=0
    for arguments in "::: a 'b c' ::: 1 2 3" ":::: letters :::+ 'x y' z ::: 7" ":::: table"; do
        colsep=; [ "$arguments" != ':::: table' ] || colsep="-C ' *, *'"
        eval "parallel --will-cite -k $colsep 'echo {1}:{2.}:{#}' $arguments" >right 2>/dev/null
        eval "\"\$PLBRUN\" -k $colsep --run 'echo {1}:{2.}:{#}' $arguments" >stdout 2>out
        cmp stdout right >>out && [ -s right ] || same=1
    done
    ok "GNU parallel prints the same" $same
else
    skip "GNU parallel prints the same" "it is not installed"
fi

# Two slots, of which no two programs have the same at a time. The first programs wait for each other.
timeout "$PATIENCE" "$PLBRUN" -j 2 --range 1-20 --run 'mkdir slot.{%} && : >had.{%} || exit
    until [ -e had.1 ] && [ -e had.2 ]; do sleep 0.02; done; rmdir slot.{%} && echo {%}' >stdout 2>out
[ $? -eq 0 ] && [ "$(sort -u stdout | xargs)" = '1 2' ] && [ "$(wc -l <stdout)" -eq 20 ]
ok "slots" $?
"$PLBRUN" -j 1 --run 'echo $OMP_NUM_THREADS {}' ::: x >stdout 2>out
OMP_NUM_THREADS=77 "$PLBRUN" -j 2 --run 'echo $OMP_NUM_THREADS' ::: x >>stdout 2>>out
"$PLBRUN" -j 2 command.env=OMP_NUM_THREADS=5 --run 'echo $OMP_NUM_THREADS' ::: x >>stdout 2>>out
cmp stdout <(printf '%d x\n77 x\n5 x\n' "$(nproc)") >>out
ok "a program knows how many threads its slot has, unless it is told otherwise" $?

# halts NAME STATUS WHEN PATTERN: line 1 fails as soon as line 2 has begun, which waits for that and then a
# while: longer than the run may take, where it is to be ended.
halts() {
    local nap=0.5
    [[ $3 != now* ]] || nap=99
    rm -f ran.* failed
    timeout 60 "$PLBRUN" -j 2 --halt "$3" --range 1-40 --run ': >ran.{}
        case {} in 1) while [ ! -e ran.2 ]; do sleep 0.05; done; : >failed; exit 7;;
        2) while [ ! -e failed ]; do sleep 0.05; done
            sleep '$nap'; echo end;; esac
        sleep 0.2' >stdout 2>out
    [ $? -eq "$2" ] && grep -qE "$4" out && [ "$(find . -name "ran.*" | wc -l)" -lt 40 ]
    ok "$1" $?
}
named='^plbrun: 1 of 40 lines has failed, .*; the last is line 1: .*: exit status 7$'
halts "soon: what runs ends" 1 soon,fail=1 "$named" && grep -qx end stdout
ok "and is printed" $?
halts "now: what runs is ended" 1 now,fail=1 "$named" && ! grep -qx end stdout
ok "and is not printed" $?
halts "lines that have ended, well or not" 1 soon,done=3 'plbrun: 1 of 40 lines failed, the first is line 1'
rm -f ran.*
"$PLBRUN" -j 1 --halt now,success=1 --range 1-9 --joblog log --run 'echo {}; [ {} -ge 3 ]' >stdout 2>out
[ $? -eq 0 ] && [ "$(xargs <stdout)" = '1 2 3' ] && [ ! -s out ]
ok "the first line that does well ends the run, which has ended well" $?
# In one slot no other line begins, though one is waiting there.
for when in now soon; do
    rm -f ran.*
    "$PLBRUN" -j 1 --halt $when,success=1 --range 1-9 --run ': >ran.{}; sleep 0.3; [ {} -ge 3 ] && echo {}' \
        >stdout 2>out
    [ $? -eq 0 ] && [ "$(cat stdout)" = 3 ] && [ "$(echo ran.*)" = 'ran.1 ran.2 ran.3' ]
    ok "$when: no other line begins on the host of the last one" $?
done
"$PLBRUN" -j 1 --halt soon,fail=20% --range 1-20 --run '[ $(({} % 3)) -gt 0 ]' >stdout 2>out
[ $? -eq 1 ] && grep -q '^plbrun: 4 of 20 lines have failed, .* the last is line 12:' out
ok "a part of all" $?
"$PLBRUN" -j 1 --halt soon,fail=1% --range 1-20 --run '[ {} -gt 2 ]' >stdout 2>out
[ $? -eq 1 ] && grep -q '^plbrun: 2 of 20 lines failed, the first is line 1:' out
ok "but of less than three not" $?
rm -f log*
stops=(-j 1 -k --range 1-9 --joblog log "--halt=now,fail=1" --run 'echo {}; [ {} -ne 4 ] || [ -e go ]')
! "$PLBRUN" "${stops[@]}" >stdout 2>out && grep -q 'resume continues from there' out &&
    "$PLBRUN" "${stops[@]}" --resume >>stdout 2>out
[ "$(sort -un stdout | wc -l)" -eq 9 ] && [ "$(cut -f 1 log | xargs)" = "Seq $(seq -s ' ' 9)" ]
ok "--resume runs the rest" $?

# sentence NAME PATTERN ARGUMENTS...: refused before work begins.
sentence() {
    "$PLBRUN" "${@:3}" >out 2>&1 </dev/null
    [ $? -eq 2 ] && [ "$(wc -l <out)" -eq 1 ] && grep -qE "^plbrun: .*$2" out
    ok "refused: $1" $?
}
sentence "a column that no line has" '\{3\} names column 3, and lines have 2' \
    --run 'echo {1} {3}' ::: 1 2 ::: 7
sentence "a part of it" '\{2\} names column 2, and lines have 1' --run 'echo {1} {2.}' ::: a
printf 'a,b\nc\n' >unlike
[ "$("$PLBRUN" -k --run 'echo {2}-{1}' -C , --lines unlike 2>&1 | xargs)" = 'b-a -c' ]
ok "lines of unlike numbers of columns" $?
sentence "no words" 'no argument follows a :::' --run 'echo {}' :::
sentence "a list and words" 'lines and command.arguments .* both' --run 'echo {}' --lines letters ::: a
sentence "no such file" 'nosuch: cannot be read' --run 'echo {}' :::: nosuch
sentence "a wrong expression" 'is not a regular expression' --run 'echo {}' -C '[' ::: a
sentence "an empty expression" 'colsep is empty' --run 'echo {}' -C '' ::: a
sentence "an unknown end" 'halt = later: expected never' --run true --halt later ::: a
sentence "an end without a number" 'halt = soon,fail=x: expected' --run true --halt soon,fail=x ::: a
done_testing
