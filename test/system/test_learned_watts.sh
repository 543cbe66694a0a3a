#!/usr/bin/env bash
# Watts that are learned while a job runs on real ranks, from a counter in a /sys/class of the test's own.
# The host draws 20 watts, and each of its two PUs 30 more while it works. Idle watts come from the few tenths
# of a second in which one of them rests, so they are as good as the clock is even: test/run: alone.
. "$(dirname "$0")/../support/lib.sh"
cd "$tmp" || exit

lines a.conf "[app]" "kernel = $BUILD/test/kernels/heater.so" "[heater]" "units = 4000" \
    "[balance]" "objective = energy"
ranks 2 a.conf
[ $? = 2 ] && grep -q 'needs the watts of all PUs' out
ok "an objective without watts and meters is refused" $?

if ! unshare -m mount -t tmpfs none /sys/class 2>/dev/null; then
    skip "watts from a counter" "no mount namespaces here"
    done_testing
fi

cat >counter.py <<'END'
import mmap, os, struct, subprocess, sys, threading, time
zone = '/sys/class/powercap/intel-rapl:0'
os.makedirs(zone)
for key, text in {'name': 'package-0', 'max_energy_range_uj': '399999999', 'energy_uj': '%012d' % 5}.items():
    with open(f'{zone}/{key}', 'w') as f:
        f.write(text + '\n')
with open('heat', 'wb') as f:
    f.write(bytes(8))
heat = mmap.mmap(os.open('heat', os.O_RDWR), 8)
still, begin, over = sys.argv[1] == 'still', time.monotonic(), threading.Event()
def tick():
    fd = os.open(zone + '/energy_uj', os.O_WRONLY)
    while not over.wait(0.002) and not still:
        joules = 20.0 * (time.monotonic() - begin) + 1e-6 * struct.unpack('q', heat[:8])[0]
        os.pwrite(fd, b'%012d' % (int(1e6 * joules) % 400_000_000), 0)
threading.Thread(target=tick).start()
status = subprocess.run(sys.argv[2:]).returncode
over.set()
sys.exit(status)
END
metered() { # works|still settings…
    local how=$1
    shift
    # shellcheck disable=SC2086 # several words
    timeout 120 unshare -m sh -c 'mount -t tmpfs none /sys/class && exec "$@"' sh python3 counter.py "$how" \
        mpirun $MPIRUN_OPTIONS -np 2 "$PLBRUN" a.conf --report some.json "$@" >out 2>&1
}
right() {
    metered works && python3 - <<'END'
import json
pus = json.load(open('some.json'))['pus']
print([(p['watts_idle'], p['watts_busy'], p['watts_origin']) for p in pus])
assert len(pus) == 2
for p in pus:
    assert p['watts_origin'] == 'measured', p
    assert 7 < p['watts_idle'] < 13 and 30 < p['watts_busy'] < 50, (p['watts_idle'], p['watts_busy'])
END
}
tries right; ok "idle and busy watts of each PU are learned" $?
metered still heater.units=9000 && [ "$(grep -c '"watts_origin": "unmeasured"' some.json)" = 2 ] \
    && [ "$(grep -c 'energy counters do not advance' out)" = 1 ]
ok "where the counter stands still, the run goes on and watts are unmeasured" $?
metered works balance.objective=time && [ "$(grep -c '"watts_origin": "unmeasured"' some.json)" = 2 ]
ok "for least time none are learned" $?
done_testing
