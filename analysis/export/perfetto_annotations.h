#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <protozero/pbf_writer.hpp>

#include "analysis/export/exported_spans.h"
#include "analysis/export/perfetto_texts.h"

namespace xsp::analysis {

/// What a slice of Perfetto's has beside its name and times: flows from calls to what they launched, and annotations
/// (doc/export.md lists them).
class PerfettoAnnotations {
 public:
  PerfettoAnnotations(ExportedSpans* spans, PerfettoTexts* texts) : spans_(*spans), texts_(*texts) {}

  /// Names of annotations with a place of their own, for PerfettoTexts.
  static std::vector<std::string_view> keys();

  void add(const ExportedSpan& span, protozero::pbf_writer* event);

 private:
  enum Key : uint8_t;

  /// The parts of a launch configuration: iids of name and text.
  using Configuration = std::vector<std::pair<uint64_t, uint64_t>>;

  void add_call(const ExportedSpan& span, protozero::pbf_writer* event);
  void add_layer(const ExportedSpan& span, const SpanPlace& place, protozero::pbf_writer* event);
  void add_execution(const ExportedSpan& span, protozero::pbf_writer* event);
  /// Those of span_attributes.h.
  void add_attributes(const ExportedSpan& span, const SpanPlace& place, protozero::pbf_writer* event);
  void add_configuration(uint32_t id, protozero::pbf_writer* event);
  void add_argument(const SpanArgument& argument, protozero::pbf_writer* arguments);

  // `name` is an iid.
  static void add_unsigned(uint64_t name, uint64_t value, protozero::pbf_writer* event);
  static void add_bool(uint64_t name, protozero::pbf_writer* event);
  static void add_double(uint64_t name, double value, protozero::pbf_writer* event);
  static void add_iid(uint64_t name, uint64_t text, protozero::pbf_writer* event);
  void add_string(Key key, uint32_t id, protozero::pbf_writer* event);  // nothing for no text
  void add_text(uint64_t name, std::string_view text, protozero::pbf_writer* event);

  ExportedSpans& spans_;
  PerfettoTexts& texts_;
  std::unordered_map<uint32_t, Configuration> configurations_;  // by string id
};

}  // namespace xsp::analysis
