#!/usr/bin/env bash
# The page of a report: of real and simulated runs, and in a browser.
. "$(dirname "$0")/../support/lib.sh"
demo=$root/examples/demo/app.conf cluster=$root/hostfiles/demo.cluster

ranks 3 --report "$tmp/real.html" --balancer static "$demo" matmul.columns=600 matmul.rows=500 \
    matmul.inner=500 cluster.file="$cluster"
ok "three ranks write a page" $?
tail -n 1 "$tmp/real.html" >"$tmp/out"
grep -qxF '</body></html>' "$tmp/out" && grep -qF 'times the ideal time (parallel' "$tmp/real.html" &&
    grep -qF '"events":[' "$tmp/real.html"
ok "it has a verdict, and the trace of the run" $?

alone --quiet --simulate "$cluster" --report "$tmp/simulated.html" "$demo" && [ -s "$tmp/simulated.html" ]
ok "a simulation writes a page" $?
alone --quiet --simulate "$cluster" --report "$tmp/simulated.json" "$demo"
cat >"$tmp/inside.py" <<'P'
import json, re, sys
def read(name):
    page = open(f'{sys.argv[1]}/{name}.html').read()
    text = re.search(r'<script type="application/json" id="report">(.*?)</script>', page, re.S).group(1)
    return page, json.loads(text)
P
python3 - "$tmp" >"$tmp/out" 2>&1 <<P
$(cat "$tmp/inside.py")
page, inside = read('simulated')
report = json.load(open(sys.argv[1] + '/simulated.json'))
assert inside.keys() == report.keys()
assert len(inside['pus']) == len(report['pus']) and inside['pus'][0].keys() == report['pus'][0].keys()
assert abs(inside['makespan_s'] - report['makespan_s']) < 1e-4 * report['makespan_s']
assert '://' not in page
given = {s['section'] + '.' + s['key']: (s['value'], s['origin']) for s in report['settings']}
assert given['cluster.file'] == ('$cluster', '--simulate'), given['cluster.file']
P
ok "the page has the report as JSON, and names no address" $?

python3 - "$tmp" >"$tmp/out" 2>&1 <<P
$(cat "$tmp/inside.py")
for name in 'real', 'simulated':
    r = read(name)[1]
    assert len(r['traffic']) == r['nodes'] == 3
    assert sum(t['messages'] for t in r['traffic']) == r['messages']
    sent = [t['bytes'] for t in r['traffic']]
    assert sum(sent) == sum(t['received'] for t in r['traffic']) == r['bytes_moved'] and min(sent) > 0
    assert all(t['received'] > 0 for t in r['traffic'])
    whole = r['replicated_bytes']
    assert whole == 500 * 500 * 8 if name == 'real' else whole > 0
    nodes = r['traffic'][1:2 if name == 'real' else 3] # ranks of a host share these inputs
    assert all(t['received'] > whole for t in nodes)
    lost = sum(l['seconds'] for l in r['losses'])
    assert abs(r['ideal_s'] + lost - r['makespan_s']) < 1e-4 * r['makespan_s']
P
ok "traffic and losses add up in real and simulated runs" $?

ranks 3 --report "$tmp/solved.html" "$demo" matmul.columns=600 matmul.rows=500 matmul.inner=500 \
    cluster.file="$cluster"
python3 - "$tmp" >"$tmp/out" 2>&1 <<P
$(cat "$tmp/inside.py")
page, r = read('solved')
trace = json.loads(re.search(r'id="trace">(.*?)</script>', page, re.S).group(1))
events, tick = trace['events'], trace['tick']
rests = [events[i + 5] * tick for i in range(0, len(events) - 8, 8) if events[i] == 3]
assert len(rests) > 0 and 0 < max(rests) and min(rests) >= 0, rests
P
ok "solves of a real run tell the end that they expect" $?

lines "$tmp/h.conf" '[app]' "kernel = $BUILD/test/kernels/heat.so" '[heat]' 'cells = 2000' 'passes = 40'
alone --quiet --report "$tmp/passes.html" "$tmp/h.conf"
python3 - "$tmp" >"$tmp/out" 2>&1 <<P
$(cat "$tmp/inside.py")
page, r = read('passes')
trace = json.loads(re.search(r'id="trace">(.*?)</script>', page, re.S).group(1))
marks = trace['events'][:-1:8].count(3)
assert r['solves'] >= 20 and marks >= 20, (r['solves'], marks)
print(trace['seconds'], r['makespan_s'], r['between_s'])
assert r['between_s'] > 0 and trace['seconds'] <= 1.001 * (r['makespan_s'] + r['between_s'])
P
ok "solves at the begin of a pass are in the trace, and its time is that of passes and between them" $?

