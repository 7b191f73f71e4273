#include "inject/launch/run/preload_name.h"

#include <cstdlib>
#include <filesystem>

#include "test/catch.h"

namespace fs = std::filesystem;
using xsp::launch::preload_name;

namespace {

/// A folder with a library and what meson installs beside it; gone at the end.
class Installation {
 public:
  Installation() {
    std::string pattern = "/tmp/xsp-preload-name-XXXXXX";
    root_ = mkdtemp(pattern.data());
    fs::copy_file("/lib/x86_64-linux-gnu/libc.so.6", library());  // the loader looks whether it is a library
    // glibc detects the last two itself on Intel's processors, whatever the kernel reports.
    for (const char* platform : {"x86_64", "haswell", "xeon_phi"}) {
      fs::create_directories(link(platform).parent_path());
      fs::create_symlink("../../../libxsp_inject.so", link(platform));
    }
  }
  Installation(const Installation&) = delete;
  Installation& operator=(const Installation&) = delete;
  ~Installation() { fs::remove_all(root_); }

  fs::path library() const { return root_ / "libxsp_inject.so"; }
  fs::path link(const char* platform = "x86_64") const {
    return root_ / "xsp/libclang_rt.asan" / platform / "libxsp_inject.so";
  }
  std::string by_token() const { return root_ / "xsp/libclang_rt.asan/$PLATFORM/libxsp_inject.so"; }

 private:
  fs::path root_;
};

}  // namespace

TEST_CASE("loaders find the library through a folder of their own") {
  const Installation installed;
  CHECK(preload_name(installed.library(), true) == installed.by_token());
  CHECK(preload_name(installed.library()) == installed.by_token());  // glibc, on a kernel that names the platform
}

TEST_CASE("where the loader does not know its platform, the link is named as it is") {
  const Installation installed;
  CHECK(preload_name(installed.library(), false) == installed.link());
}

TEST_CASE("a library without such links is named itself") {
  CHECK(preload_name("/x/y/libxsp_inject.so", true) == "/x/y/libxsp_inject.so");
  const Installation installed;
  fs::remove(installed.link());
  CHECK(preload_name(installed.library(), true) == installed.library());
  // A copy in its place would be a second guest.
  fs::copy_file(installed.library(), installed.link());
  CHECK(preload_name(installed.library(), true) == installed.library());
  fs::remove(installed.link());
  fs::create_hard_link(installed.library(), installed.link());
  CHECK(preload_name(installed.library(), true) == installed.library());
}
