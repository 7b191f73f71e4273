#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace xsp::launch {

/// Folders with a libcupti that pip installed, for programs that bring none: a C++ program beside a Python that does
/// has the CUDA of a wheel, or no toolkit with CUPTI. Of the environment that is active (VIRTUAL_ENV, CONDA_PREFIX),
/// then of the python3 and python of PATH, then of the user (~/.local); of one Python the newest CUDA first. Nothing is
/// run for it: packages lie where Python's own rules put them (PREFIX/lib/pythonX.Y/site-packages, Debian's
/// dist-packages).
std::vector<std::string> wheel_cupti_folders();

/// The same of one prefix.
std::vector<std::string> wheel_cupti_folders(const std::filesystem::path& prefix);

}  // namespace xsp::launch
