#!/usr/bin/env bash
# Bad input gets one sentence with file, line, what was found and what was expected, and status 2,
# before any work starts; and nothing is left in the folders that the run could have written to.
. "$(dirname "$0")/../support/lib.sh"
[ "${SAN:-}" != thread ] || { skip "bad input" "one thread of rank 0 does it all"; done_testing; }

in=$tmp/in w=$tmp/work
mkdir "$in" "$w"
cd "$w" || exit

# sentence PATTERN: $tmp/out has one sentence of ours, with all the parts of PATTERN, split by '|'.
sentence() {
    local line part parts
    [ "$(grep -c '^plbrun: ' "$tmp/out")" -eq 1 ] || return 1
    line=$(grep '^plbrun: ' "$tmp/out")
    IFS='|' read -ra parts <<<"$1"
    for part in "${parts[@]}"; do
        [[ $line == *"$part"* ]] || { echo "the sentence lacks: $part" >>"$tmp/out"; return 1; }
    done
}
# clean: the run has left nothing in its folder; what there is goes.
clean() {
    [ -n "$(ls -A "$w")" ] || return 0
    echo "left behind: $(ls -A "$w")" >>"$tmp/out"
    rm -rf "${w:?}"/* "$w"/.[!.]*
    return 1
}

# refused NAME PATTERN ARGUMENTS...: plbrun alone says one line, which is the sentence.
refused() {
    local name=$1 pattern=$2 status; shift 2
    alone "$@"; status=$?
    [ $status -eq 2 ] && [ "$(wc -l <"$tmp/out")" -eq 1 ] && sentence "$pattern" && clean
    status=$((10 * $? + status)); [ $status -eq 2 ] || echo "status $status" >>"$tmp/out"
    ok "$name" $((status != 2))
}
# refused_conf NAME PATTERN LINE...: the same with a conf file of these lines.
refused_conf() {
    local name=$1 pattern=$2; shift 2
    lines "$in/app.conf" "$@"
    refused "$name" "$pattern" "$in/app.conf"
}
# refused_ranks N NAME PATTERN ARGUMENTS...: on N ranks still one sentence; mpirun's noise is allowed.
refused_ranks() {
    local n=$1 name=$2 pattern=$3 status; shift 3
    ranks "$n" "$@"; status=$?
    [ $status -eq 2 ] && sentence "$pattern" && clean
    ok "$n ranks: $name" $?
}

lines "$in/spmm.conf" '[app]' 'kernel = spmm' '[spmm]' 'rows = 40' 'inner = 8' 'columns = 3' 'nnz_per_row = 2'
lines "$in/matmul.conf" '[app]' 'kernel = matmul' '[matmul]' 'rows = 4' 'inner = 4' 'columns = 4'
spmm=$in/spmm.conf matmul=$in/matmul.conf

# ---------------------------------------------------------------- the program's own arguments
refused 'no conf file' 'no conf file is named|--help'
refused 'conf file missing' "$in/nope.conf|No such file|name an existing file" "$in/nope.conf"
refused 'conf file is a folder' "$in|directory" "$in"
refused 'conf file unknown after options' 'no conf file is named' --verify --quiet
refused 'setting before the conf file' "the conf file must come before 'spmm.rows=3'" spmm.rows=3
refused 'unknown option' 'unknown option --balancr|did you mean --balancer?' --balancr static "$spmm"
refused 'unknown option with a value' 'unknown option --balancr=static|did you mean --balancer?' \
    --balancr=static "$spmm"
refused 'unknown option like nothing' 'unknown option --frobnicate|--help' --frobnicate "$spmm"
refused 'unknown short options' 'unknown option -np' -np 3 "$spmm"
refused 'an option twice' '--report is given twice, as a.json and as b.html' \
    --report a.json --report b.html "$spmm"
refused 'option without value' '--report needs a value' "$spmm" --report
refused '--seed is no number' '--seed soon|whole number' --seed soon "$spmm"
refused 'second conf file' "'$matmul' is neither the conf file ($spmm) nor section.key=value" \
    "$spmm" "$matmul"
refused 'setting without a key' "command line: 'spmm=3' is not section.key=value" "$spmm" spmm=3
refused 'setting with the dot after =' "command line: 'rows=3.5' is not section.key=value" "$spmm" rows=3.5
"$PLBRUN" --balancr x >"$tmp/stdout" 2>/dev/null
[ $? -eq 2 ] && [ ! -s "$tmp/stdout" ]
ok 'the sentence goes to stderr' $?

# --------------------------------------------------------------------------- form of the conf
refused_conf 'line that is nothing' "app.conf:3: |neither a [section] nor 'key = value'" \
    '[app]' 'kernel = spmm' 'nonsense'
refused_conf 'section not closed' 'app.conf:2: |neither a [section]' '# a comment' '[app' 'kernel = spmm'
refused_conf 'first mistake counts' 'app.conf:2: |neither' '[app]' 'one' 'two' 'kernel = spmm'
refused_conf 'key before any section' 'app.conf:1: |kernel|before the first [section]' \
    'kernel = spmm' '[app]' 'kernel = spmm'
refused_conf 'line too long' 'app.conf:3: |longer than|shorten it' \
    '[app]' 'kernel = spmm' "# $(printf 'x%.0s' {1..5000})"
refused_conf 'no kernel' "app.conf: no kernel is named|kernel = NAME|[app]" '[balance]' 'balancer = static'
refused_conf 'the key kernel, misspelt' "app.conf:2: |unknown key 'kernl' in [app]|did you mean 'kernel'?" \
    '[app]' 'kernl = spmm'
refused_conf 'the section app, misspelt' 'app.conf:2: |unknown section [aap]|did you mean [app]?' \
    '[aap]' 'kernel = spmm'
refused_conf 'the kernel before any section' 'app.conf:1: |kernel stands before the first [section]' \
    'kernel = spmm' '[balance]' 'balancer = static'
refused_conf 'empty kernel' 'no kernel is named' '[app]' 'kernel ='
refused_conf 'unknown section' 'app.conf:3: |unknown section [balanse]|did you mean [balance]?' \
    '[app]' 'kernel = spmm' '[balanse]' 'balancer = static'
refused_conf 'section of another kernel' \
    'app.conf:3: |unknown section [heatflow]|app, balance, energy, run, cluster, spmm' \
    '[app]' 'kernel = spmm' '[heatflow]' 'rows = 3'
refused_conf 'unknown key in [app]' "app.conf:3: |unknown key 'kernl' in [app]|did you mean 'kernel'?" \
    '[app]' 'kernel = spmm' 'kernl = matmul'
refused_conf 'unknown key in [balance]' \
    "app.conf:4: |unknown key 'solvr' in [balance]|did you mean 'solver'?" \
    '[app]' 'kernel = spmm' '[balance]' 'solvr = slsqp'
refused_conf "unknown key in the kernel's section" \
    "app.conf:4: |unknown key 'colums' in [spmm]|did you mean 'columns'?" \
    '[app]' 'kernel = spmm' '[spmm]' 'colums = 3'
known='file, pus, master_only, threads, core_kinds, gpu_power, opencl'
refused_conf 'unknown key like nothing' \
    "app.conf:4: |unknown key 'xyzzyx' in [cluster], which knows: $known" \
    '[app]' 'kernel = spmm' '[cluster]' 'xyzzyx = 3'
refused_conf 'key twice' 'app.conf:5: rows is already set in line 4|line 4' \
    '[app]' 'kernel = spmm' '[spmm]' 'rows = 3' 'rows = 4'
refused_conf 'unknown key, indented, after comments' "app.conf:5: |'row_s'" \
    '; comment' '[app]' '  kernel = spmm # here' '[spmm]' '   row_s = 3'

# ---------------------------------------------------------------------------- names and values
refused 'unknown balancer, as option' \
    "command line: |no balancer 'statik'|did you mean 'static'?|--balancer help" --balancer statik "$spmm"
refused 'unknown balancer, as setting' "command line: |no balancer 'zzzzzz'|--balancer help lists all" \
    "$spmm" balance.balancer=zzzzzz
refused_conf 'unknown balancer, in the conf' "app.conf:4: |no balancer 'plb-hek'|did you mean 'plb-hec'?" \
    '[app]' 'kernel = spmm' '[balance]' 'balancer = plb-hek'
refused 'unknown kernel, as setting' "command line: |no kernel 'spnm'|did you mean 'spmm'?" \
    "$spmm" app.kernel=spnm
refused_conf 'source code' "app.conf:2: |x.c is source code|compile it|name the .so" '[app]' 'kernel = x.c'
refused_conf 'source code, by its path' 'lib/x.cu is source code|name the .so' '[app]' 'kernel = lib/x.cu'
refused_conf 'unknown kernel, in the conf' "app.conf:2: |no kernel 'zzzzzz'|matmul|path of a .so" \
    '[app]' 'kernel = zzzzzz'
refused 'not a number' 'command line: rows = many is not a whole number' "$spmm" spmm.rows=many
refused 'number with a tail' 'command line: rows = 12x is not a whole number' "$spmm" spmm.rows=12x
refused 'not whole' 'rows = 1.5 is not a whole number' "$spmm" spmm.rows=1.5
refused 'not finite' 'threshold = nan is not a number' "$spmm" balance.threshold=nan
refused 'empty number' 'command line: rows =|whole number' "$spmm" spmm.rows=
refused 'out of range' 'command line: rows = 0 is out of range|between 1 and 2147483647' "$spmm" spmm.rows=0
refused 'out of range, real' 'training = 0.9 is out of range|between 1e-06 and 0.2' \
    "$spmm" balance.training=0.9
refused 'not one of the choices' 'kind = powerlow is not one of uniform|powerlaw|did you mean '"'powerlaw'" \
    "$spmm" spmm.kind=powerlow
refused 'a tail factor of 0' 'tail_factor = 0 is out of range|between 1e-06 and 1' \
    "$spmm" balance.tail_factor=0
refused 'a gap threshold below 0' 'gap_threshold = -0.1 is out of range|between 0 and' \
    "$spmm" balance.gap_threshold=-0.1
refused 'the oracle in a real run' 'oracle works in simulations only|--simulate' \
    --balancer oracle "$spmm"
refused 'choice, nothing near' 'solver = abacus is not one of auto' "$spmm" balance.solver=abacus
refused 'neither yes nor no' 'master_only = maybe is not yes or no' "$spmm" cluster.master_only=maybe
refused_conf 'bad value in the conf' 'app.conf:4: pieces = -1 is out of range' \
    '[app]' 'kernel = spmm' '[balance]' 'pieces = -1'
refused_conf 'more synthetic entries than fit' '[spmm] asks for|at most' \
    '[app]' 'kernel = spmm' '[spmm]' 'rows = 1e9' 'nnz_per_row = 1e6'
# warned NAME PATTERN VARIABLE=VALUE: the run is as ever, after a warning.
warned() {
    # shellcheck disable=SC2163 # an assignment
    (export "$3"; alone "$spmm" --quiet) && [ "$(wc -l <"$tmp/out")" -eq 1 ] && sentence "$2"
    ok "$1" $?
}
warned 'misspelt variable' 'warning: |PLB_BALANCE_SOLVR is not a setting|mean PLB_BALANCE_SOLVER?' \
    PLB_BALANCE_SOLVR=auto
warned "somebody else's variable" 'warning: |PLB_CLUSTER_NAME is not a setting|--show-config lists' \
    PLB_CLUSTER_NAME=big
(export PLB_OTHER_THING=1 PLB_BALANCE=1; alone "$spmm") && ! grep -q warning "$tmp/out"
ok 'variables of no section' $?
export PLB_SPMM_ROWS=few
refused 'bad value in a variable' 'PLB_SPMM_ROWS: rows = few is not a whole number' "$spmm"
unset PLB_SPMM_ROWS

# shown NAME LINE [ARGUMENTS...]: --show-config has this line, blanks squeezed.
shown() {
    local name=$1 line=$2; shift 2
    alone --show-config "$spmm" "$@" && tr -s ' ' <"$tmp/out" | grep -qxF -- "$line"
    ok "$name" $?
}
shown 'default' 'spmm.seed = 1 default'
shown 'conf beats default' "spmm.columns = 3 $spmm:6"
export PLB_SPMM_COLUMNS=5 PLB_BALANCE_SOLVER=slsqp
shown 'environment beats conf' 'spmm.columns = 5 PLB_SPMM_COLUMNS'
shown 'command line beats environment' 'spmm.columns = 7 command line' spmm.columns=7
shown 'the last on the command line counts' 'spmm.columns = 9 command line' spmm.columns=7 spmm.columns=9
shown 'environment beats default' 'balance.solver = slsqp PLB_BALANCE_SOLVER'
shown '--balancer is a setting' 'balance.balancer = static command line' --balancer static
shown 'not set' 'spmm.matrix = not set'
unset PLB_SPMM_COLUMNS PLB_BALANCE_SOLVER

# ------------------------------------------------------------------------------ shared objects
kernels=$BUILD/test/kernels
echo 'this is no shared object' >"$in/text.so"; : >"$in/empty.so"
refused '.so missing' "command line: |$in/nope.so|does not exist" "$spmm" app.kernel="$in/nope.so"
refused '.so without plb_kernel' "no_symbol.so exports no 'plb_kernel'" \
    "$spmm" app.kernel="$kernels/no_symbol.so"
refused '.so of another ABI' \
    'other_abi.so was built for kernel ABI 53 (4000 bytes), this plbrun has ABI 12|rebuild it' \
    "$spmm" app.kernel="$kernels/other_abi.so"
refused '.so that is text' "command line: |$in/text.so|cannot load the kernel" \
    "$spmm" app.kernel="$in/text.so"
refused '.so that is empty' "$in/empty.so|file too short" "$spmm" app.kernel="$in/empty.so"
refused '.so that is a folder' "$in" "$spmm" app.kernel="$in"
cp "$kernels/no_symbol.so" "$in/beside.so"
refused_conf '.so is found beside the conf' "exports no 'plb_kernel'|$in/" '[app]' 'kernel = beside.so'

# --------------------------------------------------------------------------------- .mtx files
mtx() { lines "$in/$1.mtx" "${@:2}"; }
# refused_mtx NAME PATTERN LINE...: a matrix of these lines.
refused_mtx() {
    local name=".mtx: $1" pattern=$2; shift 2
    mtx bad "$@"
    refused "$name" "bad.mtx:$pattern" "$spmm" spmm.matrix="$in/bad.mtx" spmm.c="$w/c.npy"
}
real='%%MatrixMarket matrix coordinate real general'
refused '.mtx: missing' "command line: |matrix = $in/nope.mtx|No such file|correct the path" \
    "$spmm" spmm.matrix="$in/nope.mtx"
refused '.mtx: not named' 'matrix =' "$spmm" spmm.matrix=
refused '.mtx: a folder' "$in: is a folder" "$spmm" spmm.matrix="$in"
refused_mtx 'empty' '1: |not a Matrix Market file' ''
refused_mtx 'wrong header' "1: |not a Matrix Market file|'1 2 3'|%%MatrixMarket matrix coordinate" \
    '1 2 3' '4 5 6'
refused_mtx 'complex' '1: |complex|real' '%%MatrixMarket matrix coordinate complex general' '1 1 1' '1 1 1 0'
refused_mtx 'array' '1: |a pattern of a dense matrix|real or integer' \
    '%%MatrixMarket matrix array pattern general' '1 1' '5'
refused_mtx 'header only' '2: |before the size line' "$real"
refused_mtx 'size line' "3: |size line '2 2'|rows columns entries" "$real" '% comment' '2 2' '1 1 1'
refused_mtx 'zero rows' '2: |zero rows' "$real" '0 3 0'
refused_mtx 'row out of range' '4: row 3 is out of range|1 to 2' "$real" '2 2 2' '1 1 1' '3 1 1'
refused_mtx 'column out of range' '3: column 0 is out of range|1 to 2' "$real" '2 2 1' '1 0 1'
refused_mtx 'entry is no number' "3: |'1 1 one'|'row column value'" "$real" '2 2 1' '1 1 one'
refused_mtx 'entry not finite' "3: |not finite" "$real" '2 2 1' '1 1 nan'
refused_mtx 'fewer entries' '4: |truncated|1 of 3 entries' "$real" '2 2 3' '1 1 1'
refused_mtx 'more entries' '4: |more entries than the 1' "$real" '2 2 1' '1 1 1' '2 2 1'
{ printf '%s\n' "$real" '2 2 2' '1 1 1'; printf '2 2'; } >"$in/cut.mtx"
refused '.mtx: cut in an entry' "cut.mtx:4: |'2 2'" "$spmm" spmm.matrix="$in/cut.mtx" spmm.c="$w/c.npy"
mtx twice "$real" '3 8 4' '2 5 1.5' '1 1 2' '2 5 2.25' '3 8 -1'
mtx once "$real" '3 8 3' '1 1 2' '2 5 3.75' '3 8 -1'
alone "$spmm" --verify spmm.matrix="$in/twice.mtx" spmm.c="$in/twice.npy" &&
    alone "$spmm" --verify spmm.matrix="$in/once.mtx" spmm.c="$in/once.npy" &&
    cmp "$in/twice.npy" "$in/once.npy" >"$tmp/out" 2>&1
ok '.mtx: duplicates are summed' $?

# --------------------------------------------------------------------------------- .npy files
# npy NAME DESCR SHAPE BYTES: version 1.0, header padded to 128 bytes, data all zero.
npy() {
    { printf '\x93NUMPY\x01\x00\x76\x00%-117s\n' "{'descr': '$2', 'fortran_order': False, 'shape': ($3), }"
      head -c "$4" /dev/zero; } >"$in/$1.npy"
}
# refused_npy NAME PATTERN DESCR SHAPE BYTES: as matmul's a.
refused_npy() {
    npy bad "${@:3}"
    refused ".npy: $1" "bad.npy: |$2" "$matmul" matmul.a="$in/bad.npy" matmul.c="$w/c.npy"
}
refused_npy 'complex numbers' "'<c8'|real or whole numbers|astype" '<c8' '4, 4' 128
refused_npy 'big-endian' "'>f8'|big-endian|astype" '>f8' '4, 4' 128
refused_npy 'truncated' 'truncated: 100 bytes of data found, 128 expected|(4, 4)' '<f8' '4, 4' 100
refused_npy 'too long' 'extra bytes|136 bytes of data found, 128 expected' '<f8' '4, 4' 136
refused_npy 'three dimensions' '3 dimensions|one or two|reshape' '<f8' '2, 2, 4' 128
refused_npy 'zero rows' '(0, 4)|zero rows|at least one' '<f8' '0, 4' 0
refused_npy 'malformed header' 'malformed .npy header' '<f8' '4; 4' 128
echo 'a,b,c' >"$in/text.npy"
: >"$in/empty.npy"
npy good '<f8' '4, 4' 128
head -c 50 "$in/good.npy" >"$in/short.npy"
refused '.npy: missing' "a = $in/nope.npy|No such file|correct the path" "$matmul" matmul.a="$in/nope.npy"
refused '.npy: a text file' 'text.npy: is not an .npy file|numpy.save' "$matmul" matmul.a="$in/text.npy"
refused '.npy: empty' 'empty.npy: is not an .npy file: it is empty' "$matmul" matmul.b="$in/empty.npy"
refused '.npy: cut in its header' 'short.npy: is truncated inside its header|50 bytes' \
    "$matmul" matmul.a="$in/short.npy"
alone "$matmul" --verify matmul.a="$in/good.npy"; ok '.npy: a good one is read' $?
npy wide '<f8' '3, 5' 120; npy single '<f4' '4, 4' 64
refused 'matmul: shapes differ' 'A is 4 x 4 and B is 3 x 5|correct a and b in [matmul]' \
    "$matmul" matmul.a="$in/good.npy" matmul.b="$in/wide.npy" matmul.c="$w/c.npy"
lines "$in/nan.mtx" '%%MatrixMarket matrix array real general' '2 2' 1 nan 3 -inf
refused '.mtx: nan' "nan.mtx:4: |the value in 'nan' is not finite" "$spmm" spmm.matrix="$in/nan.mtx"
alone "$spmm" --verify spmm.matrix="$in/nan.mtx" spmm.nonfinite=yes; ok '.mtx: nan that is wanted' $?
lines "$in/pattern.mtx" '%%MatrixMarket matrix coordinate pattern general' '2 2 2' '1 1 5' '2 2 6'
alone "$spmm" --verify spmm.matrix="$in/pattern.mtx" \
    && [ "$(grep -c 'warning: .*pattern.mtx:1: ' "$tmp/out")" -eq 1 ]
ok '.mtx: values in a pattern file are ignored, with one warning' $?
many=2147483647 growth=$root/hostfiles/growth.cluster
refused 'matmul: A beyond 2^63 bytes' "A is $many x $many|2^63 bytes or more|smaller A" \
    "$matmul" --simulate "$growth" matmul.rows=$many matmul.inner=$many
refused 'matmul: C beyond 2^63 bytes' "buffer 'C' has 2^63 bytes or more" \
    "$matmul" --simulate "$growth" matmul.rows=$many matmul.columns=$many
refused 'spmm: B beyond 2^63 bytes' "B is $many x $many|2^63 bytes or more|smaller B" \
    "$spmm" --simulate "$growth" spmm.inner=$many spmm.columns=$many
refused 'matmul: types differ' 'A is float64 and B is float32|astype' \
    "$matmul" matmul.a="$in/good.npy" matmul.b="$in/single.npy"
refused 'spmm: shapes differ' 'A is 3 x 8 and B is 4 x 4|correct matrix and b in [spmm]' \
    "$spmm" spmm.matrix="$in/once.mtx" spmm.b="$in/good.npy" spmm.c="$w/c.npy"
lines "$in/triad.conf" '[app]' 'kernel = triad' '[triad]' 'elements = 8192'
triad=$in/triad.conf
npy two '<f8' '8192,' 65536; npy three '<f8' '12288,' 98304; npy half '<f4' '8192,' 32768
refused 'triad: shapes differ' 'b is 8192 x 1 and c is 12288 x 1|correct b and c in [triad]' \
    "$triad" triad.b="$in/two.npy" triad.c="$in/three.npy" triad.a="$w/a.npy"
refused 'triad: float32' "$in/half.npy: is float32|float64|astype" \
    "$triad" triad.b="$in/two.npy" triad.c="$in/half.npy"
refused 'triad: not whole chunks' \
    'triad has 10000 elements|multiple of the 4096|(12288 is)|correct elements in [triad]' \
    "$triad" triad.elements=10000
refused 'triad: files of not whole chunks' 'triad has 16 elements|correct b and c in [triad]' \
    "$triad" triad.b="$in/good.npy"

# ----------------------------------------------------------------------------------- outputs
refused 'output: folder missing' "command line: |c = $w/no/c.npy|does not exist|create $w/no" \
    "$spmm" spmm.c="$w/no/c.npy"
refused 'output: is a folder' "command line: c = $w is a folder|name a file" "$spmm" spmm.c="$w"
refused 'output: ends like a folder' 'command line: c = new/ is a folder' "$spmm" spmm.c=new/
refused 'output: empty' 'command line: c |empty' "$spmm" spmm.c=
refused_conf 'output: in the conf' 'app.conf:4: |c = '"$in/no/c.npy|does not exist" \
    '[app]' 'kernel = spmm' '[spmm]' 'c = no/c.npy'
refused '--report: folder missing' "$w/no/r.json|No such file" "$spmm" --report "$w/no/r.json"
refused '--report: is a folder' "$in is a folder|name a file" "$spmm" --report "$in"
refused '--trace: folder missing' "$w/no/t.json|No such file" "$spmm" --trace "$w/no/t.json"
refused '--report: empty' 'name of the report or trace is empty' "$spmm" --report ''
refused '--report: ends like a folder' 'o/ is a folder' "$spmm" --report o/
refused '--report and --trace: the same file' 'both name x.json|two files' \
    "$spmm" --report x.json --trace x.json
refused '--trace: is a folder' "$in is a folder|name a file" "$spmm" --trace "$in"
refused '--report: no such format' 'r.pdf: a report is written as .json (for programs) or .html (a page)' \
    "$spmm" --report "$w/r.pdf"
refused '--trace: no such format' "t.svg: a trace is written as .json" "$spmm" --trace "$w/t.svg"
nobody=(setpriv --reuid=65534 --regid=65534 --clear-groups)
chmod 755 "$tmp" "$in" "$w"
if [ "$(id -u)" -ne 0 ] || ! HOME=/tmp "${nobody[@]}" "$PLBRUN" --dry-run "$spmm" >/dev/null 2>&1; then
    skip 'output: folder not writable' 'needs root, setpriv, and a plbrun that nobody may run'
    skip '--report: folder not writable' 'needs root, setpriv, and a plbrun that nobody may run'
else
    alone() { HOME=/tmp timeout 120 "${nobody[@]}" "$PLBRUN" "$@" >"$tmp/out" 2>&1; }
    refused 'output: folder not writable' "c|$w|cannot be written|permissions" "$spmm" spmm.c="$w/c.npy"
    refused '--report: folder not writable' "$w/r.json|Permission denied" "$spmm" --report "$w/r.json"
    alone() { timeout 120 "$PLBRUN" "$@" >"$tmp/out" 2>&1; }
fi

# ------------------------------------------------------------------------------ .cluster files
pu=('[pu a]' 'kind = cpu' 'rate = 1e9')
# refused_cluster NAME PATTERN LINE...: a cluster of these lines, simulated.
refused_cluster() {
    local name=".cluster: $1" pattern=$2; shift 2
    lines "$in/bad.cluster" "$@"
    refused "$name" "bad.cluster$pattern" "$spmm" --simulate "$in/bad.cluster"
}
refused '--simulate: file missing' "$in/nope.cluster|No such file" "$spmm" --simulate "$in/nope.cluster"
refused 'cluster.file missing' "file = $in/nope.cluster|No such file" "$spmm" cluster.file="$in/nope.cluster"
refused_cluster 'PU not described' ":2: PU 'b' is not described|[pu b]" '[node x]' 'pus = a, b' "${pu[@]}"
refused_cluster 'node without pus' ":2: [node x] has no 'pus" '[node x]' 'latency = 1e-5' "${pu[@]}"
refused_cluster 'node with nothing' '|y|pus' '[node x]' 'pus = a' '[node y]' "${pu[@]}"
refused_cluster 'node with no pus named' ':2: pus = |names of [pu' '[node x]' 'pus =' "${pu[@]}"
refused_cluster 'key like none' ":3: unknown key 'xyzzyx' in [node x]|which knows: pus, bandwidth, latency" \
    '[node x]' 'pus = a' 'xyzzyx = 1' "${pu[@]}"
refused_cluster 'unknown key of a node' ":3: unknown key 'latenzy' in [node x]|'latency'" \
    '[node x]' 'pus = a' 'latenzy = 1' "${pu[@]}"
refused_cluster 'unknown key of a PU' ":6: unknown key 'slowdwn' in [pu a]|'slowdown'" \
    '[node x]' 'pus = a' "${pu[@]}" 'slowdwn = 2'
refused_cluster 'bad number' ':6: half = lots|expected' '[node x]' 'pus = a' "${pu[@]}" 'half = lots'
refused_cluster 'number out of range' ':5: rate = -1|above 0' \
    '[node x]' 'pus = a' '[pu a]' 'kind = cpu' 'rate = -1'
refused_cluster 'bad kind' ':4: kind = tpu|cpu, gpu or accelerator' \
    '[node x]' 'pus = a' '[pu a]' 'kind = tpu' 'rate = 1'
refused_cluster 'bad count' ':3: count = 0|1 or more' '[node x]' 'pus = a' 'count = 0' "${pu[@]}"
refused_cluster 'bad copy' ':6: copy = fast|6e9, 1e-5' '[node x]' 'pus = a' "${pu[@]}" 'copy = fast'
refused_cluster 'bad slow' ':6: slow = 3|142:3' '[node x]' 'pus = a' "${pu[@]}" 'slow = 3'
refused_cluster 'unknown key of the simulation' ":3: unknown key 'mesage' in [simulation]|'message'" \
    '[simulation]' 'fit = 0' 'mesage = 1e-6' '[node x]' 'pus = a' "${pu[@]}"
refused_cluster 'bad key of the simulation' ':2: solve = -1|0 or more' \
    '[simulation]' 'solve = -1' '[node x]' 'pus = a' "${pu[@]}"
refused_cluster 'no nodes' ': no [node NAME] section' "${pu[@]}"
refused_cluster 'wrong section' ':2: section [host x]|[node NAME], [pu NAME] or [simulation]' \
    '' '[host x]' 'pus = a' "${pu[@]}"
refused_cluster 'key twice in a node' ':3: |count|already|line 2' '[node x]' 'count = 2' 'count = 1' \
    'pus = a' 'pus = a, a' "${pu[@]}"
refused_cluster 'key twice in a PU' ':6: |rate|already|line 5' '[node x]' 'pus = a' "${pu[@]}" 'rate = 2e9'
refused_cluster 'node twice' ':3: |already in line 1' '[node x]' 'pus = a' '[node x]' 'pus = a' "${pu[@]}"
refused_cluster 'PU without rate' ":2: PU 'a' has no rate|rate =|[pu a]" \
    '[node x]' 'pus = a' '[pu a]' 'kind = cpu'
lines "$in/one.cluster" '[node x]' 'pus = a' "${pu[@]}"
lines "$in/three.cluster" '[node x]' 'pus = a' 'count = 3' "${pu[@]}"
alone "$spmm" --simulate "$in/three.cluster"; ok '.cluster: a good one is simulated' $?
refused '--verify with --simulate' 'simulation|leave out --verify or --simulate' \
    "$spmm" --verify --simulate "$in/one.cluster"
refused 'simulated master_only, one node' 'master_only|one.cluster|one node' \
    "$spmm" cluster.master_only=yes --simulate "$in/one.cluster"
refused 'master_only, one rank' 'command line: with master_only|rank|-np 2' "$spmm" cluster.master_only=yes
refused 'more PUs than a rank can have' 'rank 0|4000 PUs|3998|more ranks' --log error -j 4000 --run true ::: a
refused 'one rank, three nodes' "$in/three.cluster describes 3 nodes|1 rank|-np 3" \
    "$spmm" cluster.file="$in/three.cluster"

# ------------------------------------------------------------------------------ several ranks
refused_ranks 2 'no conf file' 'no conf file is named'
# mpirun ends all ranks as soon as one fails, so the other rank must not be faster than the one that speaks.
timeout 120 mpirun --oversubscribe --bind-to none \
    -np 1 sh -c 'sleep 0.2; exec "$0" --balancr' "$PLBRUN" : -np 1 "$PLBRUN" --balancr >"$tmp/out" 2>&1
[ $? -eq 2 ] && sentence 'unknown option --balancr'
ok "2 ranks: a wrong argument, which rank 0 is the last to see" $?
refused_ranks 2 'unknown key' "unknown key 'colums'|'columns'" "$spmm" spmm.colums=3
refused_ranks 2 'truncated input' 'cut.mtx:4: ' "$spmm" spmm.matrix="$in/cut.mtx" spmm.c="$w/c.npy"
refused_ranks 2 'three nodes' 'describes 3 nodes|2 ranks|-np 3' "$spmm" cluster.file="$in/three.cluster"
refused_ranks 2 'one node' 'describes 1 node |2 ranks|-np 1' "$spmm" cluster.file="$in/one.cluster"
lines "$in/dies.cluster" '[node n]' 'pus = a' '[pu a]' 'slow = 1:0'
alone --quiet "$spmm" cluster.file="$in/dies.cluster" \
    && sentence 'warning: |slow = 1:0 of PU a has an effect only in simulations'
ok 'a PU that is emulated cannot die' $?
refused_ranks 2 'simulation' "nope.cluster" "$spmm" --simulate "$in/nope.cluster"
done_testing
