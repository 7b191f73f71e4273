#pragma once

#include "base/status.h"
#include "collector/process/process_context.h"
#include "proto/pbf.h"

namespace xsp {

/// With how many threads a process computed its model calls, as its guest tells (ThreadCounts of trace.proto). Used by
/// one thread; `context` is not owned and must outlive this object.
class ProcessThreadCounts {
 public:
  explicit ProcessThreadCounts(ProcessContext& context) : context_(context) {}

  /// Takes a ThreadCounts and writes what is usable of it: unknown enumerators become 0, and calls without a span are
  /// left out. Returns an error if a limit is exceeded. Throws protozero::exception on broken protobuf.
  Status receive(protozero::data_view bytes);

 private:
  ProcessContext& context_;
};

}  // namespace xsp
