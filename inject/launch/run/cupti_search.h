#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace xsp::launch {

/// Folders with a libcupti that pip installed, for programs that bring none: a C++ program used beside such a Python
/// has the CUDA of a wheel, or a toolkit without CUPTI. Searched in order: the active environment (VIRTUAL_ENV,
/// CONDA_PREFIX), the python3 and python of PATH, the user (~/.local); the newest CUDA of each Python first. Nothing is
/// run for it: packages lie where Python's own rules put them (PREFIX/lib/pythonX.Y/site-packages, Debian's
/// dist-packages).
std::vector<std::string> wheel_cupti_folders();

/// The same of one prefix.
std::vector<std::string> wheel_cupti_folders(const std::filesystem::path& prefix);

/// The libcupti that a program would get, and in which of the places that the guest searches.
struct CuptiFile {
  enum class Source {
    kNone,
    kNamed,    ///< by XSP_CUPTI, whether it is there or not
    kPython,   ///< it came with the CUDA of the program's Python
    kToolkit,  ///< of CUDA_HOME, CUDA_PATH, or where the loader looks
    kWheel,    ///< see wheel_cupti_folders()
  };
  std::string path;
  Source source = Source::kNone;
};

/// Looks in the order in which the guest does, as far as can be told beforehand. `python_folders`: where the CUDA of a
/// Python has its libcupti, if the program is one.
CuptiFile find_cupti(const std::vector<std::string>& python_folders);

}  // namespace xsp::launch
