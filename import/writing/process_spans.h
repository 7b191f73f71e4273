#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "collector/writing/ring_stream.h"
#include "import/writing/segment.h"
#include "import/writing/segment_process.h"
#include "import/writing/span_order.h"

namespace xsp {

/// Writes the spans of one process, nested and linked, and frees them. Each thread has its own ring, and another for
/// its graph nodes. `process` and `segment` are not owned and must outlive this object.
class ProcessSpans {
 public:
  /// `resolution_ns`: how far children may stick out of their parents.
  ProcessSpans(SegmentProcess& process, int64_t resolution_ns, Segment& segment)
      : process_(process), from_(process.contents()), resolution_ns_(resolution_ns), segment_(segment) {}

  /// To be called once. Writes nothing for a process without spans.
  void write();

 private:
  /// Backward work, and the span whose gradient it computes.
  struct Forward {
    ImportedSpanId backward;
    SpanReference forward;
  };

  void resolve_links(const std::vector<SpanOrder>& orders);
  void write_thread(uint32_t thread, const SpanOrder& order);
  void write_nodes(uint32_t thread);
  SpanRow row_of(const ImportedSpan& span) const;
  void set_forward(ImportedSpanId span, SpanRow* row) const;
  void hold_arguments(const ImportedSpan& span, uint32_t tid, uint32_t id, RingStream* stream);

  SegmentProcess& process_;
  ImportedProcess::Contents& from_;
  int64_t resolution_ns_;
  Segment& segment_;
  std::vector<Forward> forwards_;  // in order of the backward work
};

}  // namespace xsp
