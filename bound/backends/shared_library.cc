#include "bound/backends/shared_library.h"

#include <dlfcn.h>
#include <link.h>

#include <filesystem>
#include <string_view>

namespace xsp::bound {
namespace {

/// Libraries that are loaded for the sake of another one, at most, and how far that goes.
constexpr int kMostNeeded = 32;
constexpr int kMostChained = 4;

/// The name in "libgfortran.so.5: cannot open shared object file: …"; empty for another complaint.
std::string missing_name(std::string_view complaint) {
  const size_t end = complaint.find(": cannot open shared object file");
  return end == std::string_view::npos ? "" : std::string(complaint.substr(0, end));
}

/// Null with the linker's word.
void* load_with_needed(const std::string& path, int flags, int depth, std::string* complaint) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  for (int i = 0; i < kMostNeeded; ++i) {
    void* const handle = dlopen(path.c_str(), flags);
    if (handle != nullptr) return handle;
    const char* const why = dlerror();
    *complaint = why == nullptr ? path + " cannot be loaded" : why;
    const std::string missing = missing_name(*complaint);
    const std::string beside = (folder / missing).string();
    std::error_code error;
    if (depth == 0 || folder.empty() || missing.empty() || beside == path) return nullptr;
    if (!std::filesystem::exists(beside, error)) return nullptr;
    // Stays loaded: the linker then takes it for the one that is needed.
    if (load_with_needed(beside, flags, depth - 1, complaint) == nullptr) return nullptr;
  }
  return nullptr;
}

}  // namespace

Status SharedLibrary::open(const std::string& path, bool bind_now, SharedLibrary* library) {
  std::string complaint;
  void* const handle = load_with_needed(path, (bind_now ? RTLD_NOW : RTLD_LAZY) | RTLD_LOCAL, kMostChained, &complaint);
  if (handle == nullptr) return {complaint, ""};
  library->handle_ = handle;
  library->path_ = path;
  link_map* map = nullptr;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 && map != nullptr && map->l_name[0] != '\0') {
    library->path_ = map->l_name;
  }
  return {};
}

void* SharedLibrary::symbol(const std::string& name) const {
  return handle_ == nullptr ? nullptr : dlsym(handle_, name.c_str());
}

}  // namespace xsp::bound
