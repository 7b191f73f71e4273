#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "collector/continuous/span_account.h"
#include "collector/process/process_activities.h"
#include "collector/process/process_clocks.h"
#include "collector/process/process_context.h"
#include "collector/process/process_names.h"
#include "collector/process/process_rings.h"

namespace xsp {

/// The spans that a process recorded, with their tags and arguments: converts them and passes them to their rings. Used
/// by one thread; what it is given is not owned and must outlive this object.
class ProcessSpans {
 public:
  ProcessSpans(ProcessContext& context, ProcessNames& names, ProcessClocks& clocks, ProcessRings& rings,
               ProcessActivities& activities, SpanAccount& account)
      : context_(context), names_(names), clocks_(clocks), rings_(rings), activities_(activities), account_(account) {}

  /// Take a SpanBatch, a TagBatch and an ArgumentBatch. An error says how the message contradicts itself or what limit
  /// it breaks. All throw protozero::exception on broken protobuf.
  Status receive(protozero::data_view bytes);
  Status receive_tags(protozero::data_view bytes);
  Status receive_arguments(protozero::data_view bytes);

  /// Converts a span of a ring. If it launches work, its launch is passed to the activities.
  void convert(uint32_t clock, uint32_t ring, SpanRow& row);
  /// Counts spans that stand for the next records of a ring and passes on those to be stored.
  void append(RingStream& stream, uint32_t thread, uint32_t record_count, std::vector<SpanRow>& rows, uint64_t now_ns);
  /// Holds a call's arguments; counts them as corrupt if their layout is unknown. False: too many.
  bool hold_arguments(RingStream& stream, uint32_t thread, uint32_t span, uint32_t layout, std::string_view values);

  /// Spans received.
  uint64_t count() const { return count_; }

 private:
  ProcessContext& context_;
  ProcessNames& names_;
  ProcessClocks& clocks_;
  ProcessRings& rings_;
  ProcessActivities& activities_;
  SpanAccount& account_;
  uint64_t count_ = 0;
};

}  // namespace xsp
