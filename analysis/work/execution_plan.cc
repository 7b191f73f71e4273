#include "analysis/work/execution_plan.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <limits>
#include <numeric>
#include <unordered_map>

namespace xsp::analysis {
namespace {

/// Sorted objects: one that keeps the order searches all keys at each insertion.
using Json = nlohmann::json;

/// Plans are a few kilobytes; what is far beyond is damage.
constexpr size_t kMaxPlanBytes = size_t{1} << 20;
constexpr size_t kMaxPlanTensors = 4096;
constexpr size_t kMaxOperations = 1024;
constexpr size_t kMaxRank = 16;
constexpr size_t kMaxKnobs = 256;
constexpr size_t kMaxTextBytes = 256;

std::string string_of(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_string()) return {};
  return found->get_ref<const std::string&>().substr(0, kMaxTextBytes);
}

bool flag_of(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_boolean() && found->get<bool>();
}

std::vector<int64_t> numbers_of(const Json& object, const char* key) {
  std::vector<int64_t> numbers;
  const auto found = object.find(key);
  if (found == object.end() || !found->is_array()) return numbers;
  for (const Json& value : *found) {
    if (numbers.size() == kMaxRank) break;
    numbers.push_back(value.is_number_integer() ? value.get<int64_t>() : -1);
  }
  return numbers;
}

/// Without the first of the prefixes that it begins with.
std::string without_prefix(const std::string& text, std::initializer_list<std::string_view> prefixes) {
  for (const std::string_view prefix : prefixes) {
    if (text.starts_with(prefix)) return text.substr(prefix.size());
  }
  return text;
}

/// "CUDNN_DATA_HALF": "f16".
std::string type_of(const std::string& name) {
  static const std::unordered_map<std::string_view, const char*> kNames = {
      {"FLOAT", "f32"}, {"HALF", "f16"},  {"DOUBLE", "f64"}, {"BFLOAT16", "bf16"}, {"INT8", "i8"},
      {"INT32", "i32"}, {"INT64", "i64"}, {"UINT8", "u8"},   {"BOOLEAN", "bool"},
  };
  const std::string bare = without_prefix(name, {"CUDNN_DATA_"});
  const auto found = kNames.find(bare);
  return found == kNames.end() ? in_lower_case(bare) : found->second;
}

/// "CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR": "convolution_forward".
std::string operation_kind(const std::string& name) {
  std::string kind = without_prefix(name, {"CUDNN_BACKEND_OPERATION_", "CUDNN_BACKEND_", "CUDNN_"});
  constexpr std::string_view kSuffix = "_DESCRIPTOR";
  if (kind.ends_with(kSuffix)) kind.resize(kind.size() - kSuffix.size());
  return kind.empty() ? "unknown" : in_lower_case(std::move(kind));
}

/// A convolution of deep learning is a cross-correlation, so that this mode need not be said.
std::string operation_mode(const std::string& name) {
  const std::string mode =
      without_prefix(name, {"CUDNN_POINTWISE_", "CUDNN_REDUCE_TENSOR_", "CUDNN_RESAMPLE_", "CUDNN_POOLING_", "CUDNN_"});
  return mode == "CROSS_CORRELATION" ? "" : mode;
}

/// What a setting is shown as: something short, or nothing.
std::string setting_text(const std::string& key, const Json& value) {
  if (value.is_string()) {
    const std::string text = value.get_ref<const std::string&>().substr(0, kMaxTextBytes);
    return text.starts_with("CUDNN_DATA_") ? type_of(text) : without_prefix(text, {"CUDNN_"});
  }
  if (value.is_array()) {
    if (value.size() > kMaxRank) return {};
    for (const Json& element : value) {
      if (!element.is_primitive() || element.is_string()) return {};
    }
    return value.dump();
  }
  const bool is_default = (key == "alpha" || key == "alpha1" || key == "alpha2") && value == 1.0;
  const bool is_zero_beta = key == "beta" && value == 0.0;
  const bool no_clip = ((key == "lowerClip" || key == "lowerClipSlope") && value == 0.0) ||
                       (key == "upperClip" && value >= std::numeric_limits<float>::max());
  if (is_default || is_zero_beta || no_clip || !value.is_primitive() || value.is_null()) return {};
  return value.dump();
}

using TensorIndex = std::unordered_map<std::string, size_t>;

void read_tensors(const Json& graph, ExecutionPlan* plan, TensorIndex* index) {
  const auto found = graph.find("tensors");
  if (found == graph.end() || !found->is_array()) return;
  for (const Json& entry : *found) {
    if (!entry.is_object() || plan->tensors.size() == kMaxPlanTensors) continue;
    ExecutionPlan::Tensor tensor;
    tensor.name = string_of(entry, "name");
    tensor.type = type_of(string_of(entry, "dataType"));
    tensor.dimensions = numbers_of(entry, "dim");
    tensor.strides = numbers_of(entry, "stride");
    tensor.is_virtual = flag_of(entry, "isVirtual");
    tensor.is_by_value = flag_of(entry, "isByValue");
    index->try_emplace(tensor.name, plan->tensors.size());
    plan->tensors.push_back(std::move(tensor));
  }
}

ExecutionPlan::Operation read_operation(const Json& node, const TensorIndex& index) {
  ExecutionPlan::Operation operation;
  operation.kind = operation_kind(string_of(node, "operation"));
  for (const auto& [key, value] : node.items()) {
    if (key == "operation" || key.size() > kMaxTextBytes) continue;
    const bool is_mode = key == "mode" || key == "pointwiseMode" || key == "reduceOp" || key == "reductionOp";
    if (is_mode && value.is_string()) {
      operation.mode = operation_mode(value.get_ref<const std::string&>().substr(0, kMaxTextBytes));
      continue;
    }
    const auto tensor = value.is_string() ? index.find(value.get_ref<const std::string&>()) : index.end();
    if (tensor != index.end()) {
      operation.tensors.emplace_back(key, tensor->second);
      continue;
    }
    if (std::string text = setting_text(key, value); !text.empty()) {
      operation.settings.emplace_back(key == "mathPrec" ? "math" : key, std::move(text));
    }
  }
  const auto rank = [](const std::string& role) { return role == "X" ? 0 : role == "W" ? 1 : role == "Y" ? 3 : 2; };
  std::stable_sort(operation.tensors.begin(), operation.tensors.end(),
                   [&](const auto& a, const auto& b) { return rank(a.first) < rank(b.first); });
  return operation;
}

void read_engine(const Json& engine, ExecutionPlan* plan) {
  const auto id = engine.find("engineId");
  if (id != engine.end() && id->is_number_integer()) plan->engine = id->get<int64_t>();
  const auto knobs = engine.find("knobChoices");
  if (knobs == engine.end() || !knobs->is_object()) return;
  for (const auto& [key, value] : knobs->items()) {
    if (plan->knobs.size() == kMaxKnobs || !value.is_number_integer()) continue;
    plan->knobs.emplace_back(without_prefix(key.substr(0, kMaxTextBytes), {"CUDNN_KNOB_TYPE_"}), value.get<int64_t>());
  }
}

void read_notes(const Json& object, ExecutionPlan* plan) {
  for (const char* key : {"numericalNotes", "numericalNote", "notes"}) {
    const auto found = object.find(key);
    if (found == object.end() || !found->is_array()) continue;
    for (const Json& note : *found) {
      if (!note.is_string() || plan->notes.size() == kMaxKnobs) continue;
      plan->notes.push_back(
          without_prefix(note.get_ref<const std::string&>().substr(0, kMaxTextBytes), {"CUDNN_NUMERICAL_NOTE_"}));
    }
  }
}

/// Whether elements follow each other without gaps in this order of the dimensions, the last one fastest. Those of
/// extent 1 may have any stride.
bool is_packed(const ExecutionPlan::Tensor& tensor, const std::vector<size_t>& order) {
  int64_t expected = 1;
  for (size_t i = order.size(); i-- > 0;) {
    const int64_t extent = tensor.dimensions[order[i]];
    if (extent != 1 && tensor.strides[order[i]] != expected) return false;
    if (extent < 0 || __builtin_mul_overflow(expected, extent, &expected)) return false;
  }
  return true;
}

/// As the legacy descriptors are shown: nothing for the usual order, "nhwc" for channels last, else the strides.
std::string layout_text(const ExecutionPlan::Tensor& tensor) {
  const size_t rank = tensor.dimensions.size();
  if (tensor.strides.size() != rank) return {};
  std::vector<size_t> order(rank);
  std::iota(order.begin(), order.end(), size_t{0});
  if (is_packed(tensor, order)) return {};
  if (rank == 4 || rank == 5) {
    std::rotate(order.begin() + 1, order.begin() + 2, order.end());
    if (is_packed(tensor, order)) return rank == 4 ? "nhwc" : "ndhwc";
  }
  return fmt::format("{{{}}}", fmt::join(tensor.strides, ","));
}

std::string tensor_text(const ExecutionPlan::Tensor& tensor) {
  return fmt::format("{}[{}]{}{}", tensor.type, fmt::join(tensor.dimensions, ","), layout_text(tensor),
                     tensor.is_virtual ? ":virtual" : "");
}

}  // namespace

