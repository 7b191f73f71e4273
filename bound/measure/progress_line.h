#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "bound/measure/benchmark_run.h"

namespace xsp::bound {

/// "[37/105] conv src=1x64x56x56 wei=…, onednn 3.2.0, about 40 s left" in at most `width` columns (0: as long as it
/// is).
std::string progress_text(const BenchmarkProgress& progress, size_t width);

/// One line on standard error that says how far a run has come. On a terminal it is written over, elsewhere there is
/// one now and then.
class ProgressLine {
 public:
  explicit ProgressLine(bool quiet);
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void update(const BenchmarkProgress& progress);
  /// Clears the line, so that something else can be printed.
  void clear();

 private:
  bool quiet_;
  bool is_terminal_;
  bool is_shown_ = false;
  uint64_t next_ns_;
};

}  // namespace xsp::bound
