#pragma once

#include <string>
#include <vector>

#include "install_layout.h"
#include "options.h"

namespace xsp::launch {

/// One line of `xsp-run --check`.
struct CheckRow {
  enum class State {
    kOk,
    kDegraded,  ///< works, with less in the trace
    kMissing,   ///< nothing is recorded without it
    kUnused,    ///< of no use in this version
  };
  std::string what;
  State state = State::kOk;
  std::string why;
  std::string fix = {};
};

/// Library, collector, report, kernel features, clock, GPU, disk.
std::vector<CheckRow> check_machine(const Options& options, const InstallLayout& layout);

/// The Python `interpreter` (a name in PATH or a path), the frameworks in it, and the analyses that these allow.
std::vector<CheckRow> check_python(const std::string& interpreter);

}  // namespace xsp::launch
