#include "analysis/trace/call_arguments.h"

#include <fmt/format.h>

#include <cstring>

namespace xsp::analysis {
namespace {

using FieldKind = ArgumentField::Kind;

/// Little-endian, as this machine is.
uint64_t read_bits(std::string_view values, const ArgumentField& field) {
  uint64_t bits = 0;
  std::memcpy(&bits, values.data() + field.offset, field.width);
  return bits;
}

int64_t sign_extended(uint64_t bits, uint8_t width) {
  const int unused = 64 - 8 * width;
  return static_cast<int64_t>(bits << unused) >> unused;
}

/// Own place in every table.
bool is_shown_elsewhere(const ArgumentField& field) { return field.name == "status" || field.name == "class"; }

}  // namespace

CallArguments::CallArguments(const Trace& trace, Row row) : trace_(trace) {
  const uint32_t entry = trace.spans.arguments_of(row);
  if (entry == SpanTable::kNoArguments) return;
  layout_ = &trace.arguments.layout(entry);
  values_ = trace.arguments.values(entry);
}

std::optional<int64_t> CallArguments::integer(const ArgumentField& field) const {
  if (!holds(field)) return {};
  switch (field.kind) {
    case FieldKind::kSigned:
    case FieldKind::kEnumeration:
      return sign_extended(read_bits(values_, field), field.width);
    case FieldKind::kUnsigned:
    case FieldKind::kAddress:
      return static_cast<int64_t>(read_bits(values_, field));
    default:
      return {};
  }
}

std::optional<double> CallArguments::floating(const ArgumentField& field) const {
  if (field.kind != FieldKind::kFloat || !holds(field)) return {};
  if (field.width == 8) {
    double value = 0;
    std::memcpy(&value, values_.data() + field.offset, sizeof value);
    return value;
  }
  float value = 0;
  std::memcpy(&value, values_.data() + field.offset, sizeof value);
  return value;
}

std::optional<std::string_view> CallArguments::text(const ArgumentField& field) const {
  if (field.kind == FieldKind::kConstant) return field.constant;
  if (!holds(field)) return {};
  if (field.kind == FieldKind::kText) {
    const auto id = static_cast<uint32_t>(read_bits(values_, field));
    return id == 0 ? std::optional<std::string_view>() : trace_.text(id);
  }
  if (field.kind != FieldKind::kEnumeration) return {};
  const std::string_view name = field.name_of(sign_extended(read_bits(values_, field), field.width));
  return name.empty() ? std::optional<std::string_view>() : name;
}

std::optional<int64_t> CallArguments::integer(std::string_view name) const {
  const ArgumentField* field = layout_ == nullptr ? nullptr : layout_->find(name);
  return field == nullptr ? std::nullopt : integer(*field);
}

std::optional<double> CallArguments::number(std::string_view name) const {
  const ArgumentField* field = layout_ == nullptr ? nullptr : layout_->find(name);
  if (field == nullptr) return {};
  if (const auto value = floating(*field)) return value;
  const auto value = integer(*field);
  if (!value) return {};
  return field->kind == FieldKind::kUnsigned ? static_cast<double>(static_cast<uint64_t>(*value))
                                             : static_cast<double>(*value);
}

std::optional<std::string_view> CallArguments::text(std::string_view name) const {
  const ArgumentField* field = layout_ == nullptr ? nullptr : layout_->find(name);
  return field == nullptr ? std::nullopt : text(*field);
}

std::string CallArguments::status() const {
  const ArgumentField* field = layout_ == nullptr ? nullptr : layout_->find("status");
  return field == nullptr ? std::string() : display(*field);
}

std::string CallArguments::display(const ArgumentField& field) const {
  if (const auto value = text(field)) return std::string(*value);
  if (const auto value = floating(field)) return fmt::format("{:g}", *value);
  const auto value = integer(field);
  if (!value) return {};
  if (field.kind == FieldKind::kAddress) return fmt::format("{:#x}", static_cast<uint64_t>(*value));
  return field.kind == FieldKind::kUnsigned ? std::to_string(static_cast<uint64_t>(*value)) : std::to_string(*value);
}

std::string CallArguments::display(const std::function<std::string(uint32_t)>& plan_text) const {
  std::string shown;
  std::string constants;
  if (layout_ == nullptr) return shown;
  for (const ArgumentField& field : layout_->fields) {
    if (is_shown_elsewhere(field)) continue;
    if (field.kind == FieldKind::kConstant) {
      constants += fmt::format(" {}={}", field.name, field.constant);
      continue;
    }
    const bool is_plan = plan_text && field.kind == FieldKind::kText && field.name == "plan" && holds(field);
    if (is_plan) {
      const auto id = static_cast<uint32_t>(read_bits(values_, field));
      if (id == 0) continue;
      if (!shown.empty()) shown += ' ';
      shown += plan_text(id);
      continue;
    }
    const std::string value = display(field);
    if (value.empty()) continue;
    if (!shown.empty()) shown += ' ';
    // A descriptor's text has words of its own: "conv=(pad=[1,1] math=FMA_MATH) algo=GEMM".
    const bool has_words = field.kind == FieldKind::kText && value.find(' ') != std::string::npos;
    shown += has_words ? fmt::format("{}=({})", field.name, value) : fmt::format("{}={}", field.name, value);
  }
  shown += constants;
  return shown.starts_with(' ') ? shown.substr(1) : shown;
}

std::string CallArguments::comparable() const {
  std::string values(values_);
  if (layout_ == nullptr) return values;
  for (const ArgumentField& field : layout_->fields) {
    if (field.kind == FieldKind::kAddress && holds(field)) values.replace(field.offset, field.width, field.width, '\0');
  }
  return values;
}

}  // namespace xsp::analysis
