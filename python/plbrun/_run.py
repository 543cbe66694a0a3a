"""One run of `plbrun --serve` whose servers are Python: items go in, outcomes come out.

plbrun divides the items among servers by the rates that it measures; here they are pickled and cut into
lines.
"""

import base64
import os
import pickle
import shutil
import subprocess
import sys
import tempfile
import threading
import weakref
import zlib

from plbrun import _wire

try:
    import cloudpickle
except ImportError:
    cloudpickle = None

INLINE = 60_000  # bytes of a program that are an argument of a process; Linux takes 131,072
LINES = 256  # of each server where there are many items: fewer cost less, and more are divided better
MOST = 1000  # items of a line
MEMORY = "/dev/shm"


def cores():
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Lost(RuntimeError):
    """The process that computed an item ended, as by a signal."""


class RemoteTraceback(Exception):
    """Where an exception was raised in a server: the cause of that which is raised here."""

    def __str__(self):
        return "\n" + self.args[0]


def program():
    """The program plbrun: that of PLBRUN; without it that of PATH, or of the tree that has this package."""
    named = os.environ.get("PLBRUN")
    beside = os.path.join(os.path.dirname(__file__), "..", "..", "plbrun")
    for path in (named, shutil.which(named)) if named else (shutil.which("plbrun"), beside):
        if path and os.access(path, os.X_OK) and os.path.isfile(path):
            return os.path.abspath(path)
    if named:
        raise FileNotFoundError(
            f"PLBRUN names {named}, which is not there or cannot be executed: correct it, or unset it"
        )
    raise FileNotFoundError("plbrun is not in PATH: build it and add its folder, or name it in PLBRUN")


def pickled(function):
    """By its name where it is of a module, which a server then imports; else as it is."""
    data = None
    if getattr(function, "__module__", None) != "__main__":
        try:
            data = pickle.dumps(function)
        except Exception:
            pass  # a lambda, or one inside another function
    if data is None and cloudpickle is not None:
        data = cloudpickle.dumps(function)
    if data is None:
        raise TypeError(
            f"{function!r} is of this program alone, and pickle sends names: "
            "pip install cloudpickle, or define it in a module"
        )
    return data


def raised(value):
    """The exception of an item that has failed, with its traceback as the cause."""
    error, text = value
    error.__cause__ = RemoteTraceback(text)
    return error


def text_of(module):
    path = os.path.join(os.path.dirname(__file__), module)
    with open(path, encoding="utf-8") as file:
        return file.read()


class Run:
    """Items are (function, arguments, keywords). Outcomes are (number of the item, done, value)."""

    def __init__(self, items, servers=None, hosts=None, options=(), chunk=None):
        self.items = items
        self.folder = tempfile.mkdtemp(prefix="plbrun-", dir=MEMORY if os.path.isdir(MEMORY) else None)
        self.here = hosts is None
        self.store = _wire.Store(self.folder) if self.here and os.path.isdir(MEMORY) else None
        self.words = ""
        self.closing = threading.Event()  # whatever plbrun says then is about being ended here
        try:
            jobs = servers or (0 if hosts else cores())  # 0: those of each host
            lines = (jobs or cores()) * (len(hosts) if hosts else 1) * LINES
            self.chunk = chunk or max(1, min(MOST, len(items) // lines))
            functions, table = self.number_functions()
            command = [program(), "-0", "--serve-batch", "--jobs", str(jobs), *options]
            if self.chunk > 1:
                command += ["--retries", "1"]  # the items of a lost line are tried alone
            if hosts:
                command = [*launcher(hosts), *command]
            self.process = subprocess.Popen(
                [*command, "--serve", self.server(functions)],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            )
        except BaseException:
            end(None, self.folder, self.closing)
            raise
        # At the latest when Python ends.
        self.end = weakref.finalize(self, end, self.process, self.folder, self.closing)
        self.feeder = threading.Thread(target=self.feed, args=(table,), daemon=True)
        self.listener = threading.Thread(target=self.listen, daemon=True)
        self.feeder.start()
        self.listener.start()

    def number_functions(self):
        numbers, functions = {}, []
        for function, _, _ in self.items:
            if id(function) not in numbers:
                numbers[id(function)] = len(functions)
                functions.append(pickled(function))
        return functions, numbers

    def server(self, functions):
        data = pickle.dumps(functions)
        if len(data) > INLINE:
            with open(os.path.join(self.folder, "functions"), "wb") as file:
                file.write(data)
            if not self.here:
                raise ValueError(
                    f"the functions have {len(data)} bytes with all that they refer to; on several hosts, give "
                    "large data as items, or have the functions read it"
                )
            data = file.name
        path = [os.getcwd() if at == "" else at for at in sys.path]
        folder = self.folder if self.store is not None else None
        text = f"{text_of('_wire.py')}\n{text_of('_server.py')}\nserve({path!r}, {folder!r}, {data!r})\n"
        packed = base64.b64encode(zlib.compress(text.encode())).decode()
        program = f'import base64,zlib;exec(zlib.decompress(base64.b64decode("{packed}")))'
        return f"'{sys.executable}' -c '{program}'"

    def feed(self, numbers):
        self.failure = None
        dumps = cloudpickle.dumps if cloudpickle is not None else pickle.dumps
        try:
            with self.process.stdin as out:
                for first in range(0, len(self.items), self.chunk):
                    items = [(numbers[id(f)], a, k) for f, a, k in self.items[first : first + self.chunk]]
                    try:
                        line = _wire.encode((first, items), self.store)
                    except Exception:
                        line = _wire.encode((first, items), self.store, dumps)
                    out.write(line + b"\0")
        except BrokenPipeError:
            pass  # it says itself why it has ended
        except Exception as error:
            self.failure = error
            self.process.terminate()

    def listen(self):
        """Passes on what functions and plbrun print, but for the sentence about lines: nobody has seen any."""
        for line in self.process.stderr:
            text = line.decode(errors="replace")
            if " lines failed, the first is line " in text:
                text = text.rpartition(": ")[2]
            elif not self.closing.is_set():
                sys.stderr.write(text)
            self.words = text.strip(" -\n") or self.words

    def outcomes(self):
        """As they come. Lost ones are the last: `done` is None, and the value says why."""
        missing = set(range(0, len(self.items), self.chunk))
        rest = []
        while data := self.process.stdout.read1(1 << 20):
            *lines, last = data.split(b"\0")
            for line in lines:
                first, outcomes = _wire.decode(b"".join([*rest, line]), self.store)
                rest = []
                missing.discard(first)
                for k, (done, value) in enumerate(outcomes):
                    yield first + k, done, value
            if last:
                rest.append(last)
        self.process.wait()
        self.feeder.join()
        self.listener.join()
        if self.failure is not None:
            raise self.failure
        if missing and self.process.returncode not in (0, 1):
            raise RuntimeError(f"plbrun ended with status {self.process.returncode}: {self.words}")
        for first in sorted(missing):
            for k in range(first, min(first + self.chunk, len(self.items))):
                yield k, None, self.words or "plbrun ended"

    def close(self):
        self.end()


def end(process, folder, closing):
    closing.set()
    if process is not None and process.poll() is None:
        process.terminate()
        process.wait()
    shutil.rmtree(folder, ignore_errors=True)


def launcher(hosts):
    where = ["--host", ",".join(hosts), "-np", str(len(hosts)), "--map-by", "node"]
    return ["mpirun", *where, "--bind-to", "none"]
