# Kernels in Python: all that stands between python.c and a user's file. It runs in the interpreter that
# python.c has started in each rank, and gets three names: SELF, the path of the shared object; HOOKS, the
# address of the pointers that python.c calls; PATH, the user's file.
#
# Setup runs on rank 0 alone. Other ranks know names, types and shapes of buffers from the constant block of
# the task. An exception never crosses into C: it becomes one sentence with file and line.
import contextlib
import ctypes
import importlib.util
import inspect
import json
import operator
import os
import re
import sys

SENTENCE = 400  # bytes, as in python.c
MODES = {"replicate": 0, "partition": 1, "output": 3, "reduce": 4}  # enum plb_data_mode
OPS = {"sum": 0, "min": 1, "max": 2}  # enum plb_reduce_op
TYPES = {"float64": 1, "int64": 2, "float32": 3, "int32": 4}  # enum plb_reduce_type
OPTIONS = {int: 0, float: 1, bool: 2, str: 3, "input file": 4, "output file": 5}  # enum plb_option_type
FUNCTIONS = {"entry": True, "setup": True, "cost": False, "next": False, "verify": False, "finish": False,
             "entry_gpu": False}
LIBRARIES = ("cupy", "numba")  # for entry_gpu; the first is the default
BLOCK = 4096 - 8  # bytes of the constant block, without its length
READ, WRITE = 0x100, 0x200  # PyBUF_READ, PyBUF_WRITE

_view = ctypes.pythonapi.PyMemoryView_FromMemory
_view.restype, _view.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.c_ssize_t, ctypes.c_int)
P, I64, TEXT = ctypes.c_void_p, ctypes.c_int64, ctypes.c_char_p
INT, REAL = ctypes.c_int, ctypes.c_double


class Mistake(Exception):
    """A sentence that needs no place."""


_own, _plbrun = ctypes.CDLL(SELF), ctypes.CDLL(None)


def _c(name, result, *arguments):
    function = getattr(_own if name.startswith("plb_python_") else _plbrun, name)
    function.restype, function.argtypes = result, arguments
    return function


_describe = _c("plb_python_describe", None, TEXT, TEXT, TEXT, INT)
_option = _c("plb_python_option", INT, TEXT, INT, TEXT, REAL, REAL, TEXT)
_data = _c("plb_python_data", None, P, TEXT, INT, P, I64, I64, INT, INT, I64, I64)
_args = _c("plb_python_args", None, P, TEXT, I64)
_save = _c("plb_python_save", None, P, TEXT, P, INT, I64, I64)
_error = _c("plb_python_error", None, P, TEXT)
_value = {
    int: _c("plb_app_int", I64, P, TEXT),
    float: _c("plb_app_real", REAL, P, TEXT),
    bool: _c("plb_app_flag", ctypes.c_bool, P, TEXT),
    str: _c("plb_app_text", TEXT, P, TEXT),
}
_simulated = _c("plb_app_simulated", ctypes.c_bool, P)
_units = _c("plb_app_units", None, P, I64)
_multiple = _c("plb_app_multiple", None, P, I64)
_replace = _c("plb_app_replace", None, P, INT)
_replace_part = _c("plb_app_replace_part", None, P, INT, ctypes.c_size_t, ctypes.c_size_t)
_feed = _c("plb_app_feed", None, P, INT, INT)
_keep = _c("plb_app_keep", None, P, P, ctypes.c_size_t)


def sentence(error):
    """An exception in one line, with the user's file and the line of it that was the last to be reached."""
    text = " ".join(str(error).split())
    if isinstance(error, Mistake):
        return f"{PATH}: {text}"
    if isinstance(error, SyntaxError) and error.filename == PATH:
        return f"{PATH}:{error.lineno}: {type(error).__name__}: {error.msg}"
    line, trace = 0, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == PATH:
            line = trace.tb_lineno
        trace = trace.tb_next
    what = type(error).__name__ + (f": {text}" if text else "")
    return f"{PATH}:{line}: {what}" if line else f"{PATH}: {what}"


def to_bytes(text):
    raw = text.encode("utf-8", "replace")
    return raw if len(raw) < SENTENCE else raw[: SENTENCE - 4].decode("utf-8", "ignore").encode() + b"..."


