#!/usr/bin/env bash
# Profiles from run to run: written, used, set aside, dropped and listed, in a cache folder of the test's own.
# test/run: alone, since a profile is believed while the naps of the test's kernel take the same time in every
# run.
. "$(dirname "$0")/../support/lib.sh"
if [ -n "${SAN:-}" ]; then
    skip "profiles" "test/unit/test_profile reads and writes them under sanitizers"
    done_testing
fi
export HOME=$tmp/home
unset PLB_BALANCE_PROFILE
profiles=$tmp/cache/plbrun/profiles

says() { grep -q -- "$2" "$tmp/out"; ok "$1" $?; }
never_says() { [ -s "$tmp/out" ] && ! grep -q -- "$2" "$tmp/out"; ok "$1" $?; }
files() { find "$tmp/cache" "$tmp/home" -name "$1" 2>/dev/null | wc -l; }
# used N: the report says that N PUs began with a profile.
used() { grep -q "\"profiles_used\": $2," "$tmp/r.json" 2>>"$tmp/out"; ok "$1" $?; }

lines "$tmp/nap.conf" '[app]' "kernel = $BUILD/test/kernels/sleeper.so" '[sleeper]' 'units = 1000' \
    '[balance]' 'profile = on'
cat >"$tmp/two.cluster" <<'END2'
[node a]
pus = one
[node b]
pus = two
[pu one]
slowdown = 1
rate = 1000
[pu two]
slowdown = 1.5
rate = 1500
END2
nap() { ranks 2 --report "$tmp/r.json" "$tmp/nap.conf" "$@"; }
# A run that N profiles served to its end.
nap_using() { local n=$1; shift; nap "$@" && grep -q "\"profiles_used\": $n," "$tmp/r.json"; }
emulated_pus() {
    nap cluster.file="$tmp/two.cluster" &&
        [ "$(grep -l '^kind = emulated cpu' "$profiles"/*.profile | wc -l)" -eq 2 ]
}

alone --profiles
ok "--profiles before there are any, without a conf file" $?
says "says where they would be" "no profiles in $profiles"
nap balance.profile=sometimes
[ $? -eq 2 ]
ok "profile = sometimes is a mistake" $?
says "that names the choices" "off|read|write|on"
nap balance.profile=off && nap balance.profile=read && ranks 2 --dry-run "$tmp/nap.conf"
ok "profile = off, read, and a dry run" $?
[ -s "$tmp/out" ] && [ ! -e "$tmp/cache" ] && [ ! -e "$tmp/home" ]
ok "write nothing" $?

nap
ok "the first run with profile = on" $?
used "begins with none" 0
[ "$(files '*.profile')" -eq 1 ] && [ "$(files '*')" -eq 4 ]
ok "two PUs of one model leave one file, and nothing else" $?
[ "$(stat -c %a "$profiles")" = 700 ]
ok "in a folder for its owner alone" $?
file=$(find "$profiles" -name '*.profile')
file=${file:-$tmp/none.profile}
tries nap_using 2 --verbose
ok "the second run" $?
used "begins with the first one's" 2
says "the summary says so" "2 PUs started from earlier measurements$"
says "--verbose says where from" "2 of 2 .*$profiles"
nap balance.profile=write
used "profile = write reads none" 0
nap balance.profile=off
said=$?
used "profile = off neither" 0
[ $said -eq 0 ] && ! grep -q 'profiles:' "$tmp/out"
ok "and does not speak of it" $?
# A quiet machine does not believe the profile of a busy one: each try begins with a new profile.
reads_what_was_written() { nap balance.profile=write && nap_using 2 balance.profile=read; }
tries reads_what_was_written
used "profile = read does" 2

cp "$file" "$tmp/whole"
nap cluster.file="$tmp/two.cluster" --verify 2>/dev/null
[ $? -eq 2 ]
ok "a run that cannot begin" $?
nap cluster.file="$tmp/two.cluster"
ok "emulated PUs" $?
used "have others than the machine they run on" 0
tries emulated_pus
ok "one each" $?
# A profile of a run that was disturbed is not believed, so that another try begins with other profiles.
changed() {
    sed -i 's/slowdown = 1.7/slowdown = 1.5/' "$tmp/two.cluster"
    emulated_pus || return
    sed -i 's/slowdown = 1.5/slowdown = 1.7/' "$tmp/two.cluster"
    nap_using 1 cluster.file="$tmp/two.cluster" balance.profile=read
}
tries changed
used "and the one whose slowdown changes is another" 1
rm "$profiles"/*; cp "$tmp/whole" "$file"

# the checksum covers everything: half a file, and one that was edited
head -c 200 "$tmp/whole" >"$file"
nap balance.profile=read
ok "a profile cut in half does not stop a run" $?
used "which begins without it" 0
says "says what is wrong and what was done" "warning: the profile $file is damaged: .*renamed"
[ ! -e "$file" ] && [ "$(stat -c %s "$file.damaged")" -eq 200 ]
ok "and sets it aside as it is" $?
sed 's/^threads = .*/threads = 7/' "$tmp/whole" >"$file"
nap balance.profile=read
says "one that was edited neither" "checksum is wrong"
head -c 300 "$tmp/whole" >"${file%.profile}x.profile"
cp "$tmp/whole" "$file"
alone --profiles
ok "--profiles lists" $?
says "where they are" "Profiles in $profiles:"
says "kernel and samples" "^$(basename "$file") .*sleeper .*samples .*0 min old"
says "and marks what was set aside" "^$(basename "$file").damaged .*damaged: renamed"
says "and what is damaged" "x.profile .*damaged: .*truncated"
[ "$(wc -l <"$tmp/out")" -eq 4 ] && [ -e "${file%.profile}x.profile" ]
ok "a line each, and changes nothing" $?
ranks 2 --profiles
[ "$(wc -l <"$tmp/out")" -eq 4 ]
ok "on several ranks once" $?
rm -r "$tmp/cache"

