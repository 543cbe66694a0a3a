#!/usr/bin/env bash
# plbrun.map and plbrun.Executor: results, order, exceptions, arrays, processes that end, hosts.
# test/run: real MPI, whose mpirun knows hosts.
. "$(dirname "$0")/../support/lib.sh"
[ -z "${SAN:-}" ] || { skip "Python functions" "none of it is in C"; done_testing; }
export PYTHONPATH=$root/python:$tmp PYTHONDONTWRITEBYTECODE=1 PLBRUN BUILD
PLBRUN=$(realpath "$PLBRUN")
cd "$tmp" || exit 1

# Folders that the test's own processes make for data, wherever they are.
cat >sitecustomize.py <<P
import sys
def note(event, arguments):
    if event == "tempfile.mkdtemp":
        with open("$tmp/folders", "a") as file:
            file.write(arguments[0] + "\n")
sys.addaudithook(note)
P
# Functions of a module need no cloudpickle.
cat >functions.py <<'P'
import glob, os, sys, time
from pickle import PickleBuffer

class Block:  # its bytes are a buffer apart, as those of an array
    def __init__(self, data):
        self.data = data
    def __reduce_ex__(self, protocol):
        return Block, (PickleBuffer(self.data),)
def square(x): return x * x
def refuse(x):
    if x == 3:
        raise ValueError(f"x is {x}")
    return x
def refuse_late(x):
    time.sleep(0.03)
    if x == 97:
        raise ValueError
def leave(x):
    if x == 700:
        os.abort()
    return x
def nap(x):
    time.sleep(x)
    return x
def there(name):  # waits for a file
    while not os.path.exists(name):
        time.sleep(0.02)
    return name
def process(x):  # when there are two
    open(f"at.{os.getpid()}", "w").close()
    while len(glob.glob("at.*")) < 2:
        time.sleep(0.02)
    return os.getpid()
def speak(x):
    print("hello from", x)
    return sys.stdin.read()
def twice(block): return Block(bytes(block.data) * 2)
def unsendable(x): return lambda: x
def note(path):  # item 700 ends its process
    name, x = path
    if x == 700:
        with open(name, "a") as file:
            file.write("x")
        os.abort()
    return x
class Table:
    def __init__(self): self.bytes = os.urandom(1 << 20)
    def __call__(self, x): return len(self.bytes) + x
P
# checks NAME: the program on standard input ends well.
checks() {
    timeout 120 python3 - >"$tmp/out" 2>&1
    ok "$1" $?
}
checks "results in the order of items, of many and of none" <<'END'
import plbrun
from functions import *
assert list(plbrun.map(square, range(5000), ranks=2)) == [x * x for x in range(5000)]
assert list(plbrun.map(square, [], ranks=2)) == []
END
checks "results as they come, on as many processes as asked for" <<'END'
import plbrun
from functions import *
results = plbrun.map(there, ["later", "functions.py"], ranks=2, ordered=False)
assert next(results) == "functions.py"
open("later", "w").close()
assert list(results) == ["later"]
assert len(set(plbrun.map(process, range(40), ranks=2))) == 2
END
checks "an exception, with its traceback" <<'END'
import plbrun, traceback
from functions import *
seen = []
try:
    for x in plbrun.map(refuse, range(6), ranks=2):
        seen.append(x)
except ValueError:
    text = traceback.format_exc()
assert seen == [0, 1, 2] and "x is 3" in text and "functions.py" in text and "in refuse" in text, text
END
# It ends when Python does, which is nothing that a user of plbrun has asked for.
timeout 120 python3 - >"$tmp/out" 2>&1 <<'END'
import plbrun
from functions import *
try:
    list(plbrun.map(refuse_late, range(150), ranks=2))
except ValueError:
    print("refused")
END
[ "$(cat "$tmp/out")" = refused ]
ok "a run that an exception ends has no advice" $?
checks "a process that ends loses one item, which is named, and no other of its line" <<'END'
import plbrun
from functions import *
results, lost = set(), None
it = plbrun.map(leave, range(2000), ranks=2, ordered=False)
try:
    for x in it:
        results.add(x)
except plbrun.Lost as error:
    lost = error
assert "item 700 " in str(lost) and "signal 6" in str(lost) and results == set(range(2000)) - {700}, lost
END
checks "it is tried three times at most, and files of the run are written once" <<'END'
import os, plbrun
from functions import *
logged = ["--retries=2", "--joblog", "log"]
for n, ranks, options in (701, 1, []), (701, 2, []), (20000, 1, []), (2000, 2, logged):
    name = f"tries-{n}-{ranks}"
    try:
        list(plbrun.map(note, [(name, x) for x in range(n)], ranks=ranks, ordered=False, options=options))
        assert False
    except plbrun.Lost:
        assert 2 <= os.path.getsize(name) <= 3, (n, ranks, os.path.getsize(name))
with open("log", "rb") as file:
    assert len(file.readlines()) > 500  # lines of the first run
END
checks "buffers apart" <<'END'
import os, plbrun
from functions import *
blocks = [Block(os.urandom(300000)) for _ in range(5)]
for before, after in zip(blocks, plbrun.map(twice, blocks, ranks=2)):
    assert bytes(after.data) == before.data * 2 and type(after.data) is memoryview
