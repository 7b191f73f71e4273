#include "collector/output_file.h"

#include "collector/scratch_folder.h"
#include "test/catch.h"
#include "test/collector/temporary_folder.h"

namespace xsp::test {
namespace {

namespace fs = std::filesystem;

TEST_CASE("a trace has its name only when it is whole") {
  TemporaryFolder folder;
  std::unique_ptr<OutputFile> file;
  REQUIRE(create_output_file(folder / "t.pb", false, &file).is_ok());
  REQUIRE(file->write("abc", 3) == 3);
  CHECK_FALSE(fs::exists(folder / "t.pb"));
  CHECK(read_file(folder / "t.pb.partial") == "abc");
  REQUIRE(file->truncate(1) == 0);
  REQUIRE(file->write("z", 1) == 1);
  REQUIRE(file->publish().is_ok());
  CHECK(read_file(folder / "t.pb") == "az");
  CHECK_FALSE(fs::exists(folder / "t.pb.partial"));
}

TEST_CASE("an existing trace is overwritten only by force") {
  TemporaryFolder folder;
  write_file(folder / "t.pb", "old");
  std::unique_ptr<OutputFile> file;
  CHECK_FALSE(create_output_file(folder / "t.pb", false, &file).is_ok());
  REQUIRE(create_output_file(folder / "t.pb", true, &file).is_ok());
  REQUIRE(file->publish().is_ok());
  CHECK(read_file(folder / "t.pb").empty());
}

TEST_CASE("a trace that appears meanwhile is not overwritten") {
  TemporaryFolder folder;
  std::unique_ptr<OutputFile> file;
  REQUIRE(create_output_file(folder / "t.pb", false, &file).is_ok());
  write_file(folder / "t.pb", "other");
  CHECK_FALSE(file->publish().is_ok());
  CHECK(read_file(folder / "t.pb") == "other");
}

TEST_CASE("two collectors do not write the same file, what a dead one left is overwritten") {
  TemporaryFolder folder;
  write_file(folder / "t.pb.partial", "left behind");
  std::unique_ptr<OutputFile> first;
  std::unique_ptr<OutputFile> second;
  REQUIRE(create_output_file(folder / "t.pb", false, &first).is_ok());
  CHECK(read_file(folder / "t.pb.partial").empty());
  CHECK(create_output_file(folder / "t.pb", false, &second).what().find("another collector") != std::string::npos);
}

TEST_CASE("a folder that is not there is an error") {
  TemporaryFolder folder;
  std::unique_ptr<OutputFile> file;
  CHECK_FALSE(create_output_file(folder / "none/t.pb", false, &file).is_ok());
}

TEST_CASE("emptying a folder follows no links out of it") {
  TemporaryFolder folder;
  fs::create_directories(folder / "scratch/sub");
  fs::create_directories(folder / "outside");
  write_file(folder / "outside/kept", "x");
  write_file(folder / "scratch/sub/gone", "x");
  fs::create_directory_symlink(folder / "outside", folder / "scratch/link");
  empty_folder(folder / "scratch");
  CHECK(fs::is_empty(folder / "scratch"));
  CHECK(fs::exists(folder / "outside/kept"));
  empty_folder(folder / "nowhere");
}

}  // namespace
}  // namespace xsp::test
