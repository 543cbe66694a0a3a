#!/usr/bin/env bash
# Quick and slow cores: an XML of hwloc says which core is which. A program on the slow one lasts as long as
# four on the quick one, and an entry four times as long. So quick cores get more.
. "$(dirname "$0")/../support/lib.sh"
cd "$tmp" || exit 1
unset PLB_CLUSTER_THREADS # test/run sets it for the thread sanitizer

# machine FILE P E: CPUs 0 and 1 are cores, of these efficiencies.
machine() {
    local object='cpuset="0x3" complete_cpuset="0x3" nodeset="0x1" complete_nodeset="0x1"' cpu
    echo '<?xml version="1.0"?><topology version="2.0">'
    echo "<object type=\"Machine\" os_index=\"0\" $object allowed_cpuset=\"0x3\" allowed_nodeset=\"0x1\">"
    echo "<object type=\"Package\" os_index=\"0\" $object>"
    echo "<object type=\"NUMANode\" os_index=\"0\" $object local_memory=\"1073741824\"/>"
    for cpu in 0 1; do
        object="os_index=\"$cpu\" cpuset=\"0x0000000$((cpu + 1))\" complete_cpuset=\"0x0000000$((cpu + 1))\""
        object+=' nodeset="0x1" complete_nodeset="0x1"'
        echo "<object type=\"Core\" $object><object type=\"PU\" $object/></object>"
    done
    echo '</object></object><support name="discovery.pu"/>'
    echo "<cpukind cpuset=\"0x00000001\" forced_efficiency=\"$1\"/>"
    echo "<cpukind cpuset=\"0x00000002\" forced_efficiency=\"$2\"/></topology>"
}
machine 5 1 >unlike.xml
machine 1 1 >alike.xml
if ! taskset -c 0,1 true 2>/dev/null; then
    skip "quick and slow cores" "CPUs 0 and 1 are not both there for this test"
    done_testing
fi

# on FILE ARGUMENTS...: plbrun on that machine.
on() {
    HWLOC_XMLFILE=$1 HWLOC_THISSYSTEM=1 timeout "$PATIENCE" taskset -c 0,1 "$PLBRUN" "${@:2}" \
        --report r.json 2>out
}
# pus: the name and the units of each PU.
pus() { python3 -c "import json
for pu in json.load(open('r.json'))['pus']: print(' '.join(pu['name'].split()[-2:]), pu['units'])"; }
# more_on_p ALL: so many units, and the quick core had more than twice as many as the slow one.
more_on_p() {
    pus | awk -v all="$1" '$2 == "cores" { n[$1] += $3; k++ }
        END { exit !(k == 2 && n["P"] + n["E"] == all && n["P"] > 2 * n["E"]) }'
}

# A slow line ends when four quick ones have, or when all lines have begun, however busy the machine is.
# shellcheck disable=SC2016 # the programs' own variables
line='cpu=$(sed -n "s/^Cpus_allowed_list:[[:space:]]*//p" /proc/self/status)
    echo "$cpu"; : {}'
# shellcheck disable=SC2016
paced='; : >begun.{}; count() { set -- $1.*; [ -e "$1" ] || shift; echo $#; }; wanted=$(($(count ended) + 4))
    if [ "$cpu" = 0 ]; then sleep 0.02; : >ended.{}; fi
    while [ "$cpu" = 1 ] && [ $(count ended) -lt $wanted ] && [ $(count begun) -lt 40 ]; do sleep 0.05; done'
on unlike.xml --run "$line$paced" --range 1-40 >stdout
[ $? -eq 0 ] && more_on_p 40 && [ "$(sort -u stdout | xargs)" = '0 1' ] &&
    [ "$(grep -cx 0 stdout)" -eq "$(pus | awk '$1 == "P" { print $3 }')" ]
ok "a slot of each kind, and a quick one gets more lines" $?
on unlike.xml -j 1 --run "$line" --range 1-5 >stdout
[ $? -eq 0 ] && [ "$(sort -u stdout)" = 0 ] && [ "$(pus)" = 'P cores 5' ]
ok "one slot alone is on the quick core" $?
for without in alike.xml 'unlike.xml cluster.core_kinds=no'; do
    # shellcheck disable=SC2086 # two words
    on $without --run "$line" --range 1-5 >stdout
    [ $? -eq 0 ] && [ "$(sort -u stdout)" = 0-1 ] && [ "$(pus | grep -c cores)" -eq 0 ]
    ok "no slot is bound: $without" $?
done

cat >kind.c <<'C'
#define _GNU_SOURCE
#include <omp.h>
#include <plb/kernel.h>
#include <sched.h>
#include <stdatomic.h>
#include <time.h>

static _Atomic int64_t quick; /* units that the quick core has executed */

static void nap(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
}

static int setup(struct plb_app *app)
{
    plb_app_units(app, 400);
    return PLB_OK;
}

/* Threads of a team are where the PU's thread is. A slow unit ends when four quick ones have, however busy
 * the machine is, or after 200 ms, as the quick core may have nothing to do. */
static int entry(const struct plb_task *task)
{
    int slow = 0, threads = task->threads;
#pragma omp parallel num_threads(threads) reduction(+ : slow)
    {
        cpu_set_t cpus;
        sched_getaffinity(0, sizeof cpus, &cpus);
        slow += CPU_ISSET(1, &cpus);
    }
    if (slow != 0 && slow != threads)
        return 1;
    for (int64_t i = 0; i < task->count; i++) {
        int64_t since = quick;
        for (int naps = 0; slow > 0 && naps < 100 && quick < since + 4; naps++)
            nap();
        if (slow == 0) {
            nap();
            quick++;
        }
    }
    return 0;
}

const struct plb_kernel plb_kernel = {
    .name = "kind", PLB_KERNEL_HEAD, .unit = "rows", .summary = "sleeps", .cpu = entry, .setup = setup};
C
lines kind.conf '[app]' 'kernel = ./kind.so'
if gcc -std=c11 -fopenmp -fPIC -shared -I"$root/runtime/include" -o kind.so kind.c >out 2>&1; then
    on unlike.xml kind.conf >stdout && more_on_p 400
    ok "each kind is a PU of a kernel with threads, and the quick one gets more units" $?
    on unlike.xml kind.conf cluster.threads=4 >stdout && more_on_p 400
    ok "also with two threads for each" $?
else
    ok "a kernel is built" 1
fi
done_testing
