#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "analysis/export/exported_spans.h"
#include "analysis/export/exporter.h"
#include "analysis/export/otlp_message.h"

namespace xsp::analysis {

/// Above this, receivers' web pages become slow or no longer show a trace.
inline constexpr uint64_t kMostSpansOfPages = 10'000;

/// All spans of an input as OTLP has them, in batches. Each evaluation is a trace of its own; what is in none is in a
/// trace of its process. Ids follow from what is in the trace, so that the same trace gives the same ids. The parent of
/// an execution is its layer, else its library call, else its launch; the launch is a link (doc/export.md).
class OtlpBatches {
 public:
  /// Down to this level; if not given, the deepest at which no trace has more than kMostSpansOfPages, but at least the
  /// layers.
  OtlpBatches(const ExportInput& input, std::optional<Level> deepest);

  Level deepest() const { return deepest_; }
  uint64_t left_out() const { return left_out_; }  // spans of deeper levels

  /// The next spans, all of one process; valid until the next call. Returns their number, 0 behind the last.
  size_t next(OtlpBatch* batch);

 private:
  struct Kernels {
    uint64_t count = 0;
    int64_t ns = 0;
  };

  void number_evaluations();
  void place_spans();
  void choose_deepest();
  void add_up_kernels();
  bool is_exported(Row row) const { return row != kNoRow && trace_.spans.level[row] <= deepest_; }
  bool is_same_trace(Row one, Row other) const;
  OtlpTraceId trace_id(Row row) const;
  OtlpSpanId span_id(Row row) const;
  Row parent_of(const ExportedSpan& span, const SpanPlace& place) const;
  void add_link(Row target, std::string_view role, OtlpSpan* to) const;
  void add_links(const ExportedSpan& span, const SpanPlace& place, Row parent, OtlpSpan* to) const;
  void add_host_attributes(const ExportedSpan& span, const SpanPlace& place, OtlpSpan* to);
  void add_queue(const ExportedSpan& span, OtlpSpan* to);
  /// Those of span_attributes.h.
  void add_listed_attributes(const ExportedSpan& span, const SpanPlace& place, OtlpSpan* to);
  void describe(Row row, OtlpSpan* to);
  OtlpBatch::Scope* scope_of(Row row, OtlpBatch* batch) const;

  const ExportInput& input_;
  ExportedSpans spans_;
  const Trace& trace_;
  const AnalysedTrace& analysed_;
  Level deepest_ = Level::kDevice;
  uint64_t left_out_ = 0;
  std::vector<uint32_t> evaluation_of_;       // by row
  std::vector<uint32_t> evaluation_number_;   // by evaluation: in its process, from 1
  std::vector<uint64_t> seed_;                // by process: what ids are made of
  std::vector<Row> first_row_;                // by process
  std::unordered_map<Row, Kernels> kernels_;  // of layers and evaluations
  std::vector<OtlpAttribute> resource_;
  uint32_t resource_process_ = UINT32_MAX;
  size_t track_ = 0;
  size_t position_ = 0;  // in the track
};

}  // namespace xsp::analysis
