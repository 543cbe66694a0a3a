#!/usr/bin/env bash
# PLB_KERNEL_PATH: folders in which kernels are looked for before the installed ones.
. "$(dirname "$0")/../support/lib.sh"

# An installation with one kernel, and two folders with kernels of a user.
mkdir -p "$tmp/home/kernels" "$tmp/first" "$tmp/second"
cp "$PLBRUN" "$tmp/home/plbrun"
cp "$BUILD/test/kernels/modes.so" "$tmp/home/kernels/modes.so"
cp "$BUILD/test/kernels/modes.so" "$tmp/second/mine.so"
PLBRUN=$tmp/home/plbrun
printf '[app]\nkernel = mine\n' >"$tmp/mine.conf"
printf '[app]\nkernel = modes\n' >"$tmp/modes.conf"

# says TEXT...: $tmp/out has one sentence of ours, with each text.
says() {
    local text
    [ "$(grep -c '^plbrun: ' "$tmp/out")" -eq 1 ] || return 1
    for text in "$@"; do grep -qF -- "$text" "$tmp/out" || return 1; done
}

alone --verify "$tmp/mine.conf"
[ $? -eq 2 ] && says "there is no kernel 'mine' in $tmp/home/kernels" modes "path of a .so" PLB_KERNEL_PATH
ok "the sentence about an unknown kernel names where it was looked for" $?

export PLB_KERNEL_PATH="$tmp/first:$tmp/nowhere"
alone --verify "$tmp/mine.conf"
[ $? -eq 2 ] && says "in $tmp/first, $tmp/nowhere (missing), $tmp/home/kernels, which has: modes"
ok "and the folders of PLB_KERNEL_PATH" $?

PLB_KERNEL_PATH="$tmp/first::$tmp/second"
alone --verify "$tmp/mine.conf"
ok "a kernel is found in PLB_KERNEL_PATH" $?
alone --kernels
[ "$(cat "$tmp/out")" = "mine         $tmp/second/mine.so
modes        $tmp/home/kernels/modes.so" ]
ok "--kernels lists the kernels of all folders" $?
alone "$tmp/mine.conf" app.kernel=mode
[ $? -eq 2 ] && says "did you mean 'modes'?"
ok "the nearest name of all folders is named" $?

(cd "$tmp" && PLB_KERNEL_PATH=second alone --verify "$tmp/mine.conf")
ok "a folder may be relative to the working folder" $?

# The other rank is started without the variable, as on another host.
timeout 120 mpirun --oversubscribe --bind-to none -np 1 "$PLBRUN" --verify "$tmp/mine.conf" \
    : -np 1 env -u PLB_KERNEL_PATH "$PLBRUN" --verify "$tmp/mine.conf" >"$tmp/out" 2>&1 &&
    grep -q '; verified' "$tmp/out"
ok "a rank that does not see the variable runs rank 0's kernel" $?

# A file that is no kernel proves which one was loaded.
echo "no object" >"$tmp/first/modes.so"
alone --verify "$tmp/modes.conf"
[ $? -eq 2 ] && grep -qF "$tmp/first/modes.so" "$tmp/out"
ok "a folder of PLB_KERNEL_PATH goes before the installed kernels" $?
rm "$tmp/first/modes.so"

# A kernel that is called `kernel` has a section [kernel], whose variables are PLB_KERNEL_...
sed 's/\.name = "modes"/.name = "kernel"/' "$root/test/kernels/modes.c" >"$tmp/kernel.c"
gcc -O1 -fopenmp -fPIC -shared -I"$root/runtime/include" -o "$tmp/second/kernel.so" "$tmp/kernel.c" -lm
printf '[app]\nkernel = kernel\n' >"$tmp/kernel.conf"
alone --verify "$tmp/kernel.conf"
[ $? -eq 0 ] && ! grep -q warning "$tmp/out"
ok "the variable is never taken for a setting that is misspelt" $?
done_testing