# The parts of the elapsed time, of a run that verifies and writes; a simulation has none.
lines "$tmp/w.conf" '[app]' 'kernel = matmul' '[matmul]' 'rows = 200' 'inner = 200' 'columns = 200' \
    "c = $tmp/c.npy"
ranks 2 --quiet --verify --report "$tmp/parts.html" "$tmp/w.conf"
alone --quiet --simulate "$root/hostfiles/demo.cluster" --report "$tmp/virtual.html" "$tmp/w.conf"
python3 - "$tmp" >"$tmp/out" 2>&1 <<P
$(cat "$tmp/inside.py")
page, r = read('parts')
parts = ['setup_s', 'makespan_s', 'between_s', 'ending_s', 'verify_s', 'write_s']
print({k: r[k] for k in parts + ['elapsed_s']})
assert abs(r['elapsed_s'] - sum(r[k] for k in parts)) < 2e-5 * r['elapsed_s'] # six digits of each
assert r['setup_s'] > 0 and r['verify_s'] > 0 and r['write_s'] > 0 and '>elapsed ' in page
page, r = read('virtual')
assert r['elapsed_s'] == r['setup_s'] == r['write_s'] == 0 and '>elapsed ' not in page
P
ok "a page has the elapsed time in its parts, but not of a simulation" $?

browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)
if [ -z "$browser" ]; then
    skip "pages in a browser" "there is no chromium (scripts/install-deps --test)"
    done_testing
fi
# opened PAGE: the page as the browser has it after its scripts ran, in $tmp/dom; no name is looked up.
opened() {
    timeout 100 "$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$tmp/profile" \
        --host-resolver-rules='MAP * ~NOTFOUND' --virtual-time-budget=5000 --dump-dom "file://$1" \
        >"$tmp/dom" 2>"$tmp/out"
}
# drawn NAME PAGE SECTION...: the page draws these charts, makes no mistake and fetches nothing.
drawn() {
    local name=$1 page=$2 section
    shift 2
    opened "$page" && grep -q '</html>' "$tmp/dom" || { ok "$name opens in a browser" 1; return; }
    grep -o '<html[^>]*>' "$tmp/dom" >"$tmp/out"
    grep -qF 'data-drawn="yes"' "$tmp/out" && ! grep -q 'class="error script-error"' "$tmp/dom"
    ok "$name: the scripts make no mistake" $?
    grep -qF 'data-fetched="0"' "$tmp/out"
    ok "$name: nothing is fetched" $?
    for section in "$@"; do
        python3 - "$tmp/dom" "$section" <<'P' || { echo "no chart in $section"; false; }
import re, sys
page = open(sys.argv[1]).read()
section = re.search(r'<section id="%s"([^>]*)>(.*?)</section>' % sys.argv[2], page, re.S)
sys.exit(not section or 'hidden' in section.group(1) or '<svg' not in section.group(2))
P
        ok "$name: $section is drawn" $?
    done
}
drawn "a run of three ranks" "$tmp/real.html" losses gantt shares curves rates traffic
drawn "a simulation" "$tmp/simulated.html" losses gantt shares curves ends rates traffic
[ "$(grep -o '>save SVG</button>' "$tmp/dom" | wc -l)" -ge 8 ]
ok "each chart can be saved" $?
grep -qF 'id="trace"' "$tmp/dom" && grep -qF '>master</text>' "$tmp/dom"
ok "the master and its solves are a row" $?

python3 - "$tmp" >"$tmp/out" 2>&1 <<P
$(cat "$tmp/inside.py")
dom, r = open(sys.argv[1] + '/dom').read(), read('simulated')[1]
for t in r['traffic']:
    assert ' in %d messages' % t['messages'] in dom, t
P
ok "messages are counted on the chart as in the report" $?

# Where the .cluster file tells watts: these over time, and the front with this run.
watts=(--quiet --simulate "$root/hostfiles/watts.cluster" "$root/examples/taylor/app.conf" taylor.function=exp
    taylor.order=50000)
