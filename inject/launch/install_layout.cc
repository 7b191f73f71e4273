#include "install_layout.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <initializer_list>

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
    std::error_code error;
    const fs::path found = fs::canonical(candidate, error);
    if (!error && access(found.c_str(), R_OK) == 0) return found.string();
  }
  return {};
}

}  // namespace

InstallLayout find_install_layout() {
  const fs::path here = own_folder();
  const fs::path libdir = XSP_LIBDIR;
  const fs::path bindir = XSP_BINDIR;
  InstallLayout layout;
  layout.library = first_existing("XSP_LIBRARY", {here / "../libxsp_inject.so", here / "../lib/libxsp_inject.so",
                                                  here / "../lib/x86_64-linux-gnu/libxsp_inject.so",
                                                  here / "../lib64/libxsp_inject.so", libdir / "libxsp_inject.so"});
  layout.collector = first_existing(
      "XSP_COLLECTOR", {here / "xsp-collector", here / "../../collector/xsp-collector", bindir / "xsp-collector"});
  layout.report =
      first_existing("XSP_REPORT", {here / "xsp-report", here / "../../analysis/xsp-report", bindir / "xsp-report"});
  return layout;
}

std::optional<Failure> missing_part(const InstallLayout& layout, bool private_collector) {
  const std::string reinstall = "build it completely (ninja -C build) or install XSP again; xsp-run --check shows more";
  if (layout.library.empty()) return Failure{"libxsp_inject.so is not beside xsp-run nor in " XSP_LIBDIR, reinstall};
  if (layout.library.find_first_of(" :") != std::string::npos) {
    return Failure{"LD_PRELOAD cannot carry the path " + layout.library + " (it has a space or a colon)",
                   "install XSP in a folder without such characters in its name"};
  }
  if (private_collector && layout.collector.empty()) {
    return Failure{"xsp-collector is not beside xsp-run nor in " XSP_BINDIR, reinstall};
  }
  return std::nullopt;
}

}  // namespace xsp::launch
