/// The part of ProcessTrace that tells of compute libraries: the files that calls went to, and those whose calls the
/// guest does not see, which it names itself or which are linked into the files that the process has loaded.

#include <algorithm>
#include <map>

#include "base/text_encoding.h"
#include "collector/messages/peer_limits.h"
#include "collector/process/process_trace.h"

namespace xsp {

Status ProcessTrace::receive_unintercepted(protozero::data_view bytes) {
  UninterceptedLibrary library;
  Status status = read_unintercepted(bytes, &library);
  if (status.ok()) keep_unintercepted(std::move(library));
  return status;
}

void ProcessTrace::keep_unintercepted(UninterceptedLibrary library) {
  if (unintercepted_.size() == kMaxUnintercepted ||
      std::find(unintercepted_.begin(), unintercepted_.end(), library) != unintercepted_.end()) {
    return;
  }
  writer_.write(number_, Body::kUnintercepted, unintercepted_capacity(library),
                [&](WireWriter& body) { write_unintercepted(body, library); });
  unintercepted_.push_back(std::move(library));
}

/// Its files are not opened with the collector's rights.
bool ProcessTrace::is_of_other_user() {
  if (!hello_.is_foreign) return false;
  if (!told_foreign_) {
    told_foreign_ = true;
    notice(Severity::kInfo, "collector",
           "process " + std::to_string(pid_) + " is of another user: its profile files and libraries were not read");
  }
  return true;
}

Status ProcessTrace::receive_loaded_files(protozero::data_view bytes) {
  if (is_of_other_user()) return Status();
  Status status = read_loaded_files(bytes, &loaded_files_);
  if (status.ok()) recording_.static_libraries.add(loaded_files_);
  return status;
}

void ProcessTrace::report_static_libraries() {
  constexpr uint32_t kStatic = 2;
  for (const std::string& path : loaded_files_) {
    for (std::string& name : recording_.static_libraries.found_in(path)) {
      keep_unintercepted({kStatic, std::move(name), trace_text(path), {}, {}});
    }
  }
}

Status ProcessTrace::receive_used_library(protozero::data_view bytes) {
  LibraryUse used;
  Status status = read_library_use(bytes, &used);
  if (!status.ok()) return status;
  ++used_libraries_received_;
  keep_used_library(std::move(used));
  return status;
}

void ProcessTrace::keep_used_library(LibraryUse used) {
  if (used_libraries_.size() == shm::kMaxUsedLibraries ||
      std::find(used_libraries_.begin(), used_libraries_.end(), used) != used_libraries_.end()) {
    return;
  }
  writer_.write(number_, Body::kUsedLibrary, library_use_capacity(used),
                [&](WireWriter& body) { write_library_use(body, used); });
  used_libraries_.push_back(std::move(used));
}

/// The guest sends them in the order in which they lie in its memory: behind those that came are the others.
void ProcessTrace::recover_used_libraries(const shm::SharedHeader& header) {
  constexpr size_t kMaxTextBytes = 4096;
  const uint32_t count = std::min(header.used_library_count.load(std::memory_order_relaxed), shm::kMaxUsedLibraries);
  if (count <= used_libraries_received_) return;
  std::map<uint32_t, std::string> texts;
  for (uint32_t i = used_libraries_received_; i < count; ++i) {
    texts.try_emplace(header.used_libraries[i].library.load(std::memory_order_relaxed));
    texts.try_emplace(header.used_libraries[i].file.load(std::memory_order_relaxed));
  }
  memory_->for_each_string(0, [&](uint32_t id, std::string_view text) {
    const auto used = texts.find(id);
    if (used != texts.end()) used->second = trace_text(text.substr(0, kMaxTextBytes));
    return id < texts.rbegin()->first;
  });
  for (uint32_t i = used_libraries_received_; i < count; ++i) {
    const shm::UsedLibrary& used = header.used_libraries[i];
    LibraryUse found{texts[used.library.load(std::memory_order_relaxed)],
                     texts[used.file.load(std::memory_order_relaxed)]};
    if (!found.library.empty() && !found.file.empty()) keep_used_library(std::move(found));
  }
}

}  // namespace xsp
