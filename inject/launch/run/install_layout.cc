#include "inject/launch/run/install_layout.h"

#include <gnu/libc-version.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <initializer_list>
#include <string_view>

#include "proto/environment.h"

namespace xsp::launch {
namespace {

namespace fs = std::filesystem;

fs::path own_folder() {
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  return error ? fs::path() : self.parent_path();
}

std::string first_existing(const char* variable, std::initializer_list<fs::path> candidates) {
  if (const char* given = std::getenv(variable); given != nullptr && *given != '\0') {
    return access(given, R_OK) == 0 ? fs::absolute(given).string() : std::string();
  }
  for (const fs::path& candidate : candidates) {
    if (candidate.is_relative()) continue;  // no prefix configured: never what lies in the current folder
    std::error_code error;
    const fs::path found = fs::canonical(candidate, error);
    if (!error && access(found.c_str(), R_OK) == 0) return found.string();
  }
  return {};
}

std::string not_found(const std::string& part, std::string_view configured) {
  std::string text = part + " is not beside xsp-run";
  if (!configured.empty()) text.append(" nor in ").append(configured);
  return text;
}

}  // namespace

InstallLayout find_install_layout() {
  const fs::path here = own_folder();
  const fs::path libdir = XSP_LIBDIR;
  const fs::path bindir = XSP_BINDIR;
  InstallLayout layout;
  layout.library =
      first_existing(variable::kLibrary, {here / "../libxsp_inject.so", here / "../lib/libxsp_inject.so",
                                          here / "../lib/x86_64-linux-gnu/libxsp_inject.so",
                                          here / "../lib64/libxsp_inject.so", libdir / "libxsp_inject.so"});
  layout.collector = first_existing(
      variable::kCollector, {here / "xsp-collector", here / "../../collector/xsp-collector", bindir / "xsp-collector"});
  layout.report = first_existing(variable::kReport,
                                 {here / "xsp-report", here / "../../analysis/xsp-report", bindir / "xsp-report"});
  return layout;
}

Status missing_part(const InstallLayout& layout, bool private_collector) {
  const std::string reinstall = "build, install or unpack XSP again, completely; xsp-run --check shows more";
  if (layout.library.empty()) return {not_found("libxsp_inject.so", XSP_LIBDIR), reinstall};
  if (private_collector && layout.collector.empty()) return {not_found("xsp-collector", XSP_BINDIR), reinstall};
  return {};
}

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
  *path = (fs::path(layout.library).parent_path() / "libxsp_audit.so").string();
  if (access(path->c_str(), R_OK) == 0) return {};
  return {"libxsp_audit.so is not beside " + layout.library,
          "build it completely (ninja -C build) or install XSP again"};
}

}  // namespace xsp::launch
