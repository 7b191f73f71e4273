/// The part of ProcessTrace that tells of compute libraries whose calls the guest does not see: those that it names
/// itself, and those that are linked into the files that the process has loaded.

#include <algorithm>

#include "collector/peer_limits.h"
#include "collector/process_trace.h"
#include "collector/utf8.h"

namespace xsp {

Status ProcessTrace::receive_unintercepted(protozero::data_view bytes) {
  UninterceptedLibrary library;
  Status status = read_unintercepted(bytes, &library);
  if (status.is_ok()) keep_unintercepted(std::move(library));
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
  if (is_of_other_user()) return Status::ok();
  Status status = read_loaded_files(bytes, &loaded_files_);
  if (status.is_ok()) recording_.static_libraries.add(loaded_files_);
  return status;
}

void ProcessTrace::report_static_libraries() {
  constexpr uint32_t kStatic = 2;
  for (const std::string& path : loaded_files_) {
    for (std::string& name : recording_.static_libraries.found_in(path)) {
      keep_unintercepted({kStatic, std::move(name), valid_utf8(path), {}, {}});
    }
  }
}

}  // namespace xsp
