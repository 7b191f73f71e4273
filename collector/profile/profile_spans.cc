#include "collector/profile/profile_spans.h"

#include <algorithm>

#include "base/monotonic_clock.h"
#include "collector/messages/peer_limits.h"
#include "collector/writing/string_packets.h"
#include "collector/writing/trace_writer.h"

namespace xsp {
namespace {

constexpr size_t kMaxProfileStrings = 1'000'000;
constexpr size_t kMaxProfileStringBytes = size_t{64} << 20;
constexpr size_t kMaxThreads = 1024;
constexpr size_t kRowsPerAppend = 1024;

}  // namespace

uint32_t ProfileSpans::intern(std::string_view text) {
  text = text.substr(0, kMaxStringBytes);
  if (text.empty()) return 0;
  const auto known = strings_.find(std::string(text));
  if (known != strings_.end()) return known->second;
  if (strings_.size() == kMaxProfileStrings || string_bytes_ + text.size() > kMaxProfileStringBytes) {
    full_ = true;
    return 0;
  }
  const uint32_t id = kFirstCollectorString + static_cast<uint32_t>(strings_.size());
  // Keys of the map never move, so they can be pointed to.
  texts_.push_back(&strings_.emplace(text, id).first->first);
  string_bytes_ += text.size();
  new_strings_.emplace_back(text);
  return id;
}

bool ProfileSpans::add(uint32_t thread, const SpanRow& row) {
  auto found = threads_.find(thread);
  if (found == threads_.end()) {
    if (threads_.size() == kMaxThreads) return false;
    found = threads_.emplace(thread, Thread{RingStream(process_, next_ring()), {}}).first;
  }
  found->second.rows.push_back(row);
  ++count_;
  if (found->second.rows.size() == kRowsPerAppend) flush();
  return true;
}

uint32_t ProfileSpans::next_ring() {
  const uint32_t ring = kProfileRingBase + ++rings_;
  return ring <= kApiCallRingBase ? ring : ring + (kExecutionRing - kApiCallRingBase);
}

void ProfileSpans::flush() {
  TraceWriter& writer = recording_.writer;
  // Strings first: readers expect a name before its use.
  for (size_t first = 0; first < new_strings_.size();) {
    size_t capacity = 32;
    size_t last = first;
    while (last < new_strings_.size() && capacity < kMaxPacketBytes / 2) capacity += new_strings_[last++].size() + 16;
    writer.write(process_, Body::kStrings, capacity, [&](WireWriter& body) {
      wire::write(body, wire::StringBatch{.first_id = kFirstCollectorString + written_strings_}, [&] {
        for (size_t i = first; i < last; ++i) {
          body.element(wire::StringBatch::kText, new_strings_[i].data(), new_strings_[i].size());
        }
      });
    });
    written_strings_ += static_cast<uint32_t>(last - first);
    first = last;
  }
  new_strings_.clear();
  const uint64_t now = monotonic_ns();
  for (auto& [id, thread] : threads_) {
    if (thread.rows.empty()) continue;
    const auto records = static_cast<uint32_t>(thread.rows.size());
    if (account_ != nullptr) {
      account_->append(thread.stream, id, records, thread.rows, now);
    } else {
      thread.stream.append(id, records, thread.rows.data(), thread.rows.size(), now, writer);
    }
    thread.rows.clear();
  }
  size_t held = 0;
  for (const auto& [id, thread] : threads_) {
    held += thread.stream.held_bytes() + thread.rows.capacity() * sizeof(SpanRow);
  }
  if (held <= kMaxHeldBytes) return;
  for (auto& [id, thread] : threads_) {
    thread.stream.release(writer);
    thread.rows = std::vector<SpanRow>();
  }
}

void ProfileSpans::flush_all() {
  flush();
  for (auto& [id, thread] : threads_) thread.stream.flush(recording_.writer);
}

void ProfileSpans::write_strings_again() {
  StringPackets packets(recording_.writer, process_, kFirstCollectorString);
  for (size_t i = 0; i < written_strings_; ++i) packets.add(*texts_[i]);
  packets.flush();
}

std::string_view ProfileSpans::text_of(uint32_t id) const {
  return id - kFirstCollectorString < texts_.size() ? std::string_view(*texts_[id - kFirstCollectorString])
                                                    : std::string_view();
}

void ProfileSpans::end_file() {
  flush_all();
  threads_.clear();
}

}  // namespace xsp
