#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "collector/messages/guest_messages.h"
#include "collector/process/process_context.h"
#include "proto/shared_memory.h"

namespace xsp {

/// The compute libraries of a process: the files that calls went to, and those whose calls the guest does not see,
/// which the guest names itself or which are linked into files that the process has loaded. Used by one thread.
class ProcessLibraries {
 public:
  /// `context` is not owned and must outlive this object.
  explicit ProcessLibraries(ProcessContext& context) : context_(context) {}

  /// Take an Unintercepted, a LoadedFiles and a UsedLibrary. An error says what limit the message breaks. All throw
  /// protozero::exception on broken protobuf.
  Status receive_unintercepted(protozero::data_view bytes);
  Status receive_loaded_files(protozero::data_view bytes);
  Status receive_used(protozero::data_view bytes);

  /// Whether files were named that may contain libraries.
  bool has_loaded_files() const { return !loaded_files_.empty(); }
  /// Writes the libraries that were found in them.
  void report_static();
  /// Takes the used libraries that are noted in the process's memory but were not sent.
  void recover_used(const shm::SharedHeader& header);
  /// Writes all again, for a part that is read on its own.
  void write_again();

 private:
  void keep_unintercepted(UninterceptedLibrary library);
  void keep_used(LibraryUse used);
  void write(const UninterceptedLibrary& library);
  void write(const LibraryUse& used);

  ProcessContext& context_;
  std::vector<UninterceptedLibrary> unintercepted_;
  std::vector<std::string> loaded_files_;
  std::vector<LibraryUse> used_;
  uint32_t used_received_ = 0;
};

}  // namespace xsp
