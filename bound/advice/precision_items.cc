#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <span>
#include <string_view>

#include "base/quantity_text.h"
#include "bound/advice/emulation.h"
#include "bound/advice/value_flow.h"
#include "bound/advice/what_if.h"
#include "bound/fusion/group_model.h"

namespace xsp::bound {
namespace {

/// Where the model's own times come from.
enum class DeviceKind : uint8_t { kUnknown, kProcessor, kGpu };

DeviceKind device_of(const Bounds& bounds, const std::string& isa) {
  if (!isa.empty()) return is_gpu_isa(isa) ? DeviceKind::kGpu : DeviceKind::kProcessor;
  for (const auto* const times : {&bounds.times, &bounds.group_times}) {
    for (const LayerTime& time : *times) {
      if (time.library.empty()) continue;
      return time.library.starts_with("cu") ? DeviceKind::kGpu : DeviceKind::kProcessor;
    }
  }
  if (bounds.trace == nullptr) return DeviceKind::kUnknown;
  return bounds.trace->is_on_gpu() ? DeviceKind::kGpu : DeviceKind::kProcessor;
}

/// The ways to write a problem that libraries of the device take.
std::span<const std::string> ways_for(DeviceKind device, std::span<const std::string> ways) {
  if (ways.size() < 2 || device == DeviceKind::kUnknown) return ways;
  return device == DeviceKind::kProcessor ? ways.first(1) : ways.last(1);
}

/// Products and convolutions of bytes as the operators that ONNX Runtime has for them; else empty. Of floating point it
/// gets no model: where it lacks an operator in a narrow type, it computes it in f32 between two casts, and its profile
/// would call that the operator's time.
std::string runtime_model(const std::string& text) {
  auto problem = Problem::parse(text);
  if (!problem || problem->types().source != "u8" || problem->types().weights != "i8") return "";
  const std::string_view post = problem->field("post");
  if (post.empty()) return group_model(*problem);
  // Bytes without sign, with 0 as the zero point, are rectified as they are.
  constexpr std::string_view kRectified = " post=relu ";
  const size_t place = text.find(kRectified);
  if (post != "relu" || place == std::string::npos) return "";
  problem = Problem::parse(std::string(text).replace(place, kRectified.size(), " post= "));
  return problem ? group_model(*problem) : "";
}

/// Collects items, each problem once.
class ItemList {
 public:
  ItemList(const Bounds& bounds, const std::string& precision, const std::string& isa)
      : model_(*bounds.model), device_(device_of(bounds, isa)), precision_(precision) {}

  void add(const std::string& problem, std::optional<double> flops, std::optional<double> bytes,
           std::string_view what) {
    const PrecisionProblem made = in_precision(problem, precision_);
    add_ways(made.problems, flops.value_or(0), bytes.value_or(0), what);
  }

  void add_casts(int64_t elements) {
    const auto count = static_cast<double>(elements);
    add_ways(casts_into(precision_, elements), count, kBytesOfCast * count, "cast");
    add_ways(casts_out_of(precision_, elements), count, kBytesOfCast * count, "cast");
  }

  std::vector<WorkItem> take() { return std::move(items_); }

 private:
  static constexpr double kBytesOfCast = 6;  // of an element: four and, in the other type, about two

  void add_ways(std::span<const std::string> ways, double flops, double bytes, std::string_view what) {
    for (const std::string& problem : ways_for(device_, ways)) {
      if (!known_.insert(problem).second) continue;
      WorkItem& item = items_.emplace_back();
      item.problem = problem;
      item.model = runtime_model(problem);
      item.flops = flops;
      item.bytes = bytes;
      item.of = fmt::format("{}, {}: {}", model_.name, precision_, what);
    }
  }

  const LayeredModel& model_;
  DeviceKind device_;
  const std::string& precision_;
  std::set<std::string> known_;
  std::vector<WorkItem> items_;
};

}  // namespace

std::vector<WorkItem> precision_items(const Bounds& bounds, const std::string& precision, const std::string& isa) {
  ItemList items(bounds, precision, isa);
  for (const Layer& layer : bounds.model->layers) {
    if (has_work(layer.layer_class)) items.add(layer.problem, layer.flops, layer.bytes, layer.type);
  }
  for (const FusedGroup& group : bounds.groups) items.add(group.problem, group.flops, group.bytes, group.pattern);
  if (!changes_values(precision)) return items.take();
  // Which layers stay in their own type shows only in what was measured: any value may be at a border.
  for (const FloatValue& value : float_values(*bounds.model)) items.add_casts(value.elements);
  return items.take();
}

}  // namespace xsp::bound
