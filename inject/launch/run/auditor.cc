#include "inject/launch/run/auditor.h"

#include <gnu/libc-version.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>

namespace xsp::launch {

Status refuse_old_loader(const std::string& version) {
  int major = 0;
  int minor = 0;
  if (std::sscanf(version.c_str(), "%d.%d", &major, &minor) == 2 && (major > 2 || (major == 2 && minor >= 35))) {
    return {};
  }
  return {"--audit needs glibc 2.35 or newer, and this is " + version +
              " (older loaders pass every call between libraries by the auditor)",
          "run without --audit: only libraries opened with RTLD_DEEPBIND are missed then"};
}

Status find_auditor(const InstallLayout& layout, std::string* path) {
  if (Status status = refuse_old_loader(gnu_get_libc_version()); !status.ok()) return status;
  *path = (std::filesystem::path(layout.library).parent_path() / "libxsp_audit.so").string();
  if (access(path->c_str(), R_OK) == 0) return {};
  return {"libxsp_audit.so is not beside " + layout.library,
          "build it completely (ninja -C build) or install XSP again"};
}

}  // namespace xsp::launch
