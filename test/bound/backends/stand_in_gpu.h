#pragma once

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "test/catch.h"

namespace xsp::bound {

/// The folder of the stand-ins for NVIDIA's libraries.
inline std::string fake_cuda_folder() {
  if (const char* const folder = getenv("XSP_FAKE_CUDA")) return folder;
  return (std::filesystem::read_symlink("/proc/self/exe").parent_path().parent_path() / "fake_cuda").string();
}

/// Loads the stand-in driver, so that all who ask for libcuda.so.1 get it, a machine's own GPU or not.
inline void load_stand_in_driver() {
  static void* const driver = [] {
    unsetenv("FAKE_CUDA_FAIL");
    return dlopen((fake_cuda_folder() + "/driver/libcuda.so.1").c_str(), RTLD_NOW | RTLD_GLOBAL);
  }();
  if (driver == nullptr) FAIL(dlerror());
}

/// An environment variable while it lives.
class SetVariable {
 public:
  SetVariable(const char* name, const char* value) : name_(name) { setenv(name, value, 1); }
  ~SetVariable() { unsetenv(name_); }
  SetVariable(const SetVariable&) = delete;
  SetVariable& operator=(const SetVariable&) = delete;

 private:
  const char* name_;
};

}  // namespace xsp::bound
