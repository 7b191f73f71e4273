#include "inject/launch/run/cupti_search.h"

#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "test/catch.h"

namespace fs = std::filesystem;
using xsp::launch::wheel_cupti_folders;

namespace {

/// A folder of its own, removed at the end.
class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "xsp-wheels-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string add(const std::string& file) const {
    fs::create_directories((path_ / file).parent_path());
    std::ofstream(path_ / file) << "a file";
    return (path_ / file).parent_path().string();
  }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

TEST_CASE("libcupti of wheels is found in each Python of a prefix, the newest first") {
  const Folder prefix;
  const std::string old = prefix.add("lib/python3.11/site-packages/nvidia/cuda_cupti/lib/libcupti.so.12");
  const std::string now = prefix.add("lib/python3.12/site-packages/nvidia/cu13/lib/libcupti.so.13");
  const std::string before = prefix.add("lib/python3.12/site-packages/nvidia/cuda_cupti/lib/libcupti.so.12");
  const std::string all_users = prefix.add("local/lib/python3.11/dist-packages/nvidia/cuda_cupti/lib/libcupti.so.12");
  prefix.add("lib/python3.12/site-packages/nvidia/cublas/lib/libcublas.so.12");
  CHECK(wheel_cupti_folders(prefix.path()) == std::vector<std::string>{now, before, old, all_users});
  CHECK(wheel_cupti_folders(prefix.path() / "nowhere").empty());
}

TEST_CASE("the environment that is active comes before the Python of PATH and the one it was made from") {
  const Folder active, other, base, home;
  const std::string in_active = active.add("lib/python3.12/site-packages/nvidia/cu13/lib/libcupti.so.13");
  const std::string in_other = other.add("lib/python3.12/site-packages/nvidia/cu13/lib/libcupti.so.13");
  const std::string in_base = base.add("lib/python3.12/site-packages/nvidia/cuda_cupti/lib/libcupti.so.12");
  const std::string in_home = home.add(".local/lib/python3.12/site-packages/nvidia/cu13/lib/libcupti.so.13");
  base.add("bin/python3.12");
  fs::permissions(base.path() / "bin/python3.12", fs::perms::owner_all);
  fs::create_directories(other.path() / "bin");
  fs::create_symlink(base.path() / "bin/python3.12", other.path() / "bin/python3");
  const auto restored = [](const char* name, const std::string& value) {
    const char* before = getenv(name);
    std::string kept = before == nullptr ? "" : before;
    setenv(name, value.c_str(), 1);
    return kept;
  };
  const std::string path = restored("PATH", (other.path() / "bin").string());
  const std::string users = restored("HOME", home.path().string());
  setenv("VIRTUAL_ENV", active.path().c_str(), 1);
  unsetenv("CONDA_PREFIX");
  const std::vector<std::string> found = wheel_cupti_folders();
  unsetenv("VIRTUAL_ENV");
  setenv("PATH", path.c_str(), 1);
  setenv("HOME", users.c_str(), 1);
  CHECK(found == std::vector<std::string>{in_active, in_other, in_base, in_home});
}

}  // namespace
