#include "inject/launch/run/unrecordable_program.h"

#include <elf.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <string_view>

#include "base/program_lookup.h"
#include "inject/launch/run/library_file.h"
#include "inject/launch/run/script_interpreter.h"

namespace xsp::launch {
namespace {

using Reason = std::optional<UnrecordableProgram>;

/// The file that is loaded for the command: through scripts to their interpreter, as far as the kernel goes.
std::string program_file(const std::string& command) {
  constexpr int kMostScripts = 4;
  std::string path = find_program(command);
  for (int i = 0; i < kMostScripts; ++i) {
    const std::string interpreter = script_interpreter(path);
    if (interpreter.empty()) break;
    path = find_program(interpreter);
  }
  return path;
}

std::string machine_name(uint16_t machine) {
  switch (machine) {
    case EM_386:
      return "32-bit x86";
    case EM_X86_64:
      return "x32";  // of 32 bits, else it would not be asked about
    case EM_ARM:
      return "ARM";
    case EM_AARCH64:
      return "AArch64";
    case EM_PPC64:
      return "PowerPC";
    case EM_RISCV:
      return "RISC-V";
    case EM_S390:
      return "S/390";
    default:
      return fmt::format("another processor (ELF machine {})", machine);
  }
}

/// Of a program for another kind of processor, or for fewer bits.
Reason foreign_machine(const std::string& path) {
  std::array<unsigned char, EI_NIDENT + 4> header = {};
  std::ifstream file(path, std::ios::binary);
  if (!file.read(reinterpret_cast<char*>(header.data()), header.size())) return {};
  if (std::memcmp(header.data(), ELFMAG, SELFMAG) != 0) return {};
  const size_t low = header[EI_DATA] == ELFDATA2MSB ? 1 : 0;
  const unsigned char* field = &header[EI_NIDENT + 2];
  const auto machine = static_cast<uint16_t>(field[low] | field[1 - low] << 8);
  if (machine == EM_X86_64 && header[EI_CLASS] == ELFCLASS64) return {};
  return UnrecordableProgram{fmt::format("is built for {}, and XSP supports x86-64 only", machine_name(machine)),
                             "use an x86-64 build"};
}

/// Programs that start a command as somebody else, as `sudo COMMAND` does.
bool runs_commands_of(const std::string& path) {
  constexpr std::string_view kNames[] = {"sudo", "doas", "pkexec"};
  const std::string_view name = std::string_view(path).substr(path.find_last_of('/') + 1);
  return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

/// Of a program that gets more rights than those who start it: its loader ignores LD_PRELOAD, and so does the guest.
Reason foreign_rights(const std::string& path) {
  struct stat status = {};
  struct statvfs system = {};
  if (stat(path.c_str(), &status) != 0) return {};
  if (statvfs(path.c_str(), &system) == 0 && (system.f_flag & ST_NOSUID) != 0) return {};
  const bool as_user = (status.st_mode & S_ISUID) != 0 && status.st_uid != geteuid();
  const bool as_group = (status.st_mode & S_ISGID) != 0 && status.st_gid != getegid();
  const bool is_capable = geteuid() != 0 && getxattr(path.c_str(), "security.capability", nullptr, 0) > 0;
  if (!as_user && !as_group && !is_capable) return {};
  return UnrecordableProgram{fmt::format("{}, so the loader ignores LD_PRELOAD", as_user    ? "is set-user-ID"
                                                                                 : as_group ? "is set-group-ID"
                                                                                            : "has file capabilities"),
                             is_capable               ? "run xsp-run as root, or record a copy made with plain cp"
                             : runs_commands_of(path) ? "put xsp-run behind it: sudo xsp-run -- COMMAND"
                                                      : "run xsp-run as the user or group it becomes"};
}

/// Of a program whose loader is not glibc's, or that has none.
Reason foreign_loader(const LibraryFile& file) {
  const std::string_view interpreter = file.interpreter();
  const std::string_view loader = interpreter.substr(interpreter.find_last_of('/') + 1);
  // A loader needs no loader itself, but has the name by which programs need it.
  if (loader.empty()) {
    if (!file.soname().empty()) return {};
    return UnrecordableProgram{"is statically linked, so LD_PRELOAD has no effect on it",
                               "link it without -static, or run xsp-run on the program it starts"};
  }
  constexpr std::pair<std::string_view, const char*> kLibraries[] = {
      {"ld-musl", "musl"}, {"linker", "Android's C library"}, {"ld-uClibc", "uClibc"}, {"ld64-uClibc", "uClibc"}};
  for (const auto& [beginning, library] : kLibraries) {
    if (!loader.starts_with(beginning)) continue;
    return UnrecordableProgram{fmt::format("uses {} ({}), and XSP needs glibc", library, interpreter),
                               "use a glibc build or image, as python:slim instead of python:alpine"};
  }
  return {};
}

/// Of a program in which the guest stays off (inject/guard/sanitizers.h).
Reason misread_by_sanitizer(const LibraryFile& file) {
  constexpr const char* kRemedy = "record a build without it (address, leak and undefined may stay)";
  // The second is an interceptor of it: gcc's static runtime has no other name that a program exports.
  bool has_threads = file.defines("__tsan_init") || file.defines("__sigsetjmp");
  for (const std::string& needed : file.needed()) {
    has_threads = has_threads || needed.starts_with("libtsan.so") || needed.starts_with("libclang_rt.tsan");
  }
  if (has_threads) {
    return UnrecordableProgram{"is built with ThreadSanitizer, which would report false races in XSP", kRemedy, true};
  }
  if (!file.defines("__msan_init")) return {};
  return UnrecordableProgram{"is built with MemorySanitizer, which would report false faults in XSP", kRemedy, true};
}

}  // namespace

Reason unrecordable_program(const std::string& command) {
  const std::string path = program_file(command);
  if (path.empty()) return {};
  if (Reason reason = foreign_machine(path)) return reason;
  if (Reason reason = foreign_rights(path)) return reason;
  const LibraryFile file(path);
  if (!file.is_readable()) return {};
  if (Reason reason = foreign_loader(file)) return reason;
  return misread_by_sanitizer(file);
}

}  // namespace xsp::launch
