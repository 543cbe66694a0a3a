#!/usr/bin/env bash
# The energy of a run over real ranks, from counters in a /sys/class of the test's own: 100 watts that begin
# again on the way, memory that stands still, and a host that has no counters.
. "$(dirname "$0")/../support/lib.sh"
cd "$tmp" || exit

# Two and a half seconds on two ranks.
lines a.conf "[app]" "kernel = $BUILD/test/kernels/sleeper.so" "[sleeper]" "units = 5000"
ranks 2 a.conf --report none.json
ok "a host without counters runs as before" $?
grep -q '"energy_j": null' none.json && grep -q '"measured_j": null' none.json
ok "its energy is unmeasured, and not 0" $?
grep -q '"note": "this host has no readable counter of processor energy"' none.json
ok "the report says why" $?
[ -s out ] && ! grep -q energy out; ok "the summary says nothing of it" $?
ranks 2 a.conf --log info && grep -q 'rank 0 on .*: the energy of processors is not measured: ' out \
    && [ "$(grep -c 'is not measured' out)" = 1 ]
ok "the log does, once for each host" $?

if ! unshare -m mount -t tmpfs none /sys/class 2>/dev/null; then
    skip "counters in a folder" "no mount namespaces here"
    done_testing
fi

# The program runs a command where package 0 uses 100 watts. Its counter begins again 5 J after the start.
cat >counters.py <<'END'
import os, subprocess, sys, threading, time
base = '/sys/class/powercap/intel-rapl:0'
def put(zone, name, joules):
    os.makedirs(zone, exist_ok=True)
    files = {'name': name, 'max_energy_range_uj': '399999999', 'energy_uj': '%012d' % joules}
    for key, text in files.items():
        with open(f'{zone}/{key}', 'w') as f:
            f.write(text + '\n')
put(base, 'package-0', 395_000_000)
put(base + ':0', 'dram', 7)
begin, over = time.monotonic(), threading.Event()
def tick():
    fd = os.open(base + '/energy_uj', os.O_WRONLY)
    while not over.wait(0.02):
        os.pwrite(fd, b'%012d' % (int(395e6 + 1e8 * (time.monotonic() - begin)) % 400_000_000), 0)
threading.Thread(target=tick).start()
status = subprocess.run(sys.argv[1:]).returncode
over.set()
sys.exit(status)
END
measured() {
    # shellcheck disable=SC2086 # several words
    timeout 120 unshare -m sh -c 'mount -t tmpfs none /sys/class && exec "$@"' sh python3 counters.py \
        mpirun $MPIRUN_OPTIONS -np 2 "$PLBRUN" a.conf "$@" >out 2>&1
}
# The package's joules, at 100 watts; two ranks of a host count it once.
right() {
    measured --report some.json && python3 - <<'END'
import json
r = json.load(open('some.json'))
at = {m['domain']: m for m in r['meters']}
p, d = at['package-0'], at['dram-0']
assert len(r['meters']) == 2, at
assert p['meter'] == 'powercap' and p['of'] == 'package' and p['counted'] and p['note'] == '', p
assert p['seconds'] > 1.5 and 80 < p['joules'] / p['seconds'] < 120, p
assert p['resolution_j'] == 1e-6
assert d['joules'] is None and d['note'] == 'the counter does not advance' and not d['counted'], d
assert r['measured_j'] == r['energy_j'] == p['joules']
END
}
tries right; ok "joules are counted once on a host, also where the counter begins again" $?
grep -qE '^energy [0-9.]+ J: packages [0-9.]+ J \(powercap, 1 uJ\)$' out; ok "the summary tells them" $?
measured --trace trace.json --report page.html && python3 - <<'END'
import json, re
events = json.load(open('trace.json'))['traceEvents']
def values(what):
    name = 'package-0, by powercap, 1 uJ: ' + what
    return [e['args'] for e in events if e['ph'] == 'C' and e['name'] == name]
watts, joules = [v['W'] for v in values('watts')], [v['J'] for v in values('joules')]
assert len(watts) > 10 and 70 < sorted(watts)[len(watts) // 2] < 130, watts
assert joules == sorted(joules) and joules[-1] > 150, joules
assert not any('dram' in e['name'] for e in events)
page = open('page.html').read()
assert re.search(r'<td>dram-0</td><td>powercap</td><td class="n">unmeasured</td>', page)
assert re.search(r'<td>package-0</td><td>powercap</td><td class="n">\d+ J</td><td class="n">1 uJ</td>', page)
power = json.loads(re.search(r'id="energies">(.*?)</script>', page).group(1))['power']
assert [line['name'].split(' ')[0] for line in power['lines']] == ['package-0']
known = [w for w in power['lines'][0]['watts'] if w is not None]
assert len(known) > 200 and 70 < sum(known) / len(known) < 130
END
ok "the trace and the page have watts and joules over time, and nothing for what stands still" $?
measured --report some.json run.meters=no && grep -q '"meters": \[\]' some.json && ! grep -q '^energy' out
ok "run.meters = no reads nothing" $?
done_testing
