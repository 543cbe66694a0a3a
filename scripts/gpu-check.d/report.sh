# shellcheck shell=bash disable=SC2034,SC2154 # what other parts set and use
# Of scripts/gpu-check: runs commands that cannot hang, and writes the report anew after each.
# A row of the report is a line of $tmp/rows: section, verdict, what, wanted, measured, with tabs between.

sections=('Machine' 'Devices' 'Kernels against the reference' 'Failures' 'compute-sanitizer' 'Speed'
    'Not asked for')
ended='' began='' model='no GPU'

progress() { printf 'gpu-check: %3d s: %s\n' "$SECONDS" "$*" >&2; }

# under SECONDS LOG COMMAND...: the command's status, 124 or 137 where it was stopped, 75 where no time was
# left to begin. Its output is in LOG. TERM comes first, so that mpirun can take its ranks down.
under() {
    local most=$1 log=$2 left=$((deadline - SECONDS))
    shift 2
    if ((left < 2)); then
        echo 'no time was left' >"$log"
        return 75
    fi
    ((most <= left)) || most=$left
    timeout -k 5 "$most" "$@" </dev/null >"$log" 2>&1 &
    current=$! # not in the foreground, where a signal to this script would have to wait for it
    ((BASH_SUBSHELL == 0)) || trap 'kill $current; exit 1' TERM # that `finish` sends
    wait $current
}
current=''
why() { # STATUS LOG
    case $1 in
    75) echo 'no time was left' ;;
    124 | 137) echo 'timed out' ;;
    *) echo "status $1: $(grep -m1 -E '^(plbrun|plain|bundle): ' "$2" || grep -v '^ *$' "$2" | tail -n 1)" ;;
    esac
}
# The meaning of a status: no time is not the program's fault.
verdict_of() { case $1 in 0) echo pass ;; 75) echo skipped ;; *) echo failed ;; esac; }

