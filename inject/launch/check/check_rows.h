#pragma once

#include <string>
#include <vector>

#include "inject/launch/options/options.h"
#include "inject/launch/run/install_layout.h"

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

/// Library, collector, report, kernel features, clock, disk.
std::vector<CheckRow> check_machine(const Options& options, const InstallLayout& layout);

/// NVIDIA's driver, the libcupti that would be used, and other tools. `python_folders`: where the CUDA of a Python has
/// its libcupti, if it has one.
std::vector<CheckRow> check_cuda(const Options& options, const InstallLayout& layout,
                                 const std::vector<std::string>& python_folders);

/// The Python `interpreter` (a name in PATH or a path), the frameworks in it, and the analyses that these allow.
/// `cupti_folders`: receives the folders for check_cuda.
std::vector<CheckRow> check_python(const std::string& interpreter, std::vector<std::string>* cupti_folders);

/// The interpreter to ask: the command itself, if its name or that of the file a link leads to is a Python's
/// (python3.11); for a script, the Python that its first line names. Empty: the command is something else.
std::string python_of(const std::string& command);

/// For a program that is not Python, without running it: what it is linked to, and what that provides.
std::vector<CheckRow> check_program_file(const std::string& command);

}  // namespace xsp::launch
