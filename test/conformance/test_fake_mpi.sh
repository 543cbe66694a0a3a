#!/usr/bin/env bash
# The fake MPI keeps the promises of the real one that plbrun and its tests rely on: the transport's test
# passes over both, and both mpiruns end a job alike.
# test/run: real MPI, since this names the fake one itself.
. "$(dirname "$0")/../support/lib.sh"
fake=$BUILD/test/fake-mpi
[ -x "$fake/mpirun" ] || { skip "the fake MPI" "plbrun is not built with Open MPI"; done_testing; }

over() { # real | fake, ARGUMENTS OF MPIRUN...
    case $1 in
    real) timeout 60 mpirun "${@:2}" ;;
    fake) PATH=$fake:$PATH LD_LIBRARY_PATH=$fake timeout 60 mpirun "${@:2}" ;;
    esac >"$tmp/out" 2>&1
}
over fake --bind-to none -np 2 "$BUILD/test/system/test_transport_np2" && grep -q '^ok 10 ' "$tmp/out"
ok "the transport's test passes over it" $?

# Rank 1 ends when the others have set their traps.
lines "$tmp/rank" '#!/bin/sh' "cd '$tmp'" 'if [ $OMPI_COMM_WORLD_RANK -eq 1 ]; then' \
    '    until [ -e ready.0 ] && [ -e ready.2 ]; do sleep 0.05; done' '    eval "$1"' 'fi' \
    'trap "echo ended; exit 0" TERM' ': >ready.$OMPI_COMM_WORLD_RANK' 'sleep 30 & wait $!'
lines "$tmp/stays" '#!/bin/sh' '[ $OMPI_COMM_WORLD_RANK -ne 1 ] || { sleep 0.1; kill -9 $$; }' \
    'sleep 0.5; echo stays; exit 3'
lines "$tmp/says" '#!/bin/sh' 'echo "$OMPI_COMM_WORLD_RANK of $OMPI_COMM_WORLD_SIZE: $1${X+ $X}"'
chmod +x "$tmp/rank" "$tmp/stays" "$tmp/says"
for mpi in real fake; do
    # ends HOW STATUS: rank 1 ends so, and the job with this status, before the other ranks would.
    ends() {
        rm -f "$tmp"/ready.*
        over $mpi --oversubscribe --bind-to none -np 3 "$tmp/rank" "$1"
        [ $? -eq "$2" ] && [ "$(grep -c '^ended' "$tmp/out")" -eq 2 ]
    }
    OMPI_MCA_odls_base_sigkill_timeout=2 ends 'exit 7' 7
    ok "$mpi: a rank fails; the others are asked to end, and its status is the job's" $?
    OMPI_MCA_odls_base_sigkill_timeout=2 ends 'kill -9 $$' 137
    ok "$mpi: a rank is killed" $?
    over $mpi --enable-recovery --oversubscribe --bind-to none -np 3 "$tmp/stays" &&
        [ "$(grep -c '^stays' "$tmp/out")" -eq 2 ]
    ok "$mpi: with --enable-recovery the others go on, and the status is 0" $?
    over $mpi --bind-to none -np 1 "$tmp/says" a : -x X=x -np 1 "$tmp/says" b
    [ "$(sort "$tmp/out")" = "0 of 2: a"$'\n'"1 of 2: b x" ]
    ok "$mpi: programs of several kinds" $?
done
over real --version && real=$(head -n 1 "$tmp/out") && over fake --version &&
    [[ $(head -n 1 "$tmp/out") = "${real%.*}"* ]]
ok "it names the version of the real one" $?
over fake --bind-to core -np 1 true
ok "what it does not know the real mpirun does" $?
done_testing
