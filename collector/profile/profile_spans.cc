#include "collector/profile/profile_spans.h"

#include <algorithm>

#include "collector/peer_limits.h"
#include "collector/tsc_rate.h"

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
  strings_.emplace(text, id);
  string_bytes_ += text.size();
  new_strings_.emplace_back(text);
  return id;
}

bool ProfileSpans::add(uint32_t thread, const SpanRow& row) {
  auto found = threads_.find(thread);
  if (found == threads_.end()) {
    if (threads_.size() == kMaxThreads) return false;
    found = threads_.emplace(thread, Thread{RingStream(process_, kProfileRingBase + ++rings_), {}}).first;
  }
  found->second.rows.push_back(row);
  ++count_;
  if (found->second.rows.size() == kRowsPerAppend) flush();
  return true;
}

void ProfileSpans::flush() {
  TraceWriter& writer = recording_.writer;
  for (size_t first = 0; first < new_strings_.size();) {
    size_t capacity = 32;
    size_t last = first;
    while (last < new_strings_.size() && capacity < kMaxPacketBytes / 2) capacity += new_strings_[last++].size() + 16;
    writer.write(process_, Body::kStrings, capacity, [&](WireWriter& body) {
      body.uint64(1, kFirstCollectorString + written_strings_);
      for (size_t i = first; i < last; ++i) body.element(2, new_strings_[i].data(), new_strings_[i].size());
    });
    written_strings_ += static_cast<uint32_t>(last - first);
    first = last;
  }
  new_strings_.clear();
  const uint64_t now = monotonic_ns();
  for (auto& [id, thread] : threads_) {
    if (thread.rows.empty()) continue;
    thread.stream.append(id, static_cast<uint32_t>(thread.rows.size()), thread.rows.data(), thread.rows.size(), now,
                         writer);
    thread.rows.clear();
  }
}

void ProfileSpans::end_file() {
  flush();
  for (auto& [id, thread] : threads_) thread.stream.flush(recording_.writer);
  threads_.clear();
}

}  // namespace xsp