std::string in_lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

std::optional<size_t> ExecutionPlan::Operation::tensor(std::string_view role) const {
  for (const auto& [name, index] : tensors) {
    if (name == role) return index;
  }
  return {};
}

std::optional<ExecutionPlan> ExecutionPlan::parse(std::string_view json, std::string* problem) {
  if (json.size() > kMaxPlanBytes) {
    *problem = "longer than 1 MiB";
    return {};
  }
  const Json root = Json::parse(json.begin(), json.end(), nullptr, /*allow_exceptions=*/false);
  if (!root.is_object()) {
    *problem = root.is_discarded() ? "no JSON, or cut off" : "no JSON object";
    return {};
  }
  const auto graph = root.find("operationGraph");
  const bool has_nodes = graph != root.end() && graph->is_object() && graph->contains("nodes") &&
                         (*graph)["nodes"].is_array() && !(*graph)["nodes"].empty();
  if (!has_nodes) {
    *problem = "without operations";
    return {};
  }
  ExecutionPlan plan;
  TensorIndex index;
  read_tensors(*graph, &plan, &index);
  for (const Json& node : (*graph)["nodes"]) {
    if (node.is_object() && plan.operations.size() < kMaxOperations) {
      plan.operations.push_back(read_operation(node, index));
    }
  }
  read_notes(root, &plan);
  if (const auto engine = root.find("engine"); engine != root.end() && engine->is_object()) {
    read_engine(*engine, &plan);
    read_notes(*engine, &plan);
  }
  return plan;
}

