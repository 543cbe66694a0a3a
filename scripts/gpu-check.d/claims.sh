# shellcheck shell=bash disable=SC2154 # what other parts set and use
# Of scripts/gpu-check: what the checks say of each claim of docs/guide/gpus.md, and of the bits of results in
# docs/reference/kernels.md. The file `claims` has a line for each: which rows of the report decide, and the
# words of the claim. A row decides what it tries itself, and no more. -: no check here tries it.

# A claim holds where a row says so, and none says the contrary. Rows that were skipped or only shown say
# nothing.
claim_rows() {
    local pattern claim
    while IFS=$'\t' read -r pattern claim; do
        awk -F '\t' -v pattern="$pattern" -v claim="$claim" '
            pattern == "-" { why = "no check here tries it"; next }
            $3 !~ pattern { next }
            $2 == "pass" { holds++ }
            $2 == "failed" || $2 == "missed" { fails++ }
            $2 == "skipped" && why == "" { why = $5 }
            END {
                word = fails ? "**does not**" : holds ? "holds" : "not tried"
                if (why == "") why = "no such check was run"
                basis = holds + fails ? sprintf("%d of %d checks", holds, holds + fails) : why
                printf "| %s | %s | %s |\n", claim, word, basis
            }' "$tmp/rows"
    done <"$top/scripts/gpu-check.d/claims"
}
