#!/usr/bin/env bash
# docs/reference/report-keys.md is what `plbrun --report help` writes from the table of fields.
. "$(dirname "$0")/../support/lib.sh"
alone --report help
ok "--report help needs no conf file" $?
cp "$tmp/out" "$tmp/keys.md"
diff "$root/docs/reference/report-keys.md" "$tmp/keys.md" >"$tmp/out"
ok "the page is up to date (plbrun --report help >docs/reference/report-keys.md)" $?

alone --report schema
cp "$tmp/out" "$tmp/schema.json"
diff "$root/docs/reference/report.schema.json" "$tmp/schema.json" >"$tmp/out"
ok "the schema is up to date (plbrun --report schema >docs/reference/report.schema.json)" $?

# Every key of a report is described, and every key that is described is in a report. In this one no units
# were set aside, and nothing was measured.
conf=$root/examples/demo/app.conf
alone --quiet --simulate "$root/hostfiles/demo.cluster" --report "$tmp/r.json" "$conf" && [ -s "$tmp/r.json" ]
ok "a simulation writes a report" $?
grep -oE '^ *"[a-z_0-9]+":' "$tmp/r.json" | tr -d ' ":' | sort -u >"$tmp/written"
sed '/^## Each record of `set_aside`/,/^## Each record of `pus`/d' "$tmp/keys.md" |
    sed -n 's/^- `\([a-z_0-9]*\)`[: ].*/\1/p' | grep -vx phases | sort -u >"$tmp/described"
[ -s "$tmp/written" ] && diff "$tmp/written" "$tmp/described" >"$tmp/out"
ok "the keys of a report are those that are described" $?
done_testing
