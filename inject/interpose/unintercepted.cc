#include "inject/interpose/unintercepted.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "inject/interpose/function_table.h"
#include "inject/interpose/given_pointers.h"
#include "inject/interpose/name_filter.h"
#include "inject/interpose/real_function.h"
#include "inject/objects/elf_object.h"
#include "inject/record/process.h"
#include "proto/packet_writer.h"
#include "proto/trace_numbers.h"
#include "proto/wire_writer.h"

namespace xsp::guest {
namespace {

using Reason = wire::UninterceptedReason;

constexpr size_t kMaxFindings = 64;
constexpr size_t kMaxLibraries = 64;
// A compute library that is linked into a file makes it larger than this by far.
constexpr uintptr_t kLargeObject = uintptr_t{1} << 20;
constexpr size_t kPathBytes = size_t{24} * 1024;

struct Finding {
  Reason reason;
  uint32_t function;
  ElfObject file;
  ElfObject user;
};

/// Everything that is collected while the loader's lock is held; sent afterwards.
struct Report {
  Finding findings[kMaxFindings];
  size_t finding_count;
  /// Loaded libraries that wrapped functions belong to, and one such function each.
  ElfObject libraries[kMaxLibraries];
  uint32_t functions[kMaxLibraries];
  size_t library_count;
  uint8_t paths[kPathBytes];  // paths of large objects, as a LoadedFiles packet
};

void add(Report& report, const Finding& finding) {
  const uint16_t library = xsp_functions[finding.function].library;
  for (size_t i = 0; i < report.finding_count; ++i) {
    const Finding& known = report.findings[i];
    if (known.reason == finding.reason && xsp_functions[known.function].library == library &&
        known.file.low == finding.file.low && known.user.low == finding.user.low) {
      return;
    }
  }
  if (report.finding_count < kMaxFindings) report.findings[report.finding_count++] = finding;
}

bool has_own_files(uint32_t library) { return xsp_libraries[library].sonames[0] != nullptr; }

void find_libraries(Report& report) {
  each_object([&](const ElfObject& object) {
    if (is_guest(object)) return false;
    uint32_t library = UINT32_MAX;
    for (uint32_t function = 0; function < xsp_function_count; ++function) {
      if (xsp_functions[function].library == library) continue;
      library = xsp_functions[function].library;
      if (!has_own_files(library) || !is_library_of(object, function)) continue;
      if (report.library_count == kMaxLibraries) return true;
      report.libraries[report.library_count] = object;
      report.functions[report.library_count++] = function;
    }
    return false;
  });
}

bool is_known_library(const Report& report, const ElfObject& object) {
  for (size_t i = 0; i < report.library_count; ++i) {
    if (report.libraries[i].low == object.low) return true;
  }
  return false;
}

/// Looks for a function that its user imports, and that no loaded library of its name has.
void look_for_missing(Report& report, uint32_t function, const ElfObject& user) {
  const ElfObject* loaded = nullptr;
  for (size_t i = 0; i < report.library_count; ++i) {
    if (xsp_functions[report.functions[i]].library != xsp_functions[function].library) continue;
    if (defines_symbol(report.libraries[i], xsp_function_name(function), nullptr)) return;
    loaded = &report.libraries[i];
  }
  if (loaded != nullptr) add(report, {Reason::kUnknownVersion, function, *loaded, user});
}

void look_at_slot(Report& report, const ElfObject& guest, const ElfObject& user, const SymbolSlot& slot) {
  // An unresolved weak reference, or a slot that is not ours.
  if (slot.value == 0 || !name_filter.may_have(slot.name)) return;
  const uint32_t function = xsp_find_function(slot.name);
  if (function == XSP_NO_FUNCTION) return;
  if (guest.contains(slot.value) || user.contains(slot.value)) {
    if (!slot.weak && !defines_symbol(user, slot.name, nullptr)) look_for_missing(report, function, user);
    return;
  }
  ElfObject holder;
  if (find_object(slot.value, &holder) && is_library_of(holder, function)) {
    add(report, {Reason::kDeepbind, function, holder, user});
  }
}

void look_at_slots(Report& report, const ElfObject& guest) {
  each_object([&](const ElfObject& user) {
    if (!is_guest(user)) {
      each_slot(user, [&](const SymbolSlot& slot) { look_at_slot(report, guest, user, slot); });
    }
    return false;
  });
}

void look_at_second_copies(Report& report) {
  SecondCopy copy;
  for (uint32_t i = 0; second_copy(i, &copy); ++i) {
    Finding finding{Reason::kSecondCopy, copy.function, {}, {}};
    if (!find_object(copy.address, &finding.file)) continue;
    if (!find_object(copy.caller, &finding.user)) finding.user.path = nullptr;
    add(report, finding);
  }
}

/// The path of an object's file, empty where it is not known. The program's own is read into `program`.
std::string_view path_of(const ElfObject& object, char (&program)[4096]) {
  if (object.path == nullptr) return {};
  if (object.path[0] != '\0') return object.path;
  const ssize_t length = readlink("/proc/self/exe", program, sizeof program);
  return length > 0 ? std::string_view(program, static_cast<size_t>(length)) : std::string_view();
}

void post(const Finding& finding) {
  uint8_t buffer[12 * 1024];
  WireWriter writer(buffer, sizeof buffer);
  wire::Unintercepted message{.reason = static_cast<uint32_t>(finding.reason),
                              .library = xsp_libraries[xsp_functions[finding.function].library].name};
  if (finding.reason == Reason::kUnknownVersion) message.detail = xsp_function_name(finding.function);
  char program[4096];
  message.file = path_of(finding.file, program);
  message.user = path_of(finding.user, program);
  write_packet(writer, message);
  if (!writer.failed()) post_packet(writer.data(), writer.size());
}

void post_loaded_files(Report& report) {
  WireWriter writer(report.paths, sizeof report.paths);
  bool has_paths = false;
  write_packet(writer, wire::LoadedFiles::kBody, [&] {
    const size_t empty = writer.size();
    each_object([&](const ElfObject& object) {
      // Room for one more path (4096 bytes) and its framing; the rest is left out.
      if (writer.room() < 4200) return true;
      if (object.high - object.low >= kLargeObject && !is_guest(object) && !is_known_library(report, object)) {
        char program[4096];
        writer.string(wire::LoadedFiles::kPath, path_of(object, program));
      }
      return false;
    });
    has_paths = writer.size() > empty;
  });
  if (has_paths && !writer.failed()) post_packet(writer.data(), writer.size());
}

/// Null when there is no memory. With `only_with_libraries` also when no library that has functions of ours is loaded,
/// as in most processes, which should not pay for a look at all slots.
Report* make_report(bool only_with_libraries) {
  ElfObject guest;
  if (!find_object(reinterpret_cast<uintptr_t>(&report_unintercepted), &guest)) return nullptr;
  void* memory = mmap(nullptr, sizeof(Report), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  auto* report = static_cast<Report*>(memory);
  find_libraries(*report);
  if (only_with_libraries && report->library_count == 0) {
    munmap(memory, sizeof(Report));
    return nullptr;
  }
  look_at_slots(*report, guest);
  look_at_second_copies(*report);
  return report;
}

void send(Report* report) {
  for (size_t i = 0; i < report->finding_count; ++i) post(report->findings[i]);
  post_loaded_files(*report);
}

}  // namespace

void report_unintercepted() {
  if (wanted_calls.load(std::memory_order_relaxed) < static_cast<uint8_t>(wire::Level::kLibrary)) return;
  Report* report = make_report(false);
  if (report == nullptr) return;
  send(report);
  munmap(report, sizeof(Report));
}

Process* report_if_asleep() {
  if (state.load(std::memory_order_relaxed) != State::kAsleep || awake_process() != nullptr) return nullptr;
  // Read here, as a process that is asleep has none; nothing is woken, or sent, unless there is something to report.
  const Settings settings = read_settings();
  if (!wanted(settings) || settings.deepest_level < static_cast<uint8_t>(wire::Level::kLibrary)) return nullptr;
  Report* report = make_report(true);
  if (report == nullptr) return nullptr;
  Process* process = report->finding_count == 0 ? nullptr : wake_process();
  if (process != nullptr) send(report);
  munmap(report, sizeof(Report));
  return process;
}

}  // namespace xsp::guest
