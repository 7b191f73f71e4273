#include "collector/continuous/part_folder.h"

#include <filesystem>

#include <unistd.h>

#include "test/catch.h"
#include "test/temporary_folder.h"

namespace xsp::test {
namespace {

namespace fs = std::filesystem;

uint64_t bytes_in(const std::string& folder) {
  uint64_t bytes = 0;
  for (const auto& entry : fs::directory_iterator(folder)) bytes += entry.file_size();
  return bytes;
}

void write_part(PartFolder& folder, size_t size) {
  std::unique_ptr<OutputFile> part;
  REQUIRE(folder.create_part(&part).ok());
  const std::string bytes(size, 'x');
  REQUIRE(part->write(bytes.data(), size) == static_cast<ssize_t>(size));
  REQUIRE(part->publish().ok());
}

TEST_CASE("parts are numbered, and the oldest go to keep within the size, before the write that needs the room") {
  TemporaryFolder temporary;
  const std::string path = temporary / "a/b/recording";
  PartFolder folder;
  REQUIRE(folder.open(path, 1000, false).ok());
  for (int i = 0; i < 7; ++i) {
    write_part(folder, 300);
    CHECK(bytes_in(path) <= 1000);
    CHECK(bytes_in(path) == folder.bytes());
  }
  CHECK(folder.parts() == 3);
  CHECK(folder.removed() == 4);
  CHECK(fs::exists(path + "/000005.pb"));
  CHECK(fs::exists(path + "/000007.pb"));
  CHECK_FALSE(fs::exists(path + "/000004.pb"));
}

TEST_CASE("a part that alone is too large is cut off, and never removed while it is written") {
  TemporaryFolder temporary;
  PartFolder folder;
  REQUIRE(folder.open(temporary.path(), 1000, false).ok());
  write_part(folder, 300);
  std::unique_ptr<OutputFile> part;
  REQUIRE(folder.create_part(&part).ok());
  const std::string bytes(600, 'x');
  CHECK(part->write(bytes.data(), bytes.size()) == 600);
  CHECK(part->write(bytes.data(), bytes.size()) == -EFBIG);
  CHECK(fs::exists(temporary / "000002.pb.partial"));
  CHECK(folder.bytes() == 600);
  CHECK(part->truncate(100) == 0);
  CHECK(part->write(bytes.data(), bytes.size()) == 600);
  CHECK(folder.bytes() == 700);
}

TEST_CASE("a part in which nothing was written leaves nothing, and its number is used again") {
  TemporaryFolder temporary;
  PartFolder folder;
  REQUIRE(folder.open(temporary.path(), 0, false).ok());
  std::unique_ptr<OutputFile> part;
  REQUIRE(folder.create_part(&part).ok());
  part.reset();
  CHECK(fs::is_empty(temporary.path()));
  write_part(folder, 1);
  CHECK(fs::exists(temporary / "000001.pb"));
}

TEST_CASE("the next collector goes on behind what is there, finished or not") {
  TemporaryFolder temporary;
  {
    PartFolder folder;
    REQUIRE(folder.open(temporary.path(), 0, false).ok());
    write_part(folder, 10);
  }
  write_file(temporary / "000002.pb.partial", "torn");
  write_file(temporary / "000003.pb.partial", "");
  PartFolder folder;
  REQUIRE(folder.open(temporary.path(), 0, false).ok());
  CHECK(folder.bytes() == 14);
  CHECK(read_file(temporary / "000002.pb") == "torn");
  CHECK_FALSE(fs::exists(temporary / "000003.pb.partial"));
  write_part(folder, 1);
  CHECK(fs::exists(temporary / "000004.pb"));
  PartFolder second;
  CHECK(second.open(temporary.path(), 0, false).error.find("another collector is writing") != std::string::npos);
}

TEST_CASE("a folder with something else is refused, a link too; with force it is left alone") {
  TemporaryFolder temporary;
  write_file(temporary / "notes.txt", "mine");
  {
    PartFolder folder;
    CHECK(folder.open(temporary.path(), 0, false).error.find("notes.txt") != std::string::npos);
  }
  fs::remove(temporary / "notes.txt");
  write_file("/tmp/xsp-part-folder-target-" + std::to_string(::getpid()), "theirs");
  fs::create_symlink("/tmp/xsp-part-folder-target-" + std::to_string(::getpid()), temporary / "000001.pb.partial");
  {
    PartFolder folder;
    CHECK_FALSE(folder.open(temporary.path(), 0, false).ok());
  }
  PartFolder forced;
  REQUIRE(forced.open(temporary.path(), 0, true).ok());
  std::unique_ptr<OutputFile> part;
  CHECK_FALSE(forced.create_part(&part).ok());
  CHECK(read_file("/tmp/xsp-part-folder-target-" + std::to_string(::getpid())) == "theirs");
  fs::remove("/tmp/xsp-part-folder-target-" + std::to_string(::getpid()));
}

TEST_CASE("a file is no folder") {
  TemporaryFolder temporary;
  write_file(temporary / "file", "x");
  PartFolder folder;
  CHECK(folder.open(temporary / "file", 0, false).error.find("is a file") != std::string::npos);
}

}  // namespace
}  // namespace xsp::test
