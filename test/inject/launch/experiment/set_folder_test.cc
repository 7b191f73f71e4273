#include "inject/launch/experiment/set_folder.h"

#include <filesystem>
#include <fstream>

#include "inject/launch/experiment/set_index.h"
#include "inject/launch/run/output_name.h"
#include "test/catch.h"

using xsp::OwnedFd;
using xsp::launch::check_folder;
using xsp::launch::choose_folder;
using xsp::launch::make_folder;
using xsp::launch::SetIndex;
namespace fs = std::filesystem;

namespace {

/// A folder of a test, the current one while it lasts.
struct Workplace {
  Workplace() : before(fs::current_path()) {
    std::string pattern = fs::temp_directory_path() / "xsp-folder-XXXXXX";
    path = mkdtemp(pattern.data());
    fs::current_path(path);
  }
  ~Workplace() {
    fs::current_path(before);
    fs::remove_all(path);
  }
  fs::path before;
  std::string path;
};

void write_file(const std::string& path) { std::ofstream(path) << "x"; }

void make_set(const std::string& folder) {
  fs::create_directory(folder);
  SetIndex index = xsp::launch::new_index("xsp-run", {"x"});
  index.add({.command = {"x"}, .level = "model"});
  REQUIRE(write_index(folder, index).ok());
  write_file(folder + "/001-model.pb");
  write_file(folder + "/001-model.log");
}

}  // namespace

TEST_CASE("a set without an output takes a name that is free") {
  const Workplace here;
  std::string folder;
  REQUIRE(choose_folder("", {"python", "infer.py"}, 42, &folder).ok());
  CHECK(folder == "xsp-infer-42");
  fs::create_directory(folder);
  REQUIRE(choose_folder("", {"python", "infer.py"}, 42, &folder).ok());
  CHECK(folder == "xsp-infer-42.1");
  REQUIRE(choose_folder("runs/%p/", {"x"}, 42, &folder).ok());
  CHECK(folder == "runs/42");
}

TEST_CASE("a folder that holds something is refused, an empty or new one is not") {
  const Workplace here;
  CHECK(check_folder("new/deep", false).ok());
  CHECK_FALSE(fs::exists("new"));
  fs::create_directory("empty");
  CHECK(check_folder("empty", false).ok());
  fs::create_directory("full");
  write_file("full/thesis.tex");
  CHECK_FALSE(check_folder("full", false).ok());
  CHECK_FALSE(check_folder("full", true).ok());
  write_file("file");
  CHECK_FALSE(check_folder("file", true).ok());
  CHECK_FALSE(check_folder("file/set", true).ok());
  CHECK_FALSE(check_folder("", true).ok());
}

TEST_CASE("an earlier set is replaced by force, and what else is in its folder stays") {
  const Workplace here;
  make_set("set");
  write_file("set/notes.txt");
  for (const char* path : {"set/001-model.pb.partial", "set/001-model.log.stderr"}) write_file(path);
  CHECK_FALSE(check_folder("set", false).ok());
  REQUIRE(check_folder("set", true).ok());
  CHECK(fs::exists("set/001-model.pb"));
  OwnedFd lock;
  REQUIRE(make_folder("set", &lock).ok());
  std::vector<std::string> left;
  for (const auto& entry : fs::directory_iterator("set")) left.push_back(entry.path().filename());
  CHECK(left == std::vector<std::string>{"notes.txt"});
}

TEST_CASE("a folder that a set is being written into is refused, also with force, and loses nothing") {
  const Workplace here;
  OwnedFd first;
  REQUIRE(make_folder("set", &first).ok());
  make_set("set");
  REQUIRE(check_folder("set", true).ok());
  OwnedFd second;
  REQUIRE_FALSE(make_folder("set", &second).ok());
  CHECK(fs::exists("set/001-model.pb"));
  first.reset();
  CHECK(make_folder("set", &second).ok());
}