alone "${watts[@]}" --report "$tmp/watts.html" --trace "$tmp/watts.json"
drawn "a run with watts" "$tmp/watts.html" losses gantt watts front
python3 - "$tmp" >"$tmp/out" 2>&1 <<P
$(cat "$tmp/inside.py")
page, r = read('watts')
d = json.loads(re.search(r'id="energies">(.*?)</script>', page, re.S).group(1))
drawn = sum(d['power']['sum']) / len(d['power']['sum']) * d['power']['seconds']
assert abs(drawn - r['energy_j']) < 1e-3 * r['energy_j'], (drawn, r['energy_j'])
assert abs(d['front']['joules'] - r['energy_j']) < 1e-4 * r['energy_j']
assert [row['marks'] for row in d['front']['rows']][-1] == ['least energy']
last = {e['name']: e['args']['J'] for e in json.load(open(sys.argv[1] + '/watts.json'))['traceEvents']
        if e['ph'] == 'C' and e['name'].endswith('joules')}
assert abs(sum(last.values()) - r['energy_j']) < 1e-4 * r['energy_j'] and len(last) == 4, last
P
ok "their joules are those of the report, on the page and in the trace" $?

# In frames as wide as a telephone, a tablet and a screen: nothing is wider than its page, and charts stand
# side by side where there is room for two.
python3 - "$tmp" <<'P'
import html, sys
for name in 'simulated', 'watts', 'parts':
    page = open(f'{sys.argv[1]}/{name}.html').read()
    page = html.escape(page)
    frames = ''.join(f'<iframe width="{w}" height="800" style="border:0" srcdoc="{page}"></iframe>'
                     for w in (400, 900, 1400))
    out = open(f'{sys.argv[1]}/{name}-frames.html', 'w')
    out.write('<!DOCTYPE html><body>' + frames + '''<p id="says"></p><script>
        onload = () => { says.textContent = [...document.querySelectorAll("iframe")].map(f => {
            const d = f.contentDocument, w = d.documentElement.clientWidth;
            const beside = [...d.querySelectorAll("section")]
                .filter(s => s.getBoundingClientRect().left > w / 2);
            return f.clientWidth + (d.documentElement.scrollWidth > w ? " is too narrow" : "") +
                (beside.length > 0 ? " with neighbours" : ""); }).join(", ");
            if (document.querySelector("iframe").contentDocument.querySelector("#pus .wide.cut") !== null)
                says.textContent += "; a narrow table says that it is cut"; };
        </script></body></html>''')
P
for page in simulated watts parts; do
    opened "$tmp/$page-frames.html"
    grep -o '<p id="says">[^<]*' "$tmp/dom" >"$tmp/out"
    grep -qxF '<p id="says">400, 900, 1400 with neighbours; a narrow table says that it is cut' "$tmp/out"
    ok "the page $page fits windows of any width" $?
done

# The trace of a rank that is lost is lost with it.
python3 - "$tmp" <<P
$(cat "$tmp/inside.py")
page, r = read('simulated')
text = re.search(r'id="trace">(.*?)</script>', page, re.S).group(1)
trace = json.loads(text)
events = [trace['events'][i:i + 8] for i in range(0, len(trace['events']) - 8, 8)]
trace['events'] = [x for e in events if e[1] < 4 for x in e] + [0]
open(sys.argv[1] + '/lost.html', 'w').write(page.replace(text, json.dumps(trace)))
P
drawn "a page without the tasks of two PUs" "$tmp/lost.html" gantt
grep -qF 'The tasks of PUs 4, 5 were lost with their rank.' "$tmp/dom"
ok "it says so" $?

# A part that is missing is no empty frame.
sed 's/<script type="application\/json" id="trace">.*<\/script>$//' "$tmp/simulated.html" >"$tmp/bare.html"
drawn "a page without a trace" "$tmp/bare.html" losses shares
[ "$(grep -cE '<section id="(gantt|ends|rates)" hidden' "$tmp/dom")" -eq 3 ]
ok "charts without data stay hidden" $?
sed 's/^const byId/broken; &/' "$tmp/simulated.html" >"$tmp/broken.html"
opened "$tmp/broken.html"
grep -q 'class="error script-error"' "$tmp/dom"
ok "a mistake of a script shows on the page" $?

PLB_PAGE=$tmp/large.html "$BUILD/test/unit/test_page" >"$tmp/out" 2>&1
drawn "1,000,000 tasks of 1,000 PUs" "$tmp/large.html" losses gantt shares rates
grep -qF 'A row is the mean of 21 PUs' "$tmp/dom" && grep -qF 'are shown as 700 columns' "$tmp/dom"
ok "the page says that tasks and PUs are drawn together" $?
echo "# $(stat -c %s "$tmp/large.html") bytes, drawn after $(grep -o 'data-ms="[0-9]*"' "$tmp/dom")"
done_testing