# what did not end well leaves nothing
printf '[app]\nkernel = %s\n[balance]\nprofile = on\n' "$BUILD/test/kernels/faulty.so" >"$tmp/faulty.conf"
ranks 2 "$tmp/faulty.conf" faulty.fault=entry
[ $? -eq 1 ] && [ "$(files '*.profile')" -eq 0 ]
ok "a run that fails writes none" $?
ranks 2 --verify "$tmp/faulty.conf" faulty.fault=wrong
[ $? -eq 3 ] && [ "$(files '*.profile')" -eq 0 ]
ok "nor does one with a wrong result" $?
ranks 2 --verify "$tmp/faulty.conf"
[ $? -eq 0 ] && [ "$(files '*.profile')" -eq 1 ]
ok "as the same kernel without a mistake does" $?
rm -r "$tmp/cache"

# no folder to be had
XDG_CACHE_HOME=relative HOME='' nap --verbose
ok "without a folder the run goes on" $?
says "and says so with --verbose" "profiles are off: neither XDG_CACHE_HOME nor HOME"
: >"$tmp/plain"
XDG_CACHE_HOME=$tmp/plain nap --verbose
ok "as where it cannot be made" $?
says "which it says too" "profiles are off: $tmp/plain/plbrun cannot be created"
XDG_CACHE_HOME=$tmp/plain nap
says "without --verbose as well: it was asked for" \
    "warning: profiles are off: $tmp/plain/plbrun cannot be created"

# in virtual time, with a PU that has become slow
simulated() { alone --simulate "$tmp/two.cluster" --report "$tmp/r.json" "$tmp/nap.conf" "$@"; }
simulated balance.profile=off && [ "$(files '*.profile')" -eq 0 ]
ok "a simulation with profile = off writes none" $?
simulated
[ "$(grep -l '^kind = simulated cpu' "$profiles"/*.profile | wc -l)" -eq 2 ]
ok "one with profile = on writes those of simulated PUs" $?
simulated
used "and uses them" 2
before=$(cat "$profiles"/*.profile | cksum)
printf 'slow = 0:3\n' >>"$tmp/two.cluster"
simulated balance.profile=read
used "a PU that is three times slower" 1
grep -q '"profiles_dropped": 1,' "$tmp/r.json"
ok "drops its profile" $?
says "and the summary says so" "2 PUs started from earlier measurements; 1 of them dropped these"
[ "$(files '*.profile')" -gt 0 ] && [ "$(cat "$profiles"/*.profile | cksum)" = "$before" ]
ok "profile = read leaves the file" $?
simulated
[ "$(cat "$profiles"/*.profile | cksum)" != "$before" ] && simulated
used "profile = on replaces it by what is true now" 2
# in a simulation: no training with a profile, and shares by it
virtual() { alone --simulate "$tmp/two.cluster" --report "$tmp/r.json" "$tmp/nap.conf" "$@"; }
rm -f "$profiles"/*
virtual --balancer static balance.static.source=profile
[ $? -eq 2 ]
ok "static.source = profile without a profile is a mistake" $?
says "that names a PU and the remedy" \
    "for PU 0 (one); run it once with another balancer and balance.profile=on"
virtual --balancer plb-hac && ! grep -q '"profile_s": 0.0,' "$tmp/r.json"
ok "the first simulated run trains" $?
virtual --balancer plb-hac && grep -q '"profile_s": 0.0,' "$tmp/r.json"
ok "the second does not" $?
virtual --balancer static balance.static.source=profile && grep -q '"units": 667,' "$tmp/r.json"
ok "static by profile shares 2 : 1, as 1000/s and a third of 1500/s are" $?
ranks 2 --balancer static "$tmp/nap.conf" balance.static.source=profile balance.profile=read
[ $? -eq 2 ]
ok "over real ranks it wants their own profile" $?
says "with the same sentence" "static.source = profile, but there is no profile"
done_testing
