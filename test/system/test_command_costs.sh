#!/usr/bin/env bash
# Lines whose costs are told: the longest first, and outputs in the order of the lines.
. "$(dirname "$0")/../support/lib.sh"
cd "$tmp" || exit 1
for i in 3 1 5 2 4; do head -c "${i}000" /dev/zero >"f$i"; printf '%s %d\n' "x$i" "$i" >>table; done
ls f? >names

# longest_first NAME ARGUMENTS...: the lines began in the order of their costs, 5 to 1; they were printed in
# their own order, and so is the joblog.
longest_first() {
    rm -f began log*
    "$PLBRUN" -k -j 1 --joblog log "${@:2}" --run 'echo {} | tr -dc 1-5 | cut -c 1 >>began; echo {1}' \
        >stdout 2>out
    [ $? -eq 0 ] && [ "$(xargs <began)" = '5 4 3 2 1' ] && cmp <(cut -f 1 log) <(echo Seq; seq 5)
    ok "$1" $?
}
longest_first "sizes of files" --cost size --lines names
cmp stdout names
ok "outputs keep their order" $?
longest_first "a column" -C ' ' --cost column:2 --lines table
cmp stdout <(cut -d ' ' -f 1 table)
ok "outputs keep theirs" $?
longest_first "a word" --cost column:2 --lines table
awk -F '\t' 'BEGIN { OFS = FS } NR > 1 { $4 = substr($9, match($9, /[1-5]/), 1) * 100 } { print }' log >old
longest_first "times of an earlier run" --cost-from old --lines table
sed -i 's/echo/other/' old
longest_first "of another command, by the numbers of lines" --cost-from old --lines table
"$PLBRUN" -j 1 --cost size --run 'echo {}' --lines names command.stdout=made && cmp made names
ok "a file of outputs is in the order of the lines" $?
"$PLBRUN" -j 1 --cost size --run '[ {#} -gt 2 ]' --lines names >stdout 2>out
[ $? -eq 1 ] && grep -q '^plbrun: 2 of 5 lines failed, the first is line 1:' out
ok "the first line that fails is the first of the list" $?

# The run is killed in the third line that it begins, and goes on.
killed=(-k -j 1 --cost size --lines names --joblog log
    --run 'echo {} >>ran; [ {} != f3 ] || [ -e go ] || exec sleep 98765; echo {}')
rm -f log* ran stdout
"$PLBRUN" "${killed[@]}" >stdout 2>out &
run=$!
soon eval '[ "$(tail -n 1 ran 2>/dev/null)" = f3 ] &&
    [ "$("$PLBRUN" --journal log.journal 2>/dev/null | tail -n +2 | wc -l)" -ge 2 ]'
kill -KILL $run
wait $run 2>/dev/null
: >go
"$PLBRUN" "${killed[@]}" --resume >>stdout 2>out && cmp stdout names && [ "$(sort ran | uniq -d)" = f3 ] &&
    cmp <(cut -f 1 log) <(echo Seq; seq 5)
ok "with --resume the outputs are in order, too" $?

"$PLBRUN" -j 1 --cost column:2 -C ' ' --serve 'while read -r x; do printf "x\ny\n"; done' ::: 'a 1' 'b 9' \
    >out 2>&1
[ $? -eq 1 ] && grep -q "before line 1 was sent, its server had written 'y'" out
ok "a server that writes too much is told of by the number of the line" $?
yes '0 0' | head -n 12 >zeros
"$PLBRUN" -k -j 1 --cost column:2 --lines zeros --run 'echo {#}' run.time_limit=1h >stdout 2>out &&
    cmp stdout <(seq 12)
ok "costs of 0, under a time limit" $?

# sentence NAME PATTERN ARGUMENTS...: refused before work begins.
sentence() {
    "$PLBRUN" --run 'echo {}' "${@:3}" >out 2>&1 </dev/null
    [ $? -eq 2 ] && [ "$(wc -l <out)" -eq 1 ] && grep -qE "^plbrun: .*$2" out
    ok "refused: $1" $?
}
sentence "a line that names no file" "line 2: 'nofile': No such file" --cost size ::: f1 nofile
sentence "a word that is no number" "line 1: 'b' in column 2 is not a cost" --cost column:2 ::: 'a b'
sentence "a column that is not there" "line 1: '' in column 3 is not a cost" --cost column:3 ::: 'a b'
sentence "another word" 'cost = bytes: expected size, or column:N' --cost bytes ::: a
sentence "two costs" 'both set costs' --cost size --cost-from old ::: a
sentence "a file that is no joblog" 'has no line of a joblog' --cost-from table ::: a
sentence "a joblog of another job" 'its commands and its number of lines are not' --cost-from old ::: a
done_testing
