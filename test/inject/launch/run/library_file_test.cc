#include "inject/launch/run/library_file.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "test/catch.h"

using xsp::launch::LibraryFile;

namespace {

const std::string kLibc = "/lib/x86_64-linux-gnu/libc.so.6";

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string written(const std::string& bytes) {
  std::string path = std::filesystem::temp_directory_path() / "xsp-library-file-test";
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

void ask(const std::string& path) {
  const LibraryFile file(path);
  file.defines("malloc");
  file.calls_through_plt("mal");
  file.needed();
  file.soname();
  file.interpreter();
}

}  // namespace

TEST_CASE("what a library exports, calls and needs") {
  const LibraryFile libc(kLibc);
  REQUIRE(libc.is_readable());
  CHECK(libc.defines("malloc"));
  CHECK_FALSE(libc.defines("mallo"));
  CHECK_FALSE(libc.defines("_rtld_global"));  // of the loader: it refers to it
  const std::vector<std::string> needed = libc.needed();
  CHECK(std::count(needed.begin(), needed.end(), "ld-linux-x86-64.so.2") == 1);
  CHECK(libc.soname() == "libc.so.6");

  const LibraryFile self("/proc/self/exe");
  REQUIRE(self.is_readable());
  CHECK_FALSE(self.calls_through_plt("no_function_begins_so"));
  CHECK(self.interpreter().ends_with("/ld-linux-x86-64.so.2"));
  CHECK(self.soname().empty());
}

TEST_CASE("what is no library has nothing") {
  for (const std::string& bytes : {std::string(), std::string("#!/bin/sh\n"), bytes_of(kLibc).substr(0, 4000)}) {
    const LibraryFile file(written(bytes));
    CHECK_FALSE(file.is_readable());
    CHECK_FALSE(file.defines("malloc"));
    CHECK(file.needed().empty());
    CHECK(file.interpreter().empty());
  }
  CHECK_FALSE(LibraryFile("/nowhere/lib.so").is_readable());
  CHECK_FALSE(LibraryFile("/").is_readable());
}

TEST_CASE("a damaged library is read without harm") {
  // The section headers, which everything is found by, lie at the end.
  const std::string bytes = bytes_of(kLibc);
  std::mt19937 random(7);
  for (int i = 0; i < 30; ++i) {
    std::string damaged = bytes;
    for (int change = 0; change < 40; ++change) {
      damaged[damaged.size() - 1 - random() % 4500] = static_cast<char>(random());
    }
    ask(written(damaged));
  }
  for (int i = 0; i < 30; ++i) {
    std::string damaged = bytes;
    for (int change = 0; change < 3000; ++change) damaged[64 + random() % 200000] = static_cast<char>(random());
    ask(written(damaged));
  }
}
