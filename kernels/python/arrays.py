# Arrays of a task, in host memory or on a GPU. Its text stands before that of host.py, which has the imports.


class Task:
    """What an entry gets first: units first to first + count - 1."""

    __slots__ = ("first", "count", "threads", "options", "args", "before", "after", "xp", "stream",
                 "_cancelled")

    @property
    def cancelled(self):
        """Whether nobody wants the results any more."""
        return bool(self._cancelled) and ctypes.c_int32.from_address(self._cancelled).value != 0


class Layout:
    """The constant block of a job, read once."""

    def __init__(self, text):
        block = json.loads(text)
        self.text, self.options, self.args = text, block["options"], block["args"]
        self.block = {name: (i, *rest) for i, (name, *rest) in enumerate(block["buffers"])}
        self.views = {function: [self._view(name) for name in names]
                      for function, names in kernel.parameters.items()}

    def _view(self, name):
        """Of a parameter: handle, by unit, dtype, shape, flags, name."""
        at, mode, dtype, shape = self.block[name]
        dtype = np.dtype([tuple(field) for field in dtype] if isinstance(dtype, list) else dtype)
        flags = WRITE if mode in ("output", "reduce") else READ
        return at, mode in ("partition", "output"), dtype, tuple(shape), flags, name


class Host:
    """Arrays in host memory."""

    def __init__(self):
        self.xp = np

    def enter(self, stream):
        return contextlib.nullcontext()

    def array(self, at, bytes, dtype, shape, flags):
        if bytes == 0:
            return np.empty(shape, dtype)
        return np.frombuffer(_view(at, bytes, flags), dtype).reshape(shape)


class OnGpu:
    """An array in the memory of a GPU, as CuPy and Numba exchange them."""

    def __init__(self, at, dtype, shape):
        self.__cuda_array_interface__ = {"data": (at, False), "typestr": dtype.str, "shape": shape,
                                         "strides": None, "version": 3}


class Gpu:
    """Arrays in the memory of the GPU that the calling thread uses. They are read and written on its stream."""

    def __init__(self, library):
        if library == "cupy":
            import cupy
            self.xp, self._array, self._empty = cupy, cupy.asarray, cupy.empty
            self._stream = cupy.cuda.ExternalStream
        else:
            from numba import cuda
            self.xp, self._stream, self._empty = cuda, cuda.external_stream, cuda.device_array
            self._array = lambda array: cuda.as_cuda_array(array, sync=False)

    def enter(self, stream):
        stream = self._stream(stream)
        return stream if hasattr(stream, "__enter__") else contextlib.nullcontext(stream)

    def array(self, at, bytes, dtype, shape, flags):
        return self._empty(shape, dtype) if bytes == 0 else self._array(OnGpu(at, dtype, shape))


