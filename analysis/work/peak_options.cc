#include "analysis/work/peak_options.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <optional>
#include <string>

namespace xsp::analysis {
namespace {

/// Less is a forgotten suffix.
constexpr double kLeast = 1e6;

std::optional<double> decimal(std::string_view text) {
  double value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc()) return {};
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  constexpr std::string_view kSuffixes = "kMGTP";
  if (!text.empty()) {
    const size_t power = kSuffixes.find(text == "K" ? 'k' : text.front());
    if (power == std::string_view::npos || text.size() != 1) return {};
    value *= std::pow(1000.0, static_cast<double>(power + 1));
  }
  if (!std::isfinite(value) || !(value > 0)) return {};
  return value;
}

Status read_value(std::string_view option, std::string_view text, std::string_view example, double* value) {
  const auto read = decimal(text);
  const std::string hint = fmt::format("give a number with one of the suffixes k, M, G, T, P, as in {}", example);
  if (!read) return {fmt::format("'{}' of {} is no number above 0", text, option), hint};
  if (*read < kLeast)
    return {fmt::format("'{}' of {} is {} a second (a suffix is missing)", text, option, *read), hint};
  *value = *read;
  return {};
}

struct TypeName {
  std::string_view name;
  DataType plain;
  DataType tensor;
};

constexpr auto kNo = DataType::kUnknown;
constexpr TypeName kTypes[] = {
    {"f64", DataType::kF64, DataType::kF64Tensor},
    {"f32", DataType::kF32, kNo},
    {"f16", DataType::kF16, DataType::kF16Tensor},
    {"bf16", DataType::kBf16, DataType::kBf16Tensor},
    {"i32", DataType::kI32, kNo},
    {"tf32", kNo, DataType::kTf32Tensor},
    {"f8", kNo, DataType::kF8Tensor},
    {"i8", kNo, DataType::kI8Tensor},
    {"f4", kNo, DataType::kF4Tensor},
};

Status add_type(std::string_view name, double value, PeakOptions* options) {
  constexpr std::string_view kTensor = "-tensor";
  std::string_view type = name;
  const bool tensor_only = type.ends_with(kTensor);
  if (tensor_only) type.remove_suffix(kTensor.size());
  for (const TypeName& known : kTypes) {
    if (known.name != type || (tensor_only && known.tensor == kNo)) continue;
    if (!tensor_only && known.plain != kNo) options->flops_per_second.emplace_back(known.plain, value);
    if (known.tensor != kNo) options->flops_per_second.emplace_back(known.tensor, value);
    return {};
  }
  return {fmt::format("unknown type '{}' of --peak-flops", name),
          "known: f64, f32, f16, bf16, i32, tf32, f8, i8, f4, and with -tensor for the matrix units only"};
}

}  // namespace

Status parse_peak_flops(std::string_view text, PeakOptions* options) {
  options->flops_per_second.clear();
  constexpr std::string_view kExample = "15.7T or f16:125T,f32:15.7T";
  for (bool last = false; !last;) {
    const size_t comma = text.find(',');
    const std::string_view part = text.substr(0, comma);
    last = comma == std::string_view::npos;
    if (!last) text.remove_prefix(comma + 1);
    const size_t colon = part.find(':');
    const std::string_view number = colon == std::string_view::npos ? part : part.substr(colon + 1);
    double value = 0;
    if (Status status = read_value("--peak-flops", number, kExample, &value); !status.ok()) return status;
    if (colon == std::string_view::npos) {
      options->flops_per_second.emplace_back(DataType::kUnknown, value);
    } else if (Status status = add_type(part.substr(0, colon), value, options); !status.ok()) {
      return status;
    }
  }
  return {};
}

Status parse_memory_bandwidth(std::string_view text, PeakOptions* options) {
  double value = 0;
  if (Status status = read_value("--mem-bw", text, "900G", &value); !status.ok()) return status;
  options->bytes_per_second = value;
  return {};
}

}  // namespace xsp::analysis
