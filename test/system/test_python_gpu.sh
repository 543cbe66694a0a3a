#!/usr/bin/env bash
# entry_gpu of a kernel in Python, on the fake CUDA runtime. Modules stand in for CuPy and Numba: their arrays
# are NumPy's, at addresses that the fake must know as those of a device.
. "$(dirname "$0")/../support/lib.sh"
cd "$tmp" || exit 1
fake=$BUILD/test/fake-cuda
if [ -n "${SAN:-}" ]; then skip "kernels in Python" "the interpreter leaks on purpose"; done_testing; fi
if [ ! -e "$fake/libcudart.so.13" ]; then
    skip "entry_gpu" "plbrun was built without CUDA's headers"
    done_testing
fi
unset PLB_CLUSTER_PUS
lines none.conf '[app]' 'kernel = none.py'
printf 'def setup(job): job.units = 1\ndef entry(task): pass\n' >none.py
if ! alone none.conf && [ -x /usr/bin/python3 ]; then export PLB_PYTHON=/usr/bin/python3; fi
if ! alone none.conf; then
    skip "entry_gpu" "there is no Python with NumPy and a shared library"
    done_testing
fi
export LD_LIBRARY_PATH=$fake${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} PLB_FAKE_CUDA=devices=1

mkdir -p lib/numba
cat >lib/stands_in.py <<'P'
import ctypes

import numpy as np

cuda = ctypes.CDLL("libcudart.so.13")


class Stream:
    """All that was enqueued before has been done: what follows is done at once."""

    def __init__(self, at):
        self.at = at

    def wait(self):
        assert self.at and cuda.cudaStreamSynchronize(ctypes.c_void_p(self.at)) == 0


def array(device):
    face = device.__cuda_array_interface__
    at, dtype = face["data"][0], np.dtype(face["typestr"])
    n = dtype.itemsize * int(np.prod(face["shape"]))
    cuda.cudaFakeOperand(b"cudaStreamSynchronize", ctypes.c_void_p(at), ctypes.c_size_t(n))
    return np.frombuffer((ctypes.c_char * n).from_address(at), dtype).reshape(face["shape"])
P
cat >lib/cupy.py <<'P'
import types

import numpy
import stands_in


class ExternalStream(stands_in.Stream):
    def __enter__(self):
        self.wait()
        return self

    def __exit__(self, *error):
        pass


cuda, asarray = types.SimpleNamespace(ExternalStream=ExternalStream), stands_in.array


def __getattr__(name):
    return getattr(numpy, name)
P
: >lib/numba/__init__.py
cat >lib/numba/cuda.py <<'P'
import stands_in
from numpy import empty as device_array


def external_stream(at):
    return stands_in.Stream(at)


def as_cuda_array(array, sync=True):
    assert not sync
    return stands_in.array(array)
P

# Every mode of data, in two passes. A row says who has computed it. With `meet` tasks of the second pass wait
# until both entries have begun there.
cat >modes.py <<'P'
import time

import numpy as np

unit, writes_all = "rows", True
options = {"n": (int, 500, "rows"), "fails": (bool, False, "whether the GPU's entry does"),
           "meet": (bool, False, "whether tasks wait for both entries")}
begun = set()


def meet(task, table, who):
    if task.options["meet"] and table[0] == 3.0:
        begun.add(who)
        while len(begun) < 2:
            time.sleep(0.001)


def setup(job):
    job.units = job.options["n"]
    job.x = job.partition("x", np.arange(job.units * 3.0).reshape(-1, 3), before=1, after=1)
    job.table = job.replicate("table", np.full(3, 2.0))
    job.output("out", np.float64, 3)
    job.output("by", np.int32, save="by.npy")
    job.reduce("total", np.float64, op="sum")


def entry(task, x, table, out, by, total):
    meet(task, table, "CPU")
    compute(task, x, table, out, by, total)


def compute(task, x, table, out, by, total):
    low, xp = task.before["x"], task.xp
    rows = xp.pad(x, ((1 - low, 1 - task.after["x"]), (0, 0)))
    out[:] = (rows[:-2] + rows[2:] + x[low : low + task.count]) * table
    by[:] = 0
    total += out.sum()


def entry_gpu(task, total, x, table, out, by):
    assert task.stream.at
    if task.options["fails"]:
        raise ValueError("the GPU is tired")
    if gpu == "numba":
        task.stream.wait()
        task.xp = np
    meet(task, table, "GPU")
    compute(task, x, table, out, by, total)
    by[:] = 1


gpu = "cupy"


def next(job, number):
    job.table[:] = 3.0
    job.replace("table")
    return number == 0


def verify(job):
    rows = np.pad(job.x, ((1, 1), (0, 0)))
    right = (rows[:-2] + rows[2:] + job.x) * 3.0
    assert np.array_equal(job["out"], right) and abs(job["total"] - right.sum()) < 1e-6 * right.sum()
P
sed 's/^gpu = "cupy"/gpu = "numba"/' modes.py >with_numba.py
sed 's/^gpu = "cupy"/gpu = "torch"/' modes.py >with_torch.py
lines modes.conf '[app]' 'kernel = modes.py'
lines with_numba.conf '[app]' 'kernel = with_numba.py'
lines with_torch.conf '[app]' 'kernel = with_torch.py'
# by: how many rows the GPU has computed, of 500.
by() { tail -c 2000 by.npy | od -v -An -td4 -w4 | awk '{ n += $1 } END { print n + 0 }'; }

for conf in modes with_numba; do
    for n in $(counts 1 2); do
        PYTHONPATH=$tmp/lib ranks "$n" --verify $conf.conf cluster.pus=gpu && [ "$(by)" -eq 500 ]
        ok "all rows by GPUs: $conf, $n ranks" $?
    done
done
PYTHONPATH=$tmp/lib alone --verify modes.conf cluster.threads=1 balance.balancer=greedy balance.grain=5 \
    modes.meet=yes &&
    [ "$(by)" -gt 0 ] && [ "$(by)" -lt 500 ]
ok "by a GPU and a CPU together" $?
PYTHONPATH=$tmp/lib alone modes.conf cluster.pus=gpu modes.fails=yes
[ $? -eq 1 ] && grep -q "^plbrun: kernel modes failed on PU 'Fake GPU'" out &&
    grep -qE 'modes.py:[0-9]+: ValueError: the GPU is tired' out
ok "what its entry raises is told" $?
alone --verify modes.conf && [ "$(by)" -eq 0 ]
ok "by the CPU alone where CuPy is not installed" $?
alone with_torch.conf
[ $? -eq 2 ] && grep -q "gpu is 'torch'; it names the library of entry_gpu, cupy or numba" out
ok "refused: a library that is not known" $?
done_testing