std::string ExecutionPlan::text() const {
  std::string text;
  for (const Operation& operation : operations) {
    if (!text.empty()) text += '+';
    text += operation.mode.empty() ? operation.kind : fmt::format("{}({})", operation.kind, operation.mode);
  }
  text += ':';
  for (size_t i = 0; i < operations.size(); ++i) {
    if (i != 0) text += ';';
    for (const auto& [role, tensor] : operations[i].tensors) {
      text += fmt::format(" {}={}", role, tensor_text(tensors[tensor]));
    }
    for (const auto& [key, value] : operations[i].settings) text += fmt::format(" {}={}", key, value);
  }
  if (engine || !knobs.empty() || !notes.empty()) text += ';';
  if (engine) text += fmt::format(" engine={}", *engine);
  for (size_t i = 0; i < knobs.size(); ++i) {
    text += fmt::format("{}{}:{}", i == 0 ? " knobs=" : ",", knobs[i].first, knobs[i].second);
  }
  if (!notes.empty()) text += fmt::format(" notes={}", fmt::join(notes, ","));
  return text;
}

const std::string& PlanTexts::text(uint32_t id) {
  const auto [found, added] = texts_.try_emplace(id);
  if (!added) return found->second;
  std::string problem;
  if (const auto plan = ExecutionPlan::parse(trace_.text(id), &problem)) {
    found->second = plan->text();
  } else {
    ++unreadable_;
    found->second = "plan not readable (" + problem + ")";
  }
  return found->second;
}

}  // namespace xsp::analysis
