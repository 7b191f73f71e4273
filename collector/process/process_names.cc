#include "collector/process/process_names.h"

#include <vector>

#include "collector/messages/guest_messages.h"
#include "collector/messages/peer_limits.h"
#include "collector/writing/string_packets.h"
#include "proto/shared_memory.h"

namespace xsp {

Status ProcessNames::receive(protozero::data_view bytes) {
  wire::StringBatch batch;
  std::vector<std::string_view> texts;
  const auto take = [&](uint32_t, std::string_view text) {
    if (text.size() > kMaxStringBytes) return false;
    texts.push_back(text);
    return true;
  };
  if (!wire::read(view_of(bytes), &batch, take)) return Status{"a string of more than 256 KiB"};
  const uint32_t first_id = batch.first_id;
  // Ids have no gaps: a record may use any id up to the count.
  if (first_id == 0 || first_id > count_ + 1) return Status{"a gap in its strings"};
  const uint32_t known = count_ + 1 - first_id;
  if (known >= texts.size()) return Status();
  // A batch may repeat strings that were already taken, and continue after them.
  texts.erase(texts.begin(), texts.begin() + known);
  if (texts.size() > kMaxStrings - count_) return Status{"too many strings"};
  write(count_ + 1, texts);
  return Status();
}

void ProcessNames::write(uint32_t first_id, const std::vector<std::string_view>& texts) {
  size_t capacity = 32;
  for (const auto& value : texts) capacity += value.size() + 16;
  context_.writer.write(context_.number, Body::kStrings, capacity, [&](WireWriter& body) {
    wire::write(body, wire::StringBatch{.first_id = first_id}, [&] {
      for (const auto& value : texts) {
        // Beyond the arena's size, which a real guest cannot exceed, a text is emptied but keeps its id.
        const bool has_room = bytes_ + value.size() <= shm::kDefaultArenaBytes;
        if (!has_room) context_.losses.add(LossReason::kStringsFull, 1, "its names have too many bytes");
        bytes_ += has_room ? value.size() : 0;
        body.element(wire::StringBatch::kText, value.data(), has_room ? value.size() : 0);
      }
    });
  });
  count_ = first_id + static_cast<uint32_t>(texts.size()) - 1;
}

uint32_t ProcessNames::unknown() {
  if (!unknown_used_) {
    unknown_used_ = true;
    context_.notice(Severity::kWarning, "collector",
                    "process " + std::to_string(context_.hello.pid) + " used names before it sent them");
  }
  return 0;
}

void ProcessNames::recover() {
  StringPackets packets(context_.writer, context_.number, count_ + 1);
  context_.memory->for_each_string(count_, [&](uint32_t, std::string_view text) {
    packets.add(text);
    return true;
  });
  count_ = packets.next_id() - 1;
  packets.flush();
}

void ProcessNames::write_again() {
  // The texts are read from the process's own memory: none are kept here.
  if (context_.memory == nullptr || count_ == 0) return;
  StringPackets packets(context_.writer, context_.number, 1);
  context_.memory->for_each_string(0, [&](uint32_t id, std::string_view text) {
    packets.add(text);
    return id < count_;
  });
  packets.flush();
}

void ProcessNames::add_texts(std::unordered_map<uint32_t, std::string>* texts) const {
  if (context_.memory == nullptr) return;
  context_.memory->for_each_string(0, [&](uint32_t id, std::string_view text) {
    const auto used = texts->find(id);
    if (used != texts->end()) used->second = text;
    return id < count_;
  });
}

}  // namespace xsp
