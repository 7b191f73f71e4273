#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/seeded_hash.h"
#include "proto/activity_columns.h"

namespace xsp {

/// Which span was open when a node of a CUDA graph was made. A clone is found through its original, whichever came
/// first. At most kMaxGraphNodes per process.
class GraphNodesTable {
 public:
  /// A node was made inside `span` (ring 0: inside none), or as a clone of `original` if that is not 0. For nodes made
  /// by an instantiation CUPTI reports both; then the clone counts, whichever comes first. Otherwise the last report
  /// counts. False: there is no room for it.
  bool add(uint64_t node, uint64_t original, SpanReference span);

  struct Found {
    bool is_known = false;
    SpanReference span;
  };
  /// Follows clones to the node that was originally made; a chain that does not end in one is unknown.
  Found find(uint64_t node) const;

  size_t size() const { return size_; }

 private:
  /// An entry of an open-addressing table; node 0 marks a free slot.
  struct Entry {
    uint64_t node = 0;
    uint64_t original = 0;
    SpanReference span;
    bool is_clone = false;
  };

  size_t place_of(uint64_t node) const;
  void grow();

  std::vector<Entry> entries_;  // a power of two, at most half of them used
  size_t size_ = 0;
  SeededHash hash_;
};

}  // namespace xsp
