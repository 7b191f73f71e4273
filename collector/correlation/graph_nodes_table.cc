#include "collector/correlation/graph_nodes_table.h"

#include "collector/messages/peer_limits.h"

namespace xsp {
namespace {

constexpr size_t kFirstEntries = 256;
/// Graphs are cloned when they are instantiated, and once more inside a parent graph. A chain longer than this is a
/// cycle, made by a hostile or broken guest.
constexpr int kMaxClones = 64;

}  // namespace

size_t GraphNodesTable::place_of(uint64_t node) const {
  const size_t mask = entries_.size() - 1;
  size_t place = hash_(node) & mask;
  while (entries_[place].node != 0 && entries_[place].node != node) place = (place + 1) & mask;
  return place;
}

void GraphNodesTable::grow() {
  std::vector<Entry> old(entries_.empty() ? kFirstEntries : entries_.size() * 2);
  old.swap(entries_);
  for (const Entry& entry : old) {
    if (entry.node != 0) entries_[place_of(entry.node)] = entry;
  }
}

bool GraphNodesTable::add(uint64_t node, uint64_t original, SpanReference span) {
  if (node == 0) return true;
  if (size_ < kMaxGraphNodes && size_ * 2 >= entries_.size()) grow();
  const size_t place = place_of(node);
  if (entries_[place].node == 0) {
    if (size_ == kMaxGraphNodes) return false;
    ++size_;
  } else if (original == 0 && entries_[place].is_clone) {
    return true;
  }
  Entry entry{node, original, original == 0 ? span : SpanReference{}, original != 0};
  if (original != 0) {
    // Points to what the original was cloned from, so that lookups take one step instead of many.
    const Entry& from = entries_[place_of(original)];
    if (from.node != 0 && from.original == 0) {
      entry.original = 0;
      entry.span = from.span;
    }
  }
  entries_[place] = entry;
  return true;
}

GraphNodesTable::Found GraphNodesTable::find(uint64_t node) const {
  if (entries_.empty()) return {};
  for (int clones = 0; node != 0 && clones < kMaxClones; ++clones) {
    const Entry& entry = entries_[place_of(node)];
    if (entry.node == 0) return {};
    if (entry.original == 0) return {true, entry.span};
    node = entry.original;
  }
  return {};
}

}  // namespace xsp
