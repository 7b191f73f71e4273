#include "collector/recording/recording.h"

#include <algorithm>

#include "collector/recording/part_sequence.h"

namespace xsp {

void Recording::divide(PartSequence& sequence) {
  parts = &sequence;
  // Parts are removed, the oldest first: their counts must live on in the next one.
  storage.keep_totals();
}

void Recording::remove(const RecordedProcess* process) {
  const auto found = std::find(live.begin(), live.end(), process);
  if (found != live.end()) live.erase(found);
}

void Recording::storage_changed() {
  for (RecordedProcess* process : live) process->write_storage_gap(false);
}

void Recording::tick(uint64_t now_ns) {
  if (!storage.counts()) return;
  storage.expect(0, now_ns);
  for (RecordedProcess* process : live) process->write_minute(now_ns, false);
  rotate_if_due(now_ns);
}

void Recording::rotate_if_due(uint64_t now_ns) {
  if (parts != nullptr && parts->is_due(writer, now_ns)) parts->rotate(*this, now_ns);
}

}  // namespace xsp
