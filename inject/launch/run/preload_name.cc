#include "inject/launch/run/preload_name.h"

#include <dlfcn.h>
#include <sys/auxv.h>

#include <filesystem>

namespace xsp::launch {
namespace {

namespace fs = std::filesystem;

/// inject/preload/meson.build makes the links in it.
constexpr const char* kFolder = "xsp/libclang_rt.asan";

std::string link_by(const char* platform, const fs::path& library) {
  return library.parent_path() / kFolder / platform / library.filename();
}

/// Whether it leads to the library. A copy, as an archive without links makes it, is of no use: the sanitizers would
/// find their name in the program's memory map, and CUDA, which is given the library's own name, would load it again.
bool leads_to(const std::string& link, const std::string& library) {
  std::error_code error;
  const fs::path found = fs::canonical(link, error);
  return !error && found == fs::canonical(library, error) && !error;
}

/// Asks our own loader, which is the one of nearly all programs here. It opens the file to do so, and loads nothing.
bool loader_expands_platform(const std::string& library) {
  // Without the kernel's name for the processor some loaders put in their own, and only for some processors.
  if (getauxval(AT_PLATFORM) == 0) return false;
  dlerror();
  void* loaded = dlopen(link_by("$PLATFORM", library).c_str(), RTLD_LAZY | RTLD_NOLOAD);
  if (loaded == nullptr) return dlerror() == nullptr;
  dlclose(loaded);  // in an xsp-run that is itself recorded
  return true;
}

}  // namespace

std::string preload_name(const std::string& library) { return preload_name(library, loader_expands_platform(library)); }

std::string preload_name(const std::string& library, bool expands_platform) {
  const std::string link = link_by("x86_64", library);
  if (!leads_to(link, library)) return library;
  return expands_platform ? link_by("$PLATFORM", library) : link;
}

}  // namespace xsp::launch
