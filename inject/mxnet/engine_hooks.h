#pragma once

namespace xsp::guest {

/// MXNet pushes its operators to an engine, whose threads run them. The engine's virtual functions are exported: their
/// addresses in the virtual tables are replaced by functions of the guest. So are those of the functions that push an
/// operator by its name, in the table through which the library calls them, and those by which executors run one.

/// Replaces them, once for the process and its children; cheap afterwards. What cannot be hooked, a notice says. To be
/// called before a program makes an executor, whose work it keeps, and when the call of a model begins.
void watch_mxnet();

}  // namespace xsp::guest
