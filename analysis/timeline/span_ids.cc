#include "analysis/timeline/span_ids.h"

#include <algorithm>

namespace xsp::analysis {

SpanIds::SpanIds(const Trace& trace) : trace_(trace), ring_of_track_(trace.tracks.size()) {
  for (size_t i = 0; i < trace.tracks.size(); ++i) {
    const Track& track = trace.tracks[i];
    ring_of_track_[i] =
        numbers_.try_emplace({track.process, track.ring}, static_cast<uint32_t>(numbers_.size())).first->second;
  }
  rings_.resize(numbers_.size());
  const SpanTable& spans = trace.spans;
  for (Row row = 0; row < spans.size(); ++row) {
    if (spans.id[row] == 0) continue;
    Ring& ring = ring_of(row);
    ++ring.count;
    ring.max_id = std::max(ring.max_id, spans.id[row]);
  }
  for (Ring& ring : rings_) {
    if (ring.max_id < 4 * ring.count + 1024) ring.dense.assign(size_t{ring.max_id} + 1, kNoRow);
  }
  for (Row row = 0; row < spans.size(); ++row) {
    if (spans.id[row] != 0) add(ring_of(row), spans.id[row], row);
  }
  for (Ring& ring : rings_) std::sort(ring.sparse.begin(), ring.sparse.end());
}

Row SpanIds::parent_of(Row row) const {
  const uint32_t id = trace_.spans.parent[row];
  if (id == 0 || id >= trace_.spans.id[row]) return kNoRow;
  return find_in(rings_[ring_of_track_[trace_.spans.track[row]]], id);
}

Row SpanIds::find(uint32_t process, SpanReference reference) const {
  if (reference.ring == 0 || reference.id == 0) return kNoRow;
  const auto ring = numbers_.find({process, reference.ring - 1});
  return ring == numbers_.end() ? kNoRow : find_in(rings_[ring->second], reference.id);
}

void SpanIds::add(Ring& ring, uint32_t id, Row row) {
  if (ring.dense.empty()) {
    ring.sparse.emplace_back(id, row);
  } else if (ring.dense[id] == kNoRow) {
    ring.dense[id] = row;
  }
}

Row SpanIds::find_in(const Ring& ring, uint32_t id) {
  if (!ring.dense.empty()) return id < ring.dense.size() ? ring.dense[id] : kNoRow;
  const auto found = std::lower_bound(ring.sparse.begin(), ring.sparse.end(), std::pair<uint32_t, Row>(id, 0));
  return found != ring.sparse.end() && found->first == id ? found->second : kNoRow;
}

}  // namespace xsp::analysis
