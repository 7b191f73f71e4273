#include "collector/process/process_libraries.h"

#include <algorithm>
#include <map>

#include "base/log.h"
#include "base/text_encoding.h"
#include "collector/messages/peer_limits.h"

namespace xsp {

Status ProcessLibraries::receive_unintercepted(protozero::data_view bytes) {
  UninterceptedLibrary library;
  Status status = read_unintercepted(bytes, &library);
  if (status.ok()) keep_unintercepted(std::move(library));
  return status;
}

void ProcessLibraries::keep_unintercepted(UninterceptedLibrary library) {
  if (unintercepted_.size() == kMaxUnintercepted ||
      std::find(unintercepted_.begin(), unintercepted_.end(), library) != unintercepted_.end()) {
    return;
  }
  write(library);
  unintercepted_.push_back(std::move(library));
}

Status ProcessLibraries::receive_loaded_files(protozero::data_view bytes) {
  if (context_.is_of_other_user()) return Status();
  Status status = read_loaded_files(bytes, &loaded_files_);
  if (status.ok()) context_.recording.static_libraries.add(loaded_files_);
  return status;
}

void ProcessLibraries::report_static() {
  constexpr auto kStatic = static_cast<uint32_t>(wire::UninterceptedReason::kStatic);
  for (const std::string& path : loaded_files_) {
    for (std::string& name : context_.recording.static_libraries.found_in(path)) {
      if (log::writes(log::Level::kInfo)) log::info("found " + name + " linked into " + path);
      keep_unintercepted({kStatic, std::move(name), trace_text(path), {}, {}});
    }
  }
}

Status ProcessLibraries::receive_used(protozero::data_view bytes) {
  LibraryUse used;
  Status status = read_library_use(bytes, &used);
  if (!status.ok()) return status;
  ++used_received_;
  keep_used(std::move(used));
  return status;
}

void ProcessLibraries::keep_used(LibraryUse used) {
  if (used_.size() == shm::kMaxUsedLibraries || std::find(used_.begin(), used_.end(), used) != used_.end()) {
    return;
  }
  write(used);
  used_.push_back(std::move(used));
}

void ProcessLibraries::recover_used(const shm::SharedHeader& header) {
  // The guest sends them in the order in which they lie in its memory: those not received follow those received.
  const uint32_t count = std::min(header.used_library_count.load(std::memory_order_relaxed), shm::kMaxUsedLibraries);
  if (count <= used_received_) return;
  std::map<uint32_t, std::string> texts;
  for (uint32_t i = used_received_; i < count; ++i) {
    texts.try_emplace(header.used_libraries[i].library.load(std::memory_order_relaxed));
    texts.try_emplace(header.used_libraries[i].file.load(std::memory_order_relaxed));
  }
  context_.memory->for_each_string(0, [&](uint32_t id, std::string_view text) {
    const auto used = texts.find(id);
    if (used != texts.end()) used->second = trace_text(text.substr(0, kMaxTextBytes));
    // The largest id needed: the rest of the arena is not read.
    return id < texts.rbegin()->first;
  });
  for (uint32_t i = used_received_; i < count; ++i) {
    const shm::UsedLibrary& used = header.used_libraries[i];
    LibraryUse found{texts[used.library.load(std::memory_order_relaxed)],
                     texts[used.file.load(std::memory_order_relaxed)]};
    if (!found.library.empty() && !found.file.empty()) keep_used(std::move(found));
  }
}

void ProcessLibraries::write_again() {
  for (const auto& library : unintercepted_) write(library);
  for (const auto& used : used_) write(used);
}

void ProcessLibraries::write(const UninterceptedLibrary& library) { context_.writer.write(context_.number, library); }

void ProcessLibraries::write(const LibraryUse& used) { context_.writer.write(context_.number, used); }

}  // namespace xsp
