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

/// The interpreter to ask: of a command that is a Python by its name (python3.11, also by that of the file that a link
/// leads to) the command, of a script the Python that its first line names. Empty: the command is something else.
std::string python_of(const std::string& command);

/// A program that is no Python, which is not run: what it is linked to, and what that gives.
std::vector<CheckRow> check_program_file(const std::string& command);

}  // namespace xsp::launch
