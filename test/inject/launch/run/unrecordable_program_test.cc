#include "inject/launch/run/unrecordable_program.h"

#include <elf.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "test/catch.h"

namespace fs = std::filesystem;
using xsp::launch::unrecordable_program;

namespace {

class Folder {
 public:
  Folder() {
    std::string pattern = "/tmp/xsp-unrecordable-XXXXXX";
    root_ = mkdtemp(pattern.data());
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { fs::remove_all(root_); }

  std::string with(const std::string& name, const std::string& bytes) const {
    const fs::path path = root_ / name;
    std::ofstream(path, std::ios::binary) << bytes;
    fs::permissions(path, fs::perms(0755));
    return path;
  }

 private:
  fs::path root_;
};

/// The first bytes of a program; with a loader, of one for x86-64 that is linked dynamically.
std::string program(unsigned char bits, unsigned char order, uint16_t machine, const std::string& loader = {}) {
  struct {
    Elf64_Ehdr header = {};
    Elf64_Phdr segment = {};
  } file;
  std::memcpy(file.header.e_ident, ELFMAG, SELFMAG);
  file.header.e_ident[EI_CLASS] = bits;
  file.header.e_ident[EI_DATA] = order;
  file.header.e_machine = order == ELFDATA2MSB ? static_cast<uint16_t>(machine << 8 | machine >> 8) : machine;
  file.header.e_phoff = sizeof file.header;
  file.header.e_phentsize = sizeof file.segment;
  file.header.e_phnum = 1;
  file.header.e_shentsize = sizeof(Elf64_Shdr);
  file.segment.p_type = loader.empty() ? PT_NULL : PT_INTERP;
  file.segment.p_offset = sizeof file;
  file.segment.p_filesz = loader.size() + 1;
  return std::string(reinterpret_cast<const char*>(&file), sizeof file) + loader + '\0';
}

std::string why(const std::string& command) {
  const auto found = unrecordable_program(command);
  if (found) CHECK_FALSE(found->remedy.empty());
  return found ? found->why : "";
}

}  // namespace

TEST_CASE("programs that glibc's loader starts are recorded, and it is itself") {
  CHECK(why("/proc/self/exe").empty());
  CHECK(why("sh").empty());
  CHECK(why("/lib64/ld-linux-x86-64.so.2").empty());
  const Folder folder;
  CHECK(why(folder.with("odd", program(ELFCLASS64, ELFDATA2LSB, EM_X86_64, "/opt/my-ld.so"))).empty());
}

TEST_CASE("of what is no program nothing is said") {
  const Folder folder;
  CHECK(why("/nowhere/program").empty());
  CHECK(why(folder.with("text", "nothing")).empty());
  CHECK(why(folder.with("loop", "#!" + folder.with("loop", "") + "\n")).empty());
}

TEST_CASE("programs for other processors are told by their machine") {
  const Folder folder;
  const auto told = [&](unsigned char bits, unsigned char order, uint16_t machine) {
    return why(folder.with("foreign", program(bits, order, machine)));
  };
  CHECK(told(ELFCLASS32, ELFDATA2LSB, EM_386).starts_with("is built for 32-bit x86, "));
  CHECK(told(ELFCLASS32, ELFDATA2LSB, EM_X86_64).starts_with("is built for x32, "));
  CHECK(told(ELFCLASS64, ELFDATA2LSB, EM_AARCH64).starts_with("is built for AArch64, "));
  CHECK(told(ELFCLASS64, ELFDATA2MSB, EM_S390).starts_with("is built for S/390, "));
  CHECK(told(ELFCLASS64, ELFDATA2LSB, 9999).starts_with("is built for another processor (ELF machine 9999), "));
}

TEST_CASE("programs of other loaders are told by it") {
  const Folder folder;
  const auto told = [&](const char* loader) {
    return why(folder.with("other", program(ELFCLASS64, ELFDATA2LSB, EM_X86_64, loader)));
  };
  CHECK(told("/lib/ld-musl-x86_64.so.1").starts_with("uses musl (/lib/ld-musl-x86_64.so.1), "));
  CHECK(told("/system/bin/linker64").starts_with("uses Android's C library "));
  CHECK(told("/lib/ld64-uClibc.so.1").starts_with("uses uClibc "));
  CHECK(told("").starts_with("is statically linked"));
}

TEST_CASE("a script is what its interpreter is") {
  const Folder folder;
  const std::string musl = folder.with("musl", program(ELFCLASS64, ELFDATA2LSB, EM_X86_64, "/lib/ld-musl-x86_64.so.1"));
  CHECK(why(folder.with("script", "#!" + musl + " -x\n")).starts_with("uses musl"));
  CHECK(why(folder.with("by-env", "#!/usr/bin/env -S A=b " + musl + "\n")).starts_with("uses musl"));
  CHECK(why(folder.with("shell", "#!/bin/sh\n")).empty());
}

TEST_CASE("programs that get the rights of another user or group") {
  if (geteuid() != 0) return;  // only root can make one of somebody else's
  const Folder folder;
  const std::string path =
      folder.with("privileged", program(ELFCLASS64, ELFDATA2LSB, EM_X86_64, "/lib64/ld-linux.so.2"));
  REQUIRE(chmod(path.c_str(), 04755) == 0);
  CHECK(why(path).empty());  // root's own
  REQUIRE(chown(path.c_str(), 65534, 0) == 0);
  REQUIRE(chmod(path.c_str(), 04755) == 0);
  CHECK(why(path).starts_with("is set-user-ID, so"));
  REQUIRE(chown(path.c_str(), 65534, 65534) == 0);
  REQUIRE(chmod(path.c_str(), 02755) == 0);
  CHECK(why(path).starts_with("is set-group-ID, so"));
}
