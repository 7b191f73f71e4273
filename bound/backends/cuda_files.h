#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace xsp::bound {

/// Where a library of CUDA may lie ("libcublas" and its major versions, newest first): in folders of $LD_LIBRARY_PATH,
/// in packages of the user's Python (nvidia/*/lib), in the toolkit ($CUDA_HOME, $CUDA_PATH, else /usr/local/cuda), and
/// where the dynamic linker finds it.
std::vector<std::string> cuda_library_files(std::string_view name, std::initializer_list<int> versions);

/// A file of this name in the folders of $LD_LIBRARY_PATH, then the bare name for the dynamic linker.
std::vector<std::string> linker_files(const std::string& name);

/// What a library that was loaded for a device is known by beside its file: the driver, the devices that this process
/// may use, and the machine as it was started.
std::string cuda_environment();

}  // namespace xsp::bound
