#include "collector/writing/ring_stream.h"

#include <algorithm>
#include <unordered_set>
#include "proto/row_batches.h"

namespace xsp {
namespace {

constexpr size_t kBatchSpans = 1024;
constexpr size_t kFlushSpans = 64;  // worth a packet of their own after kFlushAgeNs
// Beyond this, records without spans are covered by no packet: the count in a packet has 32 bits.
constexpr uint32_t kMostWithoutSpans = uint32_t{1} << 30;
constexpr size_t kArgumentBytesPerPacket = size_t{128} << 10;

}  // namespace

void RingStream::drop_held_of(const std::vector<uint32_t>& spans) {
  const std::unordered_set<uint32_t> dropped(spans.begin(), spans.end());
  std::erase_if(tags_, [&](const SpanTag& tag) { return dropped.contains(tag.span); });
  std::string values;
  const char* at = argument_values_.data();
  size_t kept = 0;
  for (size_t i = 0; i < arguments_.size(); ++i) {
    const SpanArguments entry = arguments_[i];
    // Arguments already covered belong to spans that came before.
    if (i < covered_arguments_ || !dropped.contains(entry.span)) {
      values.append(at, entry.length);
      arguments_[kept++] = entry;
    }
    at += entry.length;
  }
  arguments_.resize(kept);
  argument_values_ = std::move(values);
}

void RingStream::append(uint32_t thread, uint32_t record_count, const SpanRow* rows, size_t count, uint64_t now_ns,
                        TraceWriter& writer) {
  latest_thread_ = thread;
  const uint64_t first_record = next_record_ - without_spans_;
  next_record_ += record_count;
  record_count += without_spans_;
  without_spans_ = 0;
  const bool joins = rows_.empty() || (thread == thread_ && first_record == first_record_ + record_count_ &&
                                       record_count <= UINT32_MAX - record_count_);
  if (!joins || rows_.size() + count > kBatchSpans) flush(writer);
  keep_held_arguments();
  if (covered_arguments_ >= kMaxHeldArguments) write_covered_arguments(writer);
  if (count == 0 && rows_.empty()) {
    if (record_count <= kMostWithoutSpans) without_spans_ = record_count;
    return;
  }
  // A large batch is worth a packet of its own, and need not be copied.
  if (count >= kBatchSpans / 2 && rows_.empty()) {
    thread_ = thread;
    write_covered_arguments(writer);
    write_batch(first_record, record_count, rows, count, writer);
    return;
  }
  if (rows_.empty()) {
    thread_ = thread;
    first_record_ = first_record;
    record_count_ = 0;
    waiting_since_ = now_ns;
  }
  record_count_ += record_count;
  rows_.insert(rows_.end(), rows, rows + count);
}

void RingStream::flush(TraceWriter& writer) {
  write_covered_arguments(writer);
  if (rows_.empty()) return;
  write_batch(first_record_, record_count_, rows_.data(), rows_.size(), writer);
  rows_.clear();
}

/// Assigns new vectors, as assigning {} would keep the memory.
void RingStream::release(TraceWriter& writer) {
  flush(writer);
  write_held_tags(writer);
  rows_ = std::vector<SpanRow>();
  tags_ = std::vector<SpanTag>();
  arguments_.shrink_to_fit();
  argument_values_.shrink_to_fit();
}

size_t RingStream::held_bytes() const {
  return rows_.capacity() * sizeof(SpanRow) + tags_.capacity() * sizeof(SpanTag) +
         arguments_.capacity() * sizeof(SpanArguments) + argument_values_.capacity();
}

void RingStream::flush_if_due(uint64_t now_ns, TraceWriter& writer) {
  if (rows_.empty()) {
    if (rows_.capacity() != 0) rows_ = std::vector<SpanRow>();
    if (tags_.empty() && tags_.capacity() != 0) tags_ = std::vector<SpanTag>();
    if (arguments_.empty() && arguments_.capacity() != 0) {
      arguments_ = std::vector<SpanArguments>();
      argument_values_ = std::string();
    }
    return;
  }
  const uint64_t age = now_ns - waiting_since_;
  if (age >= kFlushAnyAgeNs || (age >= kFlushAgeNs && rows_.size() >= kFlushSpans)) flush(writer);
}

void RingStream::write_batch(uint64_t first_record, uint32_t record_count, const SpanRow* rows, size_t count,
                             TraceWriter& writer) {
  while (count > 0) {
    const size_t part = std::min(count, 2 * kBatchSpans);
    // Each packet covers as many records as it has spans, and the last one the rest.
    const uint32_t covered = part == count ? record_count : static_cast<uint32_t>(part);
    const BatchHead head{.thread = thread_, .ring = ring_, .first_record = first_record, .record_count = covered};
    SpanTally tally{};
    for (size_t i = 0; i < part; ++i) ++tally[rows[i].level];
    writer.write(
        process_, Body::kSpans, kMaxBatchHeadBytes + part * kMaxRowBytes,
        [&](WireWriter& body) {
          write_span_columns(body, head, part, [&](size_t i) -> const SpanRow& { return rows[i]; });
        },
        tally);
    rows += part;
    count -= part;
    first_record += covered;
    record_count -= covered;
  }
}

void RingStream::hold_tag(const SpanTag& tag, TraceWriter& writer) {
  if (tags_.size() == kMaxHeldTags) write_held_tags(writer);
  tags_.push_back(tag);
}

void RingStream::write_held_tags(TraceWriter& writer) {
  for (size_t first = 0; first < tags_.size();) {
    // A packet is about one thread.
    size_t last = first;
    while (last < tags_.size() && tags_[last].thread == tags_[first].thread) ++last;
    const auto rows = [&](auto&& take) {
      for (size_t i = first; i < last; ++i) {
        take(TagRow{.span = tags_[i].span, .key = tags_[i].key, .value = tags_[i].value});
      }
    };
    writer.write(process_, Body::kTags, kMaxRowBatchHeadBytes + (last - first) * kMaxTagBytes,
                 [&](WireWriter& body) { write_tag_columns(body, tags_[first].thread, ring_, rows); });
    first = last;
  }
  tags_.clear();
}

bool RingStream::hold_arguments(uint32_t thread, uint32_t span, uint32_t layout, std::string_view values) {
  if (arguments_.size() - covered_arguments_ == kMaxHeldArguments) return false;
  arguments_.push_back({thread, span, layout, static_cast<uint32_t>(values.size())});
  argument_values_ += values;
  return true;
}

void RingStream::drop_held() {
  tags_.clear();
  for (; arguments_.size() > covered_arguments_; arguments_.pop_back()) {
    argument_values_.resize(argument_values_.size() - arguments_.back().length);
  }
}

void RingStream::write_covered_arguments(TraceWriter& writer) {
  const char* values = argument_values_.data();
  for (size_t first = 0; first < covered_arguments_;) {
    size_t last = first;
    size_t bytes = 0;
    while (last < covered_arguments_ && arguments_[last].thread == arguments_[first].thread &&
           bytes < kArgumentBytesPerPacket) {
      bytes += arguments_[last++].length;
    }
    const auto rows = [&](auto&& take) {
      for (size_t i = first; i < last; ++i) {
        const SpanArguments& entry = arguments_[i];
        take(ArgumentRow{.span = entry.span, .layout = entry.layout, .length = entry.length});
      }
    };
    writer.write(process_, Body::kArguments, kMaxRowBatchHeadBytes + (last - first) * kMaxArgumentRowBytes + bytes,
                 [&](WireWriter& body) {
                   write_argument_columns(body, arguments_[first].thread, ring_, rows,
                                          [&] { body.bytes(wire::ArgumentBatch::kValues, values, bytes); });
                 });
    values += bytes;
    first = last;
  }
  argument_values_.erase(0, static_cast<size_t>(values - argument_values_.data()));
  arguments_.erase(arguments_.begin(), arguments_.begin() + static_cast<ptrdiff_t>(covered_arguments_));
  covered_arguments_ = 0;
}

}  // namespace xsp