class Job:
    """What setup, next, verify and finish get. Buffers are NumPy arrays of rank 0."""

    def __init__(self, app):
        self._app, self._buffers, self._kept = app, {}, []
        self.units, self.multiple, self.args = 0, 1, {}
        self.simulated = _simulated(app)
        self.options = {}
        for name, (kind, *_) in kernel.options.items():
            value = _value[kind if kind in _value else str](app, name.encode())
            self.options[name] = os.fsdecode(value) if isinstance(value, bytes) else value

    def __getitem__(self, name):
        return self._buffers[name][1]

    def _add(self, name, mode, array, **more):
        if not (isinstance(name, str) and name.isidentifier()):
            raise Mistake(f"a buffer is called {name!r}; its name must be that of a parameter of entry")
        if name in self._buffers:
            raise Mistake(f"there are two buffers '{name}'; give each a name of its own")
        if array.dtype.hasobject:
            raise Mistake(f"buffer '{name}' has dtype {array.dtype}; only numbers can travel, so convert it")
        self._buffers[name] = (mode, array, more)
        return array

    def replicate(self, name, array):
        """An input that every rank gets whole."""
        return self._add(name, "replicate", np.ascontiguousarray(array))

    def partition(self, name, array, before=0, after=0):
        """An input whose row u belongs to unit u; before, after: entry also gets so many rows around them."""
        return self._add(name, "partition", np.ascontiguousarray(array), before=before, after=after)

    def output(self, name, dtype, shape=(), save=None):
        """A result: for each unit an element of this type, or an array of this shape; save: an .npy file."""
        shape = (shape,) if isinstance(shape, int) else tuple(shape)
        if self.units < 1:
            raise Mistake(f"job.units is not set; set it before output '{name}' is declared")
        return self._add(name, "output", np.zeros((self.units, *shape), dtype), save=save)

    def reduce(self, name, dtype, shape=(), op="sum", save=None):
        """A result of all units: the arrays of all tasks, folded element by element by sum, min or max."""
        array = np.zeros(shape, dtype)
        if op not in OPS or array.dtype.name not in TYPES:
            raise Mistake(f"buffer '{name}' cannot be reduced by {op!r} with dtype {array.dtype}; there are "
                          f"{', '.join(OPS)} of {', '.join(TYPES)}")
        return self._add(name, "reduce", array, op=op, save=save)

    def replace(self, name, first=None, count=None):
        """In next: a replicated array has changed, or so many rows from a first one on; that is sent again."""
        handle = list(self._buffers).index(name)
        if first is None:
            _replace(self._app, handle)
            return
        array = self[name]
        if count is None:
            raise Mistake(f"say how many rows of array '{name}' have changed from row {first} on")
        first, count = operator.index(first), operator.index(count)  # NumPy's integers would overflow
        if not 0 <= first <= first + count <= len(array):
            raise Mistake(f"array '{name}' has {len(array)} rows, and no {count} from row {first} on")
        row = array[:1].nbytes
        _replace_part(self._app, handle, first * row, count * row)

    def feed(self, output, into):
        """In next: results of the pass are an input of the next one."""
        names = list(self._buffers)
        _feed(self._app, names.index(output), names.index(into))

    def keep(self, array):
        """In setup: a journal also keeps this array, which next changes."""
        self._kept.append(array)
        _keep(self._app, array.ctypes.data, array.nbytes)

    def _declare(self):
        app, block = self._app, []
        if not isinstance(self.units, int) or self.units < 1:
            raise Mistake(f"job.units is {self.units!r}; setup must set it to a whole number, at least 1")
        _units(app, self.units)
        _multiple(app, self.multiple)
        for function, name in ((f, n) for f, names in kernel.parameters.items() for n in names):
            if name not in self._buffers:
                raise Mistake(f"{function} has a parameter '{name}', but setup declares no buffer of this name; "
                              f"there are: {', '.join(self._buffers) or 'none'}")
        for name, (mode, array, more) in self._buffers.items():
            by_unit = mode in ("partition", "output")
            if by_unit and (array.ndim < 1 or len(array) != self.units):
                raise Mistake(f"buffer '{name}' has shape {array.shape}, but there are {self.units} "
                              f"{kernel.unit}; its first length must be {self.units}")
            _data(app, name.encode(), MODES[mode], array.ctypes.data, array.nbytes,
                  array.nbytes // self.units if by_unit else 0, OPS.get(more.get("op"), 0),
                  TYPES.get(array.dtype.name, 0), more.get("before", 0), more.get("after", 0))
            block.append([name, mode, array.dtype.str if array.dtype.names is None else array.dtype.descr,
                          list(array.shape[1:] if by_unit else array.shape)])
            if more.get("save"):
                self._save(name, array, more["save"])
        text = json.dumps({"buffers": block, "options": self.options, "args": self.args}).encode()
        if len(text) > BLOCK:
            raise Mistake(f"options, job.args and the names of buffers take {len(text)} bytes; at most "
                          f"{BLOCK} go to each task, so make a buffer of what is large")
        _args(app, text, len(text))

    def _save(self, name, array, path):
        flat = array.reshape(len(array), -1) if array.ndim > 1 else array.reshape(-1, 1)
        if array.ndim > 2 or array.dtype.name not in TYPES:
            raise Mistake(f"buffer '{name}' has dtype {array.dtype} and {array.ndim} dimensions; save= takes "
                          f"one or two of {', '.join(TYPES)}, so leave it out and call numpy.save in finish")
        _save(self._app, os.fsencode(path), array.ctypes.data, TYPES[array.dtype.name], *flat.shape)


