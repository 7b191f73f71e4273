#pragma once

#include <string>

#include "analysis/status.h"
#include "analysis/trace/byte_source.h"
#include "analysis/trace/trace.h"

namespace xsp::analysis {

/// Adds one input to `trace`: all segments of it (concatenated traces). Whatever is readable of a torn or damaged
/// input is loaded and the rest counted in Trace::files and Trace::processes. An error means that nothing of this
/// input is usable: it is empty, no XSP trace, of a newer format, or cannot be read.
Status load_trace(ByteSource& source, const std::string& path, Trace* trace);

/// The same for a file, "-" (standard input), or a directory: the runs that its set.json lists, else all *.pb in it, by
/// name.
Status load_path(const std::string& path, Trace* trace);

}  // namespace xsp::analysis
