#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <variant>

#include "analysis/export/exported_spans.h"

namespace xsp::analysis {

/// What exports other than tables call an attribute, and on which spans they write it.
struct AttributeForm {
  /// Bits: a level of the host (1 << Level), kernels, copies and memsets, and what else a device did.
  using Where = uint16_t;
  static constexpr Where kKernels = 1 << 8;
  static constexpr Where kCopies = 1 << 9;
  static constexpr Where kOtherExecutions = 1 << 10;
  static constexpr Where kHost = 0xff;
  static constexpr Where kDevice = kKernels | kCopies | kOtherExecutions;
  static constexpr Where kEverywhere = kHost | kDevice;

  std::string_view key;  // empty: this export does not have it
  Where where = kEverywhere;
  std::string_view true_text = {};  // written for a true value instead of true

  bool is_on(Where span) const { return !key.empty() && (where & span) != 0; }
};

/// What of a span attributes are read from.
struct AttributedSpan {
  const Trace& trace;
  const ExportedSpan& span;
  const SpanPlace& place;
  const KernelMetrics* metrics;  // null: nothing is known

  AttributeForm::Where where() const;
};

/// std::monostate: not known. Numbers of a launch configuration are text, as they were recorded.
using AttributeValue = std::variant<std::monostate, int64_t, double, bool, std::string_view>;

/// An attribute of a span. SQLite and Parquet have a column for each one with a name, Perfetto, OTLP and Chrome's JSON
/// a key; all of them go through span_attributes(), so that a new attribute is an entry there.
struct SpanAttribute {
  enum class Type : uint8_t { kInteger, kReal, kBool, kText };
  /// A column of every span or of kernels alone.
  enum class Of : uint8_t { kSpans, kKernels };

  std::string_view name;  // of the column; empty: none
  Of of = Of::kSpans;
  Type type = Type::kInteger;
  std::string_view unit;
  std::string_view meaning;
  AttributeForm perfetto;
  AttributeForm otlp;
  AttributeForm chrome;
  /// One of the two reads it; the second one from a launch configuration alone, so that its text can be kept.
  AttributeValue (*value)(const AttributedSpan& span) = nullptr;
  std::string_view (*configured)(const LaunchConfiguration& configuration) = nullptr;
};

/// All of them, in the order of columns and keys.
std::span<const SpanAttribute> span_attributes();

/// Calls `take(attribute)` for those that are columns of every span, or of kernels, in the order of the columns.
template <typename Take>
void for_each_column(SpanAttribute::Of of, Take&& take) {
  for (const SpanAttribute& attribute : span_attributes()) {
    if (attribute.of == of && !attribute.name.empty()) take(attribute);
  }
}

/// What the attribute's column holds: a value of the column's type, or nothing. What was recorded as text is read as
/// an integer where the column has integers. `launch` must outlive the value.
AttributeValue column_value(const SpanAttribute& attribute, const AttributedSpan& span,
                            const LaunchConfiguration& launch);

/// The integer that a text begins with; nothing for other text.
std::optional<int64_t> integer_of(std::string_view text);

}  // namespace xsp::analysis
