#include "inject/launch/run/preload_link.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "test/catch.h"

namespace fs = std::filesystem;
using xsp::launch::make_preloadable;

namespace {

/// A folder with a library in a subfolder of this name; gone at the end.
class LibraryFolder {
 public:
  explicit LibraryFolder(const std::string& name) {
    std::string pattern = "/tmp/xsp-preload-XXXXXX";
    root_ = mkdtemp(pattern.data());
    fs::create_directory(root_ / name);
    path_ = root_ / name / "libxsp_inject.so";
    std::ofstream(path_) << "content";
  }
  LibraryFolder(const LibraryFolder&) = delete;
  LibraryFolder& operator=(const LibraryFolder&) = delete;
  ~LibraryFolder() { fs::remove_all(root_); }

  std::string path() const { return path_; }

 private:
  fs::path root_;
  fs::path path_;
};

}  // namespace

TEST_CASE("a path that the loader takes whole stays as it is") {
  std::string library = "/x/y/libxsp_inject.so";
  CHECK(make_preloadable(&library).ok());
  CHECK(library == "/x/y/libxsp_inject.so");
}

TEST_CASE("a path that the loader would cut or change is reached through a link, the same for every run") {
  for (const char* name : {"a b", "a:b", "a$LIB"}) {
    const LibraryFolder folder(name);
    std::string first = folder.path();
    REQUIRE(make_preloadable(&first).ok());
    CHECK(first.find_first_of(" :$") == std::string::npos);
    CHECK(fs::canonical(first) == folder.path());
    std::string second = folder.path();
    REQUIRE(make_preloadable(&second).ok());
    CHECK(second == first);
    const fs::path link = fs::path(first).parent_path();
    // A link that leads elsewhere is made anew.
    fs::remove(link);
    fs::create_symlink("/nowhere", link);
    std::string third = folder.path();
    REQUIRE(make_preloadable(&third).ok());
    CHECK(fs::canonical(third) == folder.path());
    fs::remove(link);
  }
}

TEST_CASE("a folder that others made or can write is not taken") {
  if (geteuid() != 0) return;  // only root can give a folder away
  const LibraryFolder folder("a b");
  std::string mine = folder.path();
  REQUIRE(make_preloadable(&mine).ok());
  const fs::path link = fs::path(mine).parent_path();
  const fs::path own = link.parent_path();
  // Before ours in the order of names, and with a link of the same name to a library of the attacker's.
  const LibraryFolder evil("evil");
  for (const bool is_foreign : {true, false}) {
    const fs::path theirs = is_foreign ? "/tmp/xsp-lib-\x01foreign" : "/tmp/xsp-lib-\x01open";
    fs::create_directory(theirs);
    chmod(theirs.c_str(), is_foreign ? 0755 : 0777);
    if (is_foreign) REQUIRE(chown(theirs.c_str(), 65534, 65534) == 0);
    fs::create_symlink(fs::path(evil.path()).parent_path(), theirs / link.filename());
    std::string library = folder.path();
    REQUIRE(make_preloadable(&library).ok());
    CHECK(library == mine);
    fs::remove_all(theirs);
  }
  const fs::path pointing = "/tmp/xsp-lib-\x01link";
  fs::create_directory_symlink(fs::path(evil.path()).parent_path(), pointing);
  std::string library = folder.path();
  REQUIRE(make_preloadable(&library).ok());
  CHECK(library == mine);
  fs::remove(pointing);
  fs::remove(link);
  fs::remove(own);
}

TEST_CASE("two folders have two links") {
  const LibraryFolder one("a b");
  const LibraryFolder two("a b");
  std::string first = one.path();
  std::string second = two.path();
  REQUIRE(make_preloadable(&first).ok());
  REQUIRE(make_preloadable(&second).ok());
  CHECK(first != second);
  fs::remove(fs::path(first).parent_path());
  fs::remove(fs::path(second).parent_path());
}
