#include "analysis/tables/layer_tables.h"
#include "analysis/tables/study_notes.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace xsp::analysis {

std::string stage_of(size_t index, size_t count) {
  if (3 * index < count) return "beginning";
  return 3 * index < 2 * count ? "middle" : "end";
}

std::vector<LayerType> layer_types(const Study& study) {
  std::vector<LayerType> types;
  std::unordered_map<uint32_t, size_t> numbers;
  for (const JoinedLayer& layer : study.joined.layers) {
    const auto [found, added] = numbers.try_emplace(layer.type, types.size());
    if (added) {
      const auto text = study.trace.text(layer.type);
      types.push_back({.type = text.empty() ? "(none)" : std::string(text), .bytes = 0.0});
    }
    LayerType& type = types[found->second];
    type.count += study.options.per_trace ? layer.calls : static_cast<uint64_t>(std::lround(layer.count));
    type.latency_ns += layer.latency_ns;
    type.backward_ns += layer.backward_ns;
    type.wait_ns += layer.wait_ns;
    if (type.bytes && layer.bytes) {
      *type.bytes += *layer.bytes;
    } else {
      type.bytes.reset();
    }
  }
  return types;
}

std::optional<double> allocated_bytes(const Study& study) {
  double sum = 0;
  for (const JoinedLayer& layer : study.joined.layers) {
    if (!layer.bytes) return {};
    sum += *layer.bytes;
  }
  return sum;
}

Cell percent(const std::optional<double>& part, const std::optional<double>& whole) {
  if (!part || !whole || !(*whole > 0)) return {};
  return cell(100 * *part / *whole);
}

void finish_layer_table(const Study& study, bool memory, Table* table, Level level) {
  const auto& layers = study.joined.layers;
  table->notes = subject_notes(study, level);
  table->lacks_data = layers.empty();
  if (!memory) return;
  const auto unknown = std::count_if(layers.begin(), layers.end(), [](const auto& layer) { return !layer.bytes; });
  if (unknown == 0) return;
  table->lacks_data = true;
  table->notes.push_back(
      "alloc_mb is not known for " + std::to_string(unknown) + " of " + std::to_string(layers.size()) + " layers: " +
      (has_profile_of(study.trace, "kineto") ? "PyTorch's profiler records it with profile_memory=True"
       : has_imports(study.trace)            ? "the profile does not contain it"
                                  : "XSP itself records allocations of PyTorch and TensorFlow, and outputs of ONNX "
                                    "Runtime's nodes and MXNet's operators"));
}

}  // namespace xsp::analysis
