#include "collector/recording/static_libraries.h"

#include <cstring>

#include <elf.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "test/catch.h"
#include "test/temporary_folder.h"

namespace xsp::test {
namespace {

/// This program has the names that are looked for in its read-only data, as one that links the libraries would.
std::string own_file() { return std::filesystem::read_symlink("/proc/self/exe").string(); }

void finish(StaticLibraries& libraries) {
  while (libraries.work()) {
  }
}

TEST_CASE("a library linked into a file is found by the variable that it reads") {
  StaticLibraries libraries;
  libraries.add({own_file(), "/bin/true"});
  finish(libraries);
  const auto found = libraries.found_in(own_file());
  CHECK(found == std::vector<std::string>{"onednn", "cublas", "cudnn", "nccl", "openblas", "mkl"});
  CHECK(libraries.found_in("/bin/true").empty());
  CHECK(libraries.found_in("/never/queued").empty());
}

TEST_CASE("the library's own file is not one that it was linked into") {
  TemporaryFolder folder;
  const std::string own = folder / "libdnnl.so.3.1";
  std::filesystem::copy_file(own_file(), own);
  StaticLibraries libraries;
  libraries.add({own});
  finish(libraries);
  CHECK(libraries.found_in(own) == std::vector<std::string>{"cublas", "cudnn", "nccl", "openblas", "mkl"});
}

TEST_CASE("files that are none, broken or missing have no libraries and stop nothing") {
  TemporaryFolder folder;
  const std::string whole = read_file(own_file());
  const std::string torn = folder / "torn";
  write_file(torn, whole.substr(0, 5000));
  std::string bytes = whole.substr(0, 64);
  for (size_t i = 16; i < bytes.size(); ++i) bytes[i] = '\xff';
  const std::string broken = folder / "broken";
  write_file(broken, bytes);
  StaticLibraries libraries;
  libraries.add({torn, broken, folder.path(), "/dev/zero", "/nonexistent", own_file()});
  finish(libraries);
  CHECK(libraries.found_in(torn).empty());
  CHECK(libraries.found_in(broken).empty());
  CHECK(libraries.found_in(own_file()).size() == 6);
}

TEST_CASE("pipes, devices and files without an end are not read, and nobody is waited for") {
  TemporaryFolder folder;
  const std::string pipe = folder / "pipe";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  const std::string link = folder / "link";
  std::filesystem::create_symlink("/proc/self/exe", link);
  const std::string to_pipe = folder / "to_pipe";
  std::filesystem::create_symlink(pipe, to_pipe);
  StaticLibraries libraries;
  libraries.add({pipe, to_pipe, "/dev/tty", "/dev/full", "/proc/kmsg", "/proc/kcore", "/proc/self/mem", link});
  finish(libraries);
  CHECK(libraries.found_in(pipe).empty());
  CHECK(libraries.found_in(link).size() == 6);  // a link to a library is as good as it
  // A writer would be there if the pipe had been opened to be read.
  CHECK(::open(pipe.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC) == -1);
}

TEST_CASE("a small file that claims large tables takes no memory for them") {
  TemporaryFolder folder;
  const std::string whole = read_file(own_file());
  std::string bytes = whole.substr(0, 4096);
  Elf64_Ehdr head{};
  std::memcpy(&head, bytes.data(), sizeof head);
  head.e_shoff = 1024;
  head.e_shnum = 2;
  head.e_shstrndx = 1;
  std::memcpy(bytes.data(), &head, sizeof head);
  Elf64_Shdr section{};
  section.sh_size = UINT64_MAX / 2;
  section.sh_type = SHT_PROGBITS;
  for (size_t i = 0; i < 2; ++i) std::memcpy(bytes.data() + 1024 + i * sizeof section, &section, sizeof section);
  const std::string claims = folder / "claims";
  write_file(claims, bytes);
  rusage before{};
  REQUIRE(::getrusage(RUSAGE_SELF, &before) == 0);
  StaticLibraries libraries;
  libraries.add({claims});
  finish(libraries);
  CHECK(libraries.found_in(claims).empty());
  rusage after{};
  REQUIRE(::getrusage(RUSAGE_SELF, &after) == 0);
  CHECK(after.ru_maxrss - before.ru_maxrss < 16 * 1024);  // KiB
}

TEST_CASE("beyond the limit on bytes no further file is looked at") {
  StaticLibraries libraries({.bytes = 1});
  libraries.add({own_file(), own_file() + "/..", "/bin/sh"});
  int slices = 0;
  while (libraries.work()) ++slices;
  CHECK(slices <= 2);
}

TEST_CASE("a list of loaded files is read, and refused beyond its limits") {
  std::string bytes = "\x0a\x05/a/b ";
  bytes += "\x0a\x01x";
  std::vector<std::string> paths;
  REQUIRE(read_loaded_files({bytes.data(), bytes.size()}, &paths).ok());
  CHECK(paths == std::vector<std::string>{"/a/b "});
  std::string many;
  for (int i = 0; i < 2000; ++i) many += "\x0a\x02/a";
  CHECK_FALSE(read_loaded_files({many.data(), many.size()}, &paths).ok());
}

}  // namespace
}  // namespace xsp::test
