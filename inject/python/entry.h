#pragma once

namespace xsp::guest {

/// The way into a Python process, with nothing of the program changed: an audit hook (PEP 578), which CPython 3.8 and
/// later accepts before it is initialised. The hook waits for the import of a framework that we know, and then has
/// bootstrap.py patch it as soon as its import is complete. A process without Python, or one that never imports such a
/// framework, runs none of our Python.
///
/// Called by the library's only constructor; does nothing in a process without Python.
void watch_python_imports();

}  // namespace xsp::guest
