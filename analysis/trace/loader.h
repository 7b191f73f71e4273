#pragma once

#include <memory>
#include <span>
#include <string>

#include "analysis/trace/byte_source.h"
#include "analysis/trace/trace.h"
#include "base/status.h"

namespace xsp::analysis {

/// Adds one input to `trace`: all segments of it (concatenated traces). Whatever is readable of a torn or damaged
/// input is loaded and the rest counted in Trace::files and Trace::processes. An error means that nothing of this
/// input is usable: it is empty, no XSP trace, of a newer format, or cannot be read.
Status load_trace(ByteSource& source, const std::string& path, Trace* trace);

/// What is remembered of recordings that are kept in several files, so that the next part goes on where the one before
/// ended. For one Trace.
class OpenRecordings {
 public:
  OpenRecordings();
  ~OpenRecordings();
  OpenRecordings(const OpenRecordings&) = delete;
  OpenRecordings& operator=(const OpenRecordings&) = delete;

 private:
  friend class Loader;
  struct State;
  std::unique_ptr<State> state_;
};

/// The same for a part of a recording whose other parts may have been loaded with `recordings`: these are one segment.
/// Parts may come in any order; in order of index, spans stand in order of their end.
Status load_trace(ByteSource& source, const std::string& path, OpenRecordings* recordings, Trace* trace);

/// The same for a file, "-" (standard input), or a directory: the runs that its set.json lists, else all *.pb in it, by
/// name, and of a recording in parts also the one that is being written.
Status load_path(const std::string& path, Trace* trace);

struct LoadOptions {
  /// Of a recording in parts only those that reach into this last time, in ns; 0: all. Counts by name of the others are
  /// still known, from the first part that is loaded.
  int64_t last_ns = 0;
};

/// The same for all of them. Parts of one recording are loaded in order of index, however they are given.
Status load_paths(std::span<const std::string> paths, const LoadOptions& options, Trace* trace);

}  // namespace xsp::analysis