class Kernel:
    """A user's file."""

    def __init__(self):
        self.layout, self.job = None, None
        with open(PATH, "rb") as file:
            code = compile(file.read(), PATH, "exec")
        module = type(sys)(re.sub(r"\W", "_", os.path.basename(PATH)[:-3]))
        module.__file__ = os.path.abspath(PATH)
        sys.modules[module.__name__] = module
        exec(code, module.__dict__)
        self.module = module
        for name, needed in FUNCTIONS.items():
            function = getattr(module, name, None)
            if function is None and needed:
                raise Mistake(f"there is no function '{name}'; a kernel has setup(job) and entry(task, ...)")
            if function is not None and not callable(function):
                raise Mistake(f"'{name}' is no function")
            setattr(self, name, function)
        self.name = getattr(module, "name", module.__name__)
        self.unit = getattr(module, "unit", "units")
        self.options = getattr(module, "options", {})
        self.parameters = {name: list(inspect.signature(getattr(self, name)).parameters)[1:]
                           for name in ("entry", "entry_gpu") if getattr(self, name) is not None}
        self.gpu, self.places = getattr(module, "gpu", LIBRARIES[0]), {}
        if self.gpu not in LIBRARIES:
            raise Mistake(f"gpu is {self.gpu!r}; it names the library of entry_gpu, {' or '.join(LIBRARIES)}")

    def describe(self):
        flags = 0
        for bit, name in enumerate(("writes_all", "single", "once", "streams")):
            flags |= bool(getattr(self.module, name, False)) << bit
        summary = (inspect.getdoc(self.module) or self.name).split("\n")[0]
        _describe(self.name.encode(), self.unit.encode(), summary.encode(), flags)
        for name, row in self.options.items():
            try:
                kind, fallback, text, least, most = (*row, 0, 0)[:5]
                number = OPTIONS[kind]
            except (KeyError, TypeError, ValueError):
                raise Mistake(f"option '{name}' is {row!r}; write (TYPE, DEFAULT, HELP[, LEAST, MOST]), "
                              "where TYPE is int, float, bool, str, 'input file' or 'output file'") from None
            if isinstance(fallback, bool):
                fallback = "yes" if fallback else "no"
            fallback = None if fallback is None else str(fallback).encode()
            if _option(name.encode(), number, fallback, least, most, text.encode()) != 0:
                raise Mistake("there are too many options; leave some out")

    def has_gpu(self):
        """Whether GPUs can be used here: finding a library costs less than loading it."""
        return self.entry_gpu is not None and importlib.util.find_spec(self.gpu) is not None

    def place(self, function):
        if function not in self.places:
            self.places[function] = Host() if function == "entry" else Gpu(self.gpu)
        return self.places[function]

    def run(self, function, first, count, threads, data, lengths, before, after, args, cancelled,
            stream=None):
        layout, place = self.layout, self.place(function)
        text = ctypes.string_at(args + 8, ctypes.c_int64.from_address(args).value)
        if layout is None or layout.text != text:
            self.layout = layout = Layout(text)
        task = Task()
        task.first, task.count, task.threads, task._cancelled = first, count, threads, cancelled
        task.options, task.args, task.before, task.after = layout.options, layout.args, {}, {}
        task.xp = place.xp
        arrays = []
        with place.enter(stream) as task.stream:
            for handle, by_unit, dtype, shape, flags, name in layout.views[function]:
                at, bytes = data[handle] or 0, lengths[handle]
                if by_unit:
                    low, high = before[handle], after[handle]
                    step = bytes // count
                    task.before[name], task.after[name] = low, high
                    at, bytes = at - low * step, bytes + (low + high) * step
                    shape = (low + count + high, *shape)
                arrays.append(place.array(at, bytes, dtype, shape, flags))
            getattr(self, function)(task, *arrays)


