#!/usr/bin/env bash
# bash completion: options, files, balancers, kernels and settings, from the program itself.
. "$(dirname "$0")/../support/lib.sh"
. "$root/scripts/install.d/completion.bash"
mkdir -p "$tmp/examples/demo" "$tmp/hostfiles"
cp "$root/examples/demo/app.conf" "$tmp/examples/demo"
cp "$root/hostfiles/demo.cluster" "$tmp/hostfiles"
conf=examples/demo/app.conf
: >"$tmp/front.svg"
cd "$tmp" || exit 1

# completed NAME EXPECTED WORD...: the answers for the last word, of which bash gives a lone = as one more.
completed() {
    local name=$1 expected=$2 answer
    COMP_WORDS=("${@:3}") COMP_CWORD=$(($# - 3))
    _plbrun
    answer=$(printf '%s\n' "${COMPREPLY[@]}" | tr '\n' ' ')
    echo "answer: $answer" >"$tmp/out"
    # shellcheck disable=SC2053 # a pattern
    [[ $answer == $expected ]]
    ok "$name" $?
}
completed "options" '--show-config --show-pus ' "$PLBRUN" --show
completed "a conf file" "$conf " "$PLBRUN" --verify examples/demo/a
completed "balancers" 'plb-hac plb-hec ' "$PLBRUN" --balancer plb
completed "help for balancers" '*static*help *' "$PLBRUN" --balancer ''
completed "a report" 'schema ' "$PLBRUN" --report sch
completed "cluster files" 'hostfiles/demo.cluster ' "$PLBRUN" --simulate hostfiles/
completed "a picture of a front" 'front.svg ' "$PLBRUN" --pareto = fr
completed "no file of a front without =" "$conf " "$PLBRUN" --pareto examples/demo/a
completed "no files for a number" ' ' "$PLBRUN" --seed ''
completed "settings of the job" 'matmul.columns= ' "$PLBRUN" $conf matmul.co
completed "settings, after a setting" 'balance.migration= *' \
    "$PLBRUN" $conf app.kernel = spmm balance.migr
completed "kernels" 'spmm ' "$PLBRUN" $conf app.kernel = sp
completed "all kernels" '*matmul*triad*' "$PLBRUN" $conf app.kernel =
completed "balancers, as a setting" 'static ' "$PLBRUN" $conf balance.balancer = stat
completed "behind mpirun" '--dry-run ' mpirun -np 3 "$PLBRUN" --dr
completed "behind plbrun-mpirun" '--dry-run ' plbrun-mpirun -np 3 "$PLBRUN" --dr
complete -p plbrun-mpirun >"$tmp/out" 2>&1
ok "bash completes plbrun-mpirun, too" $?
completed "of mpirun itself nothing" ' ' mpirun -np
done_testing