# record SECTION VERDICT WHAT WANTED MEASURED [LOG]: a row. If the check failed, the end of its log follows.
record() {
    local field row=$1$'\t'$2
    for field in "$3" "$4" "$5"; do
        field=${field//[$'\t\n\r']/ }
        row+=$'\t'${field//|/\\|}
    done
    printf '%s\n' "$row" >>"$tmp/rows"
    if [[ $2 == failed && -s ${6:-} ]]; then
        { printf '\n%s:\n\n```\n' "$3"; tail -n 15 "$6" | cut -c 1-400; printf '```\n'; } >>"$tmp/text.$1"
    fi
    render
}
# Paragraphs after a section's table.
note() { local section=$1; shift; printf '\n%s\n' "$*" >>"$tmp/text.$section"; render; }

# Checks that may run at the same time: `later` starts one, `settle` waits for all and records them in order.
# The check's function prints its verdict and then what it measured (`says` does both). Its log is in $log.
says() { printf '%s\n%s\n' "$1" "$2"; } # VERDICT MEASURED
jobs_at_once=$(($(nproc) / 4))
((jobs_at_once <= 4)) || jobs_at_once=4
((jobs_at_once >= 1)) || jobs_at_once=1
pending=0 started=()
later() { # SECTION WHAT WANTED FUNCTION ARGUMENTS...
    local n=$((++pending))
    printf '%s\t%s\t%s\n' "$1" "$2" "$3" >"$tmp/job.$n"
    shift 3
    while (($(running) >= jobs_at_once)); do sleep 0.05; done
    (log=$tmp/job.$n.log; "$@" >"$tmp/job.$n.said" 2>>"$log") &
    started+=($!)
}
running() {
    local pid n=0
    for pid in "${started[@]}"; do
        if kill -0 "$pid" 2>/dev/null; then n=$((n + 1)); fi
    done
    echo $n
}
settle() {
    local n section what wanted verdict measured
    ((pending == 0)) || wait "${started[@]}"
    for ((n = 1; n <= pending; n++)); do
        IFS=$'\t' read -r section what wanted <"$tmp/job.$n"
        { read -r verdict; read -r measured; } <"$tmp/job.$n.said"
        record "$section" "${verdict:-failed}" "$what" "$wanted" "${measured:-nothing}" "$tmp/job.$n.log"
    done
    rm -f "$tmp"/job.*
    pending=0 started=()
}
now() { later "$@"; settle; }

count_verdicts() { # PATTERN
    awk -F '\t' -v p="^($1)\$" '$2 ~ p {n++} END {print n + 0}' "$tmp/rows"
}
verdict_line() {
    echo "$(count_verdicts pass) passed, $(count_verdicts missed) missed," \
        "$(count_verdicts failed) failed, $(count_verdicts skipped) skipped"
}

# A skipped check is no success. Those of section 6 were not asked for.
status_of_rows() {
    awk -F '\t' '
        $2 ~ /^(failed|missed)$/ { bad++ }
        $2 == "skipped" && $1 != 6 { left++ }
        END { print bad ? 1 : left ? 3 : 0 }' "$tmp/rows"
}

# Writes the whole report, from the rows. It appears in one step, so that nobody finds half of it.
render() {
    [[ -n $out ]] || return 0
    local i
    {
        printf '# plbrun on %s\n\n' "$model"
        printf 'scripts/gpu-check%s, ' "${quick:+ --quick}"
        printf '%s, %d s: %s.\n\n' "$began" $SECONDS "$(verdict_line)"
        [[ $ended ]] || printf 'It has not ended: this is what there was so far.\n\n'
        printf '## Summary\n\n| target | wanted | measured | |\n|---|---|---|---|\n'
        summary
        printf '\n## Claims of the documents\n\n| claim | | by |\n|---|---|---|\n'
        claim_rows
        for i in "${!sections[@]}"; do
            [[ -s $tmp/text.$i ]] || grep -q "^$i"$'\t' "$tmp/rows" || continue
            printf '\n## %d. %s\n' "$i" "${sections[i]}"
            section_table "$i"
            [[ ! -e $tmp/text.$i ]] || cat "$tmp/text.$i"
        done
    } >"$out.new" && mv "$out.new" "$out"
}
# For awk: a row as a line of a table. A verdict that needs attention is bold.
table_row='function table_row(what, wanted, measured, verdict) {
    if (verdict !~ /^(pass|skipped|shown)$/) verdict = "**" verdict "**"
    return "| " what " | " wanted " | " measured " | " verdict " |\n"
}'
section_table() { # SECTION
    awk -F '\t' -v s="$1" "$table_row"'
        $1 == s {
            if (!n++) print "\n| what | wanted | measured | |\n|---|---|---|---|"
            printf "%s", table_row($3, $4, $5, $2)
        }' "$tmp/rows"
}
# A line for the checks of each section, one for each failed check, and one for each target.
summary() {
    local i
    for i in 1 2 3 4; do
        awk -F '\t' -v s="$i" -v name="${sections[i]}" "$table_row"'
            $1 != s || $2 == "shown" { next }
            { n++ }
            $2 == "skipped" { left++ }
            $2 == "failed" {
                bad++
                lines = lines table_row(name ": " $3, $4, $5, $2)
            }
            END {
                if (!n) exit
                measured = (n - bad - left) " of " (n - left) (left ? ", and " left " skipped" : "")
                verdict = bad ? "failed" : left == n ? "skipped" : left ? "in part" : "pass"
                printf "%s%s", table_row(name, "all checks pass", measured, verdict), lines
            }' "$tmp/rows"
    done
    awk -F '\t' "$table_row"'
        $1 == 5 && $2 != "shown" { printf "%s", table_row($3, $4, $5, $2) }' "$tmp/rows"
}

# ---- numbers

calc() { awk "BEGIN {printf \"${2:-%.6g}\", ($1)}"; }      # EXPRESSION [FORMAT]
holds() { awk "BEGIN {exit !($1)}"; }                      # EXPRESSION
median() {
    sort -g | awk '
        { v[NR] = $1 }
        END { if (NR) print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'
}
spread() {
    sort -g | awk '
        { v[NR] = $1 }
        END { if (NR && v[1] > 0) printf "%.1f %%", 100 * (v[NR] - v[1]) / v[int((NR + 1) / 2)] }'
}
seconds() {
    awk -v s="$1" 'BEGIN {
        if (s >= 1) printf "%.3g s", s
        else if (s >= 1e-3) printf "%.3g ms", s * 1e3
        else printf "%.3g us", s * 1e6
    }'
}
percent() { calc "100 * ($1)" '%.1f %%'; }

# ---- plbrun's JSON report: one key a line, the PUs last

value() { awk -v k="\"$2\":" '$1 == k {gsub(/[",]/, "", $2); print $2; exit}' "$1"; } # FILE KEY
# A line for each PU: kind units blocks tasks busy_s transfer_s
pus_of() { # FILE
    awk '
        /"pus":/ { inside = 1 }
        !inside { next }
        { gsub(/[",]/, "") }
        $1 ~ /^(kind|units|blocks|tasks|busy_s|transfer_s):$/ { v[$1] = $2 }
        $1 == "refused:" {
            print v["kind:"], v["units:"], v["blocks:"], v["tasks:"], v["busy_s:"], v["transfer_s:"]
        }' "$1"
}