def _hook(number, result, *arguments):
    """A function that C calls. One that raises tells why, and returns -1."""
    def wrap(function):
        pointer = ctypes.CFUNCTYPE(result, *arguments)(function)
        _hooks.append(pointer)  # as long as the process
        hook = ctypes.c_void_p.from_address(HOOKS + number * ctypes.sizeof(P))
        hook.value = ctypes.cast(pointer, P).value
        return function
    return wrap


def _called(app, function, *arguments):
    try:
        result = function(*arguments)
        return int(bool(result))
    except BaseException as error:  # also SystemExit: nothing may leave this function
        _error(app, to_bytes(sentence(error)))
        return -1


def connect():
    numbers, sizes = ctypes.POINTER(I64), ctypes.POINTER(ctypes.c_size_t)

    def told(why, function, *arguments):
        try:
            kernel.run(function, *arguments)
            return 0
        except BaseException as error:
            text = to_bytes(sentence(error)) + b"\0"
            ctypes.memmove(why, text, len(text))
            return 1

    @_hook(0, INT, P, I64, I64, INT, ctypes.POINTER(P), sizes, numbers, numbers, P, P)
    def entry(why, *arguments):
        return told(why, "entry", *arguments)

    if kernel.has_gpu():
        @_hook(6, INT, P, I64, I64, INT, ctypes.POINTER(P), sizes, numbers, numbers, P, P, P)
        def entry_gpu(why, *arguments):
            return told(why, "entry_gpu", *arguments)

    @_hook(1, INT, P)
    def setup(app):
        def both():
            kernel.job = Job(app)
            kernel.setup(kernel.job)
            kernel.job._declare()
        return _called(app, both)

    if kernel.cost is not None:
        @_hook(2, REAL, I64, I64)
        def cost(first, count):
            try:
                return float(kernel.cost(kernel.job, first, count))
            except BaseException as error:
                print(f"plbrun: {sentence(error)}", file=sys.stderr)
                return float("nan")
    if kernel.next is not None:
        @_hook(3, INT, P, I64)
        def next_pass(app, number):
            return _called(app, kernel.next, kernel.job, number)
    if kernel.verify is not None:
        @_hook(4, INT, P)
        def verify(app):
            return _called(app, kernel.verify, kernel.job)
    if kernel.finish is not None:
        @_hook(5, INT, P)
        def finish(app):
            return _called(app, kernel.finish, kernel.job)


def main():
    """Loads the user's file. Returns what is wrong, or nothing."""
    global np, kernel
    try:
        import numpy as np
    except ImportError as error:
        return to_bytes(f"{PATH}: this kernel needs NumPy, which {sys.executable} does not have "
                        f"({' '.join(str(error).split())[:100]}); install it there (pip install numpy), or "
                        "name another Python in PLB_PYTHON")
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.reconfigure(line_buffering=True)  # nothing flushes them: the interpreter never ends
    sys.path.insert(0, os.path.dirname(os.path.abspath(PATH)))
    sys.argv = [PATH]
    try:
        kernel = Kernel()
        kernel.describe()
        connect()
    except BaseException as error:
        return to_bytes(sentence(error))
    return b""


_hooks = []
np = kernel = None
