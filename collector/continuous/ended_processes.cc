#include "collector/continuous/ended_processes.h"

#include "collector/writing/string_packets.h"

namespace xsp {

uint32_t EndedProcesses::intern(std::string_view text) {
  if (text.empty()) return 0;
  std::string owned(text);
  const auto known = ids_.find(owned);
  if (known != ids_.end()) return known->second;
  if (texts_.size() == kMaxTexts || text_bytes_ + text.size() > kMaxTextBytes) return 0;
  text_bytes_ += text.size();
  const auto id = static_cast<uint32_t>(texts_.size() + 1);
  // Keys of the map never move, so they can be pointed to.
  texts_.push_back(&ids_.emplace(std::move(owned), id).first->first);
  return id;
}

void EndedProcesses::write(TraceWriter& writer, uint64_t begin_ns, uint64_t end_ns) const {
  StringPackets strings(writer, 0, 1);
  for (const std::string* text : texts_) strings.add(*text);
  strings.flush();
  table_.write(writer, 0, begin_ns, end_ns, true);
}

}  // namespace xsp
