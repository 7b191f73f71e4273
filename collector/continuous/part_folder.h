#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "base/status.h"
#include "collector/writing/output_file.h"

namespace xsp {

/// The folder of a recording in parts: 000001.pb, 000002.pb, …, with .partial after the name of the one that is being
/// written. Holds the folder's lock, and keeps its parts within a size by removing the oldest.
class PartFolder {
 public:
  PartFolder() = default;
  ~PartFolder();
  PartFolder(const PartFolder&) = delete;
  PartFolder& operator=(const PartFolder&) = delete;

  /// Creates the folder if it is missing, and takes its lock. Parts of an earlier recording stay and count; one that
  /// was left unfinished gets its final name. A folder with anything else in it is refused unless `force` is set, and
  /// then the rest is left alone.
  Status open(const std::string& path, uint64_t max_bytes, bool force);

  /// Creates the next part.
  Status create_part(std::unique_ptr<OutputFile>* part);

  /// Index of the latest part; 0: none.
  uint32_t last_index() const { return last_index_; }
  /// Bytes of all parts.
  uint64_t bytes() const { return bytes_; }
  /// Parts that exist, and parts removed since open().
  size_t parts() const { return sizes_.size(); }
  uint64_t removed() const { return removed_; }
  const std::string& path() const { return path_; }

 private:
  class Part;

  /// Makes room for a part to grow by `size` by removing the oldest. False: there is not enough room.
  bool make_room(uint64_t size);
  bool remove_oldest();
  void resize(uint32_t index, uint64_t size);
  Status adopt_entries(bool force);

  std::string path_;
  int fd_ = -1;
  uint64_t max_bytes_ = 0;
  uint64_t bytes_ = 0;
  uint64_t removed_ = 0;
  uint32_t last_index_ = 0;
  std::map<uint32_t, uint64_t> sizes_;  // by index
  std::set<uint32_t> written_;          // parts that are being written
};

}  // namespace xsp