END
checks "what functions print goes to standard error, and they read nothing" <<'END'
import plbrun
from functions import *
assert list(plbrun.map(speak, [1, 2], ranks=1)) == ["", ""]
END
[ "$(grep -c '^hello from' "$tmp/out")" -eq 2 ]
ok "each once" $?
checks "a result that cannot be sent is an exception of its item alone" <<'END'
import plbrun
from functions import *
with plbrun.Executor(2) as executor:
    bad, good = executor.submit(unsendable, 1), executor.submit(square, 7)
    assert "cannot be sent back" in str(bad.exception()) and good.result() == 49
END
checks "a large function, and one that pickle cannot name" <<'END'
import plbrun
from functions import *
assert list(plbrun.map(Table(), range(3), ranks=2)) == [1048576 + x for x in range(3)]
try:
    import cloudpickle
    assert list(plbrun.map(lambda x: x + 1, range(3), ranks=2)) == [1, 2, 3]
except ImportError:
    try:
        plbrun.map(lambda x: x + 1, range(3))
        assert False
    except TypeError as error:
        assert "pip install cloudpickle" in str(error)
END
checks "the interface of concurrent.futures" <<'END'
import concurrent.futures as futures, time, plbrun
from functions import *
with plbrun.Executor(ranks=2) as executor:
    assert list(executor.map(pow, [2, 3], [5, 2])) == [32, 9]
    many = [executor.submit(square, x) for x in range(50)]
    assert sorted(f.result() for f in futures.as_completed(many)) == [x * x for x in range(50)]
    assert isinstance(executor.submit(refuse, 3).exception(), ValueError)
    late = executor.submit(there, "much later")
    time.sleep(0.5)
    assert executor.submit(square, 5).result(timeout=60) == 25 and not late.done()  # it waits for no other
    open("much later", "w").close()
    assert futures.wait([late]).not_done == set()
    executor.submit(nap, 2), executor.submit(nap, 2)
    time.sleep(0.5)
    waits = executor.submit(nap, 1)
    assert waits.cancel() and waits.cancelled()
try:
    executor.submit(square, 1)
    assert False
except RuntimeError as error:
    assert "after shutdown" in str(error)
END
checks "a mistake in options is plbrun's sentence" <<'END'
import plbrun
from functions import *
try:
    list(plbrun.map(square, range(3), ranks=2, options=["--timeout", "soon"]))
    assert False
except RuntimeError as error:
    assert "status 2" in str(error) and "timeout" in str(error), error
END
checks "no processes, and options as text, are refused before a run" <<'END'
import plbrun
from functions import *
def refused(how, *parts):
    for call in (lambda: plbrun.map(square, [], **how)), (lambda: plbrun.Executor(**how)):
        try:
            call()
        except ValueError as error:
            assert all(part in str(error) for part in parts), error
            continue
        assert False, how
refused({"ranks": 0}, "ranks=0: expected 1 or more")
refused({"ranks": -2, "hosts": ["localhost"]}, "ranks=-2: expected 1 or more")
refused({"options": "--timeout 60"}, "write a list: options=['--timeout', '60']")
END
PLBRUN=/nowhere/plbrun checks "PLBRUN names a file that is not there" <<'END'
import plbrun
from functions import *
try:
    plbrun.map(square, [1], ranks=1)
    assert False
except FileNotFoundError as error:
    assert str(error).startswith("PLBRUN names /nowhere/plbrun, which is not there"), error
END
checks "who leaves off ends the run" <<'END'
import os, time, plbrun
from functions import *
it = plbrun.map(nap, [0] + [50] * 20, ranks=1)
assert next(it) == 0
before = time.time()
del it
assert time.time() - before < 40
END
checks "one process on each core of a host, however many this one has" <<'END'
import plbrun, subprocess
from functions import *
class Stopped(Exception): pass
def jobs(**how):
    try:
        plbrun.map(square, [1], **how)
    except Stopped as stopped:
        words = stopped.args[0]
        return words[words.index("--jobs") + 1]
def stop(command, **_): raise Stopped(command)
subprocess.Popen = stop
assert jobs(hosts=["a", "b"]) == "0" and jobs(hosts=["a"], ranks=3) == "3" and jobs(ranks=5) == "5"
assert int(jobs()) > 0
END
checks "on hosts, a run whose calls are all cancelled delays no other" <<'END'
import plbrun, time
from functions import *
with plbrun.Executor(hosts=["localhost"], ranks=1) as executor:
    cancelled = executor.submit(square, 3)
    assert cancelled.cancel()
    time.sleep(0.5)
    assert executor.submit(square, 4).result(timeout=60) == 16
END
checks "on hosts, by mpirun" <<'END'
import plbrun
from functions import *
assert list(plbrun.map(square, range(300), hosts=["localhost"], ranks=2)) == [x * x for x in range(300)]
END
grep -q '/plbrun-' folders && while read -r folder; do [ ! -e "$folder" ] || echo "$folder is there"; done \
    <folders >"$tmp/out" && [ ! -s "$tmp/out" ]
ok "no memory is left" $?
done_testing
