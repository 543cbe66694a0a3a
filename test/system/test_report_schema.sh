#!/usr/bin/env bash
# Real reports, held against docs/reference/report.schema.json. The published schema allows keys that it does
# not name, as later versions may have; here an unnamed key is a failure.
. "$(dirname "$0")/../support/lib.sh"

if ! python=$(python_with jsonschema); then
    skip "reports follow their schema" "needs Python's jsonschema (scripts/install-deps --test)"
    done_testing
fi
cat >"$tmp/check.py" <<'END'
import json, sys, jsonschema
def close(schema):
    if "properties" in schema:
        schema["additionalProperties"] = False
    for part in schema.values():
        for s in part.values() if isinstance(part, dict) else ():
            if isinstance(s, dict):
                close(s)
    if "items" in schema:
        close(schema["items"])
schema = json.load(open(sys.argv[1]))
jsonschema.Draft202012Validator.check_schema(schema)
close(schema)
wrong = list(jsonschema.Draft202012Validator(schema).iter_errors(json.load(open(sys.argv[2]))))
for error in wrong:
    print("/".join(map(str, error.absolute_path)), error.message[:200])
sys.exit(len(wrong) > 0)
END
follows() {
    "$python" "$tmp/check.py" "$root/docs/reference/report.schema.json" "$tmp/r.json" >"$tmp/out" 2>&1
    ok "$1" $?
}

lines "$tmp/one.conf" '[app]' 'kernel = matmul' '[matmul]' 'rows = 50' 'columns = 60' 'inner = 40'
ranks 2 --quiet --verify --report "$tmp/r.json" "$tmp/one.conf"
follows "a run with a verdict"
lines "$tmp/two.conf" '[app]' "kernel = $BUILD/test/kernels/phases.so"
ranks 2 --quiet --report "$tmp/r.json" --balancer plb-hec "$tmp/two.conf"
follows "a kernel of several phases"
alone --quiet --report "$tmp/r.json" --simulate "$root/hostfiles/imbalance.cluster" \
    "$root/examples/demo/app.conf"
follows "a simulation"
alone --quiet --report "$tmp/r.json" "$tmp/one.conf" matmul.columns=1 --balancer static
follows "a single unit, where nothing is known of curves and spread"

# The test itself sees what does not follow.
sed 's/"nodes": [0-9]*/"nodes": "many"/' "$tmp/r.json" >"$tmp/bad.json" && [ -s "$tmp/bad.json" ] &&
    ! "$python" "$tmp/check.py" "$root/docs/reference/report.schema.json" "$tmp/bad.json" >"$tmp/out" 2>&1
ok "a text where a number belongs is seen" $?
sed 's/"r2":/"r3":/' "$tmp/r.json" >"$tmp/bad.json" && [ -s "$tmp/bad.json" ] &&
    ! "$python" "$tmp/check.py" "$root/docs/reference/report.schema.json" "$tmp/bad.json" >"$tmp/out" 2>&1
ok "a key without a name in it is seen" $?
done_testing
