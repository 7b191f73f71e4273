#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analysis/export/exported_spans.h"

namespace xsp::analysis {

/// The `args` of an event of Chrome's JSON, by the names that PyTorch's profiler gives them and its readers look for.
class KinetoArguments {
 public:
  /// `one_device_process`: at most one process of the input has GPU activities, so correlation ids are unambiguous.
  KinetoArguments(ExportedSpans* spans, bool one_device_process);

  /// Appends members of the object that `line` ends in.
  void append(const ExportedSpan& span, const SpanPlace& place, std::string* line);

  /// The number shared by a call and what it launched. Ids of several processes may coincide, so rows replace them
  /// there.
  uint64_t correlation_of(const ExportedSpan& span, Row launch) const;

  /// Whether backward work of a span is known.
  bool has_backward(Row row) const { return row < has_backward_.size() && has_backward_[row]; }

 private:
  void append_key(std::string_view key);
  void append_count(std::string_view key, uint64_t value);
  void append_text(std::string_view key, std::string_view text);
  void append_json(std::string_view key, std::string_view json);
  void append_metric(std::string_view key, double value);
  void append_call(const ExportedSpan& span, const SpanPlace& place);
  /// Those of span_attributes.h.
  void append_attributes(const ExportedSpan& span, const SpanPlace& place);
  void append_links(const ExportedSpan& span);
  std::string_view append_arguments(Row row);
  void append_argument(const SpanArgument& argument);
  void append_execution(const ExportedSpan& span, const SpanPlace& place);
  void append_configuration(uint32_t id);

  ExportedSpans& spans_;
  bool one_device_process_ = false;
  std::vector<bool> has_backward_;                            // by row; empty: none
  std::unordered_map<std::string, std::string> inputs_;       // as PyTorch's profiler writes them, by ours
  std::unordered_map<uint32_t, std::string> configurations_;  // by string id
  std::string* line_ = nullptr;
};

}  // namespace xsp::analysis
