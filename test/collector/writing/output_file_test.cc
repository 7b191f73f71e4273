#include "collector/writing/output_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include "collector/recording/scratch_folder.h"
#include "test/catch.h"
#include "test/temporary_folder.h"

namespace xsp::test {
namespace {

namespace fs = std::filesystem;

TEST_CASE("a trace has its name only when it is whole") {
  TemporaryFolder folder;
  std::unique_ptr<OutputFile> file;
  REQUIRE(create_output_file(folder / "t.pb", false, &file).ok());
  REQUIRE(file->write("abc", 3) == 3);
  CHECK_FALSE(fs::exists(folder / "t.pb"));
  CHECK(read_file(folder / "t.pb.partial") == "abc");
  REQUIRE(file->truncate(1) == 0);
  REQUIRE(file->write("z", 1) == 1);
  REQUIRE(file->publish().ok());
  CHECK(read_file(folder / "t.pb") == "az");
  CHECK_FALSE(fs::exists(folder / "t.pb.partial"));
}

TEST_CASE("an existing trace is overwritten only by force") {
  TemporaryFolder folder;
  write_file(folder / "t.pb", "old");
  std::unique_ptr<OutputFile> file;
  CHECK_FALSE(create_output_file(folder / "t.pb", false, &file).ok());
  REQUIRE(create_output_file(folder / "t.pb", true, &file).ok());
  REQUIRE(file->publish().ok());
  CHECK(read_file(folder / "t.pb").empty());
}

TEST_CASE("a trace that appears meanwhile is not overwritten") {
  TemporaryFolder folder;
  std::unique_ptr<OutputFile> file;
  REQUIRE(create_output_file(folder / "t.pb", false, &file).ok());
  write_file(folder / "t.pb", "other");
  CHECK_FALSE(file->publish().ok());
  CHECK(read_file(folder / "t.pb") == "other");
}

TEST_CASE("two collectors do not write the same file, what a dead one left is overwritten") {
  TemporaryFolder folder;
  write_file(folder / "t.pb.partial", "left behind");
  std::unique_ptr<OutputFile> first;
  std::unique_ptr<OutputFile> second;
  REQUIRE(create_output_file(folder / "t.pb", false, &first).ok());
  CHECK(read_file(folder / "t.pb.partial").empty());
  CHECK(create_output_file(folder / "t.pb", false, &second).error.find("another collector") != std::string::npos);
}

TEST_CASE("what cannot be written is told by the name that the user gave") {
  TemporaryFolder folder;
  std::unique_ptr<OutputFile> file;
  const std::string missing = folder / "none/t.pb";
  CHECK(create_output_file(missing, false, &file).error == "cannot write " + missing + " (No such file or directory)");
  fs::create_symlink(missing, folder / "link");
  CHECK(create_output_file(folder / "link", true, &file).error ==
        "cannot write " + (folder / "link") + " (No such file or directory)");
}

TEST_CASE("what others put in the place of the partial file is not written to") {
  TemporaryFolder folder;
  const std::string partial = folder / "t.pb.partial";
  std::unique_ptr<OutputFile> file;
  const auto is_refused = [&] {
    const Status status = create_output_file(folder / "t.pb", true, &file);
    return !status.ok() && status.error.find("no plain file of this user") != std::string::npos;
  };
  write_file(folder / "victim", "precious");
  fs::create_symlink(folder / "victim", partial);
  CHECK(is_refused());
  fs::remove(partial);
  fs::create_hard_link(folder / "victim", partial);
  CHECK(is_refused());
  fs::remove(partial);
  REQUIRE(::mkfifo(partial.c_str(), 0666) == 0);
  CHECK(is_refused());
  fs::remove(partial);
  if (::geteuid() == 0) {
    write_file(partial, "of somebody else");
    REQUIRE(::chown(partial.c_str(), 65534, 65534) == 0);
    CHECK(is_refused());
    fs::remove(partial);
  }
}

TEST_CASE("a link in the place of the trace stays, and the file that it leads to is made anew") {
  TemporaryFolder folder;
  fs::create_directory(folder / "deep");
  write_file(folder / "deep/file", "before");
  fs::create_symlink("deep/file", folder / "t.pb");
  std::unique_ptr<OutputFile> file;
  CHECK(create_output_file(folder / "t.pb", false, &file).error.find("exists") != std::string::npos);
  REQUIRE(create_output_file(folder / "t.pb", true, &file).ok());
  CHECK(read_file(folder / "deep/file") == "before");
  REQUIRE(file->write("abc", 3) == 3);
  REQUIRE(file->publish().ok());
  CHECK(fs::is_symlink(folder / "t.pb"));
  CHECK(read_file(folder / "deep/file") == "abc");
  CHECK_FALSE(fs::exists(folder / "deep/file.partial"));
}

TEST_CASE("a folder that is not there is an error") {
  TemporaryFolder folder;
  std::unique_ptr<OutputFile> file;
  CHECK_FALSE(create_output_file(folder / "none/t.pb", false, &file).ok());
}

TEST_CASE("emptying a folder follows no links out of it") {
  TemporaryFolder folder;
  fs::create_directories(folder / "scratch/sub");
  fs::create_directories(folder / "outside");
  write_file(folder / "outside/kept", "x");
  write_file(folder / "scratch/sub/gone", "x");
  fs::create_directory_symlink(folder / "outside", folder / "scratch/link");
  ScratchFolder(folder / "scratch").empty();
  CHECK(fs::is_empty(folder / "scratch"));
  CHECK(fs::exists(folder / "outside/kept"));
  ScratchFolder(folder / "nowhere").empty();
}

}  // namespace
}  // namespace xsp::test
