"""Marks spans of your own Python code in an XSP trace.

    import xsp
    with xsp.span("predict", level="model", batch=32):
        ...

Nothing needs this; outside xsp-run it does nothing. Further keyword arguments become tags of the span.
"""

import ctypes
import functools

_LEVELS = {"application": 1, "model": 2, "layer": 3, "library": 4, "runtime": 5, "device": 6}


def _guest():
    """The functions of the preloaded guest, or None outside xsp-run."""
    program = ctypes.CDLL(None)
    try:
        program.xsp_intern.argtypes = [ctypes.c_char_p]
        program.xsp_intern.restype = ctypes.c_uint32
        program.xsp_start_span.argtypes = [ctypes.c_uint32, ctypes.c_int]
        program.xsp_start_span.restype = ctypes.c_uint64
        program.xsp_finish_span.argtypes = [ctypes.c_uint64]
        program.xsp_finish_span.restype = None
        program.xsp_tag_span.argtypes = [ctypes.c_uint64, ctypes.c_char_p, ctypes.c_char_p]
        program.xsp_tag_span.restype = None
    except AttributeError:
        return None
    return program


_program = _guest()


@functools.lru_cache(maxsize=4096)
def _name(text):
    return _program.xsp_intern(text.encode("utf-8", "replace"))


class span:
    """A span as a context manager or decorator.

    name: what it is called. level: "application", "model", "layer", "library", "runtime" or "device".
    Raises ValueError for another level.
    """

    def __init__(self, name, level="application", **tags):
        if level not in _LEVELS:
            raise ValueError(f"level must be one of {', '.join(_LEVELS)}, not {level!r}")
        self._text = str(name)
        self._level = _LEVELS[level]
        self._tags = tags
        self._handles = []

    def __enter__(self):
        handle = 0
        if _program is not None:
            handle = _program.xsp_start_span(_name(self._text), self._level)
            for key, value in self._tags.items():
                self._tag(handle, key, value)
        self._handles.append(handle)
        return self

    def __exit__(self, *exception):
        handle = self._handles.pop()
        if handle:
            _program.xsp_finish_span(handle)
        return False

    def __call__(self, function):
        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            with span(self._text, _level_name(self._level), **self._tags):
                return function(*args, **kwargs)

        return wrapper

    def tag(self, key, value):
        """Attaches a key and value to the innermost entry of this span."""
        if self._handles and self._handles[-1]:
            self._tag(self._handles[-1], key, value)

    @staticmethod
    def _tag(handle, key, value):
        _program.xsp_tag_span(handle, str(key).encode("utf-8", "replace"), str(value).encode("utf-8", "replace"))


def _level_name(number):
    return next(name for name, value in _LEVELS.items() if value == number)
