#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/status.h"
#include "collector/process/process_context.h"

namespace xsp {

/// The names that a process has sent: strings with the ids 1, 2, … that its records refer to. Their texts go straight
/// into the trace, and are read from the process's memory if they are needed again. Used by one thread.
class ProcessNames {
 public:
  /// `context` is not owned and must outlive this object.
  explicit ProcessNames(ProcessContext& context) : context_(context) {}

  /// Takes a StringBatch. An error means that ids are missing, or there are too many. Throws protozero::exception on
  /// broken protobuf.
  Status receive(protozero::data_view bytes);
  /// The id itself, or 0 for an id that was not sent; a notice in the trace reports this once.
  uint32_t known(uint32_t id) { return id <= count_ ? id : unknown(); }
  uint32_t count() const { return count_; }

  /// Takes the names in the process's memory that were not sent.
  void recover();
  /// Writes all of them again, for a part that is read on its own.
  void write_again();
  /// Fills in the texts of the ids that are keys of the map, as far as the memory still has them.
  void add_texts(std::unordered_map<uint32_t, std::string>* texts) const;

 private:
  uint32_t unknown();
  void write(uint32_t first_id, const std::vector<std::string_view>& texts);

  ProcessContext& context_;
  uint32_t count_ = 0;  // ids 1..count_ are in the trace
  uint64_t bytes_ = 0;
  bool unknown_used_ = false;
};

}  // namespace xsp
