#include "base/output_target.h"

#include <filesystem>
#include <fstream>

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "test/catch.h"
#include "test/temporary_folder.h"

namespace xsp {
namespace {

using TargetKind = OutputTarget::Kind;

void make_file(const std::string& path) { std::ofstream(path) << "there"; }

TEST_CASE("a file is itself, there or not") {
  const test::TemporaryFolder folder;
  OutputTarget target;
  REQUIRE(find_output_target(folder / "new", &target).ok());
  CHECK((target.kind == TargetKind::kFile && !target.exists && target.path == folder / "new"));
  make_file(folder / "old");
  REQUIRE(find_output_target(folder / "old", &target).ok());
  CHECK((target.kind == TargetKind::kFile && target.exists && target.path == folder / "old"));
}

TEST_CASE("links lead to their file, also where it is not there yet") {
  const test::TemporaryFolder folder;
  std::filesystem::create_directory(folder / "deep");
  make_file(folder / "deep/file");
  std::filesystem::create_symlink("deep/file", folder / "relative");
  std::filesystem::create_symlink(folder / "relative", folder / "twice");
  std::filesystem::create_symlink("nothing", folder / "dangling");
  std::filesystem::create_symlink("loop", folder / "loop");
  OutputTarget target;
  for (const char* name : {"relative", "twice"}) {
    REQUIRE(find_output_target(folder / name, &target).ok());
    CHECK((target.exists && std::filesystem::equivalent(target.path, folder / "deep/file")));
    CHECK_FALSE(std::filesystem::is_symlink(target.path));
  }
  REQUIRE(find_output_target(folder / "dangling", &target).ok());
  CHECK((target.exists && target.path == folder / "nothing"));
  CHECK_FALSE(find_output_target(folder / "loop", &target).ok());
}

TEST_CASE("pipes and devices are written as they are") {
  const test::TemporaryFolder folder;
  REQUIRE(mkfifo((folder / "pipe").c_str(), 0600) == 0);
  std::filesystem::create_symlink("pipe", folder / "link");
  OutputTarget target;
  for (const std::string& path : {folder / "pipe", folder / "link", std::string("/dev/null")}) {
    REQUIRE(find_output_target(path, &target).ok());
    CHECK((target.kind == TargetKind::kStream && target.path == path && !target.is_descriptor));
  }
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  REQUIRE(find_output_target("/proc/self/fd/" + std::to_string(ends[1]), &target).ok());
  CHECK((target.kind == TargetKind::kStream && target.is_descriptor));
  close(ends[0]);
  close(ends[1]);
}

TEST_CASE("folders, sockets and files without a name are refused") {
  const test::TemporaryFolder folder;
  OutputTarget target;
  CHECK(find_output_target(folder / ".", &target).error.find("Is a directory") != std::string::npos);
  const int listener = socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  (folder / "socket").copy(address.sun_path, sizeof address.sun_path - 1);
  REQUIRE(bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
  CHECK(find_output_target(folder / "socket", &target).error.find("a socket") != std::string::npos);
  close(listener);
  make_file(folder / "gone");
  const int file = open((folder / "gone").c_str(), O_WRONLY);
  std::filesystem::remove(folder / "gone");
  CHECK_FALSE(find_output_target("/proc/self/fd/" + std::to_string(file), &target).ok());
  close(file);
}

TEST_CASE("a link that somebody else put into a folder of everybody is refused") {
  if (geteuid() != 0) return;  // nobody else can make files as another user
  const test::TemporaryFolder folder;
  std::filesystem::create_directory(folder / "shared");
  REQUIRE(chmod((folder / "shared").c_str(), 01777) == 0);
  make_file(folder / "mine");
  const std::string link = folder / "shared/link";
  std::filesystem::create_symlink(folder / "mine", link);
  OutputTarget target;
  CHECK(find_output_target(link, &target).ok());
  REQUIRE(lchown(link.c_str(), 65534, 65534) == 0);
  CHECK(find_output_target(link, &target).error.find("another user") != std::string::npos);
}

}  // namespace
}  // namespace xsp
