#include "analysis/timeline/range_roles.h"

#include <unordered_map>
#include <vector>

namespace xsp::analysis {
namespace {

/// How the name and type lie in the text.
enum class Naming : uint8_t {
  kWhole,            // the text is the name; no type
  kXlaModule,        // XlaModule:#prefix=jit(f)/jit(main),hlo_module=jit_f,program_id=5#
  kXlaThunk,         // Thunk:#name=jit(f)/dot,hlo_op=dot.3#
  kTensorRtLayer,    // (Unnamed Layer* 0) [Convolution]
  kOperator,         // aten::conv2d, sizes = [[1, 3, 8, 8]]
  kBackwardOperator  // autograd::engine::evaluate_function: AddmmBackward0, sizes = …
};

constexpr std::string_view kEvaluateFunction = "autograd::engine::evaluate_function: ";

/// The first rule that fits counts. A pattern is a text, or how it begins when it ends in *.
struct RangeRule {
  std::string_view domain;
  std::string_view pattern;
  RangeRole role;
  Naming naming;
};
constexpr RangeRule kRules[] = {
    // XLA, domain "TSL": a run of a compiled module, and its thunks (kernels, library calls, copies).
    {"TSL", "XlaModule:#*", RangeRole::kModel, Naming::kXlaModule},
    {"TSL", "Thunk:#*", RangeRole::kLayer, Naming::kXlaThunk},
    // TensorRT: an execution, and by default one range a layer in it, under the layer's name.
    {"TensorRT", "ExecutionContext::enqueue*", RangeRole::kModel, Naming::kWhole},
    {"TensorRT", "ExecutionContext::execute*", RangeRole::kModel, Naming::kWhole},
    {"TensorRT", "ExecutionContext::*", RangeRole::kAnnotation, Naming::kWhole},
    {"TensorRT", "Builder*", RangeRole::kAnnotation, Naming::kWhole},
    {"TensorRT", "*", RangeRole::kLayer, Naming::kTensorRtLayer},
    // PyTorch: emit_nvtx uses the default domain, emit_itt one of its own.
    {"", "aten::*", RangeRole::kLayer, Naming::kOperator},
    {"", "prims::*", RangeRole::kLayer, Naming::kOperator},
    {"", "quantized::*", RangeRole::kLayer, Naming::kOperator},
    {"", "torchvision::*", RangeRole::kLayer, Naming::kOperator},
    {"", "autograd::engine::evaluate_function: *", RangeRole::kLayer, Naming::kBackwardOperator},
    {"PyTorch", "aten::*", RangeRole::kLayer, Naming::kOperator},
    {"PyTorch", "prims::*", RangeRole::kLayer, Naming::kOperator},
    {"PyTorch", "quantized::*", RangeRole::kLayer, Naming::kOperator},
    {"PyTorch", "torchvision::*", RangeRole::kLayer, Naming::kOperator},
    {"PyTorch", "autograd::engine::evaluate_function: *", RangeRole::kLayer, Naming::kBackwardOperator},
    // NCCL, also where it is linked statically.
    {"NCCL", "nccl*", RangeRole::kLibrary, Naming::kWhole},
};

bool fits(std::string_view pattern, std::string_view text) {
  if (!pattern.ends_with('*')) return pattern == text;
  return text.starts_with(pattern.substr(0, pattern.size() - 1));
}

/// Value of `key` in XLA's "…:#key=value,key=value#"; empty when it is not there.
std::string_view field(std::string_view text, std::string_view key) {
  for (size_t at = text.find(key); at != std::string_view::npos; at = text.find(key, at + 1)) {
    const size_t value = at + key.size() + 1;
    if (at == 0 || (text[at - 1] != '#' && text[at - 1] != ',')) continue;
    if (value > text.size() || text[value - 1] != '=') continue;
    return text.substr(value, text.find_first_of(",#", value) - value);
  }
  return {};
}

/// "dot.3" is an instance of "dot".
std::string_view stem(std::string_view operation) {
  while (true) {
    const size_t dot = operation.rfind('.');
    if (dot == std::string_view::npos || dot == 0 || dot + 1 == operation.size()) return operation;
    if (operation.find_first_not_of("0123456789", dot + 1) != std::string_view::npos) return operation;
    operation = operation.substr(0, dot);
  }
}

void name_xla_module(std::string_view text, RangeMeaning* meaning) {
  const std::string_view module = field(text, "hlo_module");
  if (!module.empty()) meaning->name = module;
  meaning->type = "XlaModule";
}

void name_xla_thunk(std::string_view text, RangeMeaning* meaning) {
  const std::string_view operation = field(text, "hlo_op");
  if (operation.empty()) return;
  meaning->name = operation;
  meaning->type = stem(operation);
}

/// Only layers without a name tell their type.
void name_tensorrt_layer(std::string_view text, RangeMeaning* meaning) {
  const size_t bracket = text.rfind(" [");
  if (bracket == std::string_view::npos || !text.ends_with(']')) return;
  meaning->type = text.substr(bracket + 2, text.size() - bracket - 3);
}

void name_operator(std::string_view text, RangeMeaning* meaning) {
  meaning->name = meaning->type = text.substr(0, text.find(", "));
}

RangeMeaning meaning_by(const RangeRule& rule, std::string_view domain, std::string_view text) {
  RangeMeaning meaning{.role = rule.role, .name = text};
  switch (rule.naming) {
    case Naming::kWhole:
      if (rule.role == RangeRole::kLibrary) meaning.type = domain;
      break;
    case Naming::kXlaModule:
      name_xla_module(text, &meaning);
      break;
    case Naming::kXlaThunk:
      name_xla_thunk(text, &meaning);
      break;
    case Naming::kTensorRtLayer:
      name_tensorrt_layer(text, &meaning);
      break;
    case Naming::kOperator:
      name_operator(text, &meaning);
      break;
    case Naming::kBackwardOperator:
      name_operator(text.substr(kEvaluateFunction.size()), &meaning);
      break;
  }
  return meaning;
}

/// The same with the trace's strings.
struct Assignment {
  RangeRole role = RangeRole::kAnnotation;
  uint32_t name = 0;
  uint32_t type = 0;
};

Level level_of(RangeRole role) {
  switch (role) {
    case RangeRole::kModel:
      return Level::kModel;
    case RangeRole::kLayer:
      return Level::kLayer;
    case RangeRole::kLibrary:
      return Level::kLibrary;
    case RangeRole::kAnnotation:
      break;
  }
  return Level::kApplication;
}

/// Whether a span of that level, or a range that could be one, lies around the row. A model ends the search for layers.
bool lies_in(const SpanTable& spans, const Parents& parents, const std::vector<Level>& candidate, Row row,
             Level level) {
  Row above = parents.of[row];
  for (int depth = 0; above != kNoRow && depth < kMaxDepth; ++depth) {
    const Level its = is_range(spans, above) ? candidate[above] : spans.level[above];
    if (its == level) return true;
    if (its == Level::kModel && level == Level::kLayer) return false;
    above = parents.of[above];
  }
  return false;
}

class Assigner {
 public:
  explicit Assigner(Trace* trace) : trace_(*trace) {}

  const Assignment& of(Row row) {
    const uint64_t key = uint64_t{trace_.spans.type[row]} << 32 | trace_.spans.name[row];
    const auto [found, added] = known_.try_emplace(key);
    if (added) {
      // Interning may move the table of texts, but never a text.
      const RangeMeaning meaning =
          range_meaning(trace_.text(trace_.spans.type[row]), trace_.text(trace_.spans.name[row]));
      found->second = {meaning.role, trace_.strings.intern(meaning.name), trace_.strings.intern(meaning.type)};
    }
    return found->second;
  }

 private:
  Trace& trace_;
  std::unordered_map<uint64_t, Assignment> known_;
};

}  // namespace

RangeMeaning range_meaning(std::string_view domain, std::string_view text) {
  for (const RangeRule& rule : kRules) {
    if (rule.domain == domain && fits(rule.pattern, text)) return meaning_by(rule, domain, text);
  }
  return {.name = text, .type = domain};
}

void assign_range_roles(const Parents& parents, Trace* trace) {
  SpanTable& spans = trace->spans;
  std::vector<Row> ranges;
  for (Row row = 0; row < spans.size(); ++row) {
    if (is_range(spans, row) && spans.level[row] == Level::kApplication) ranges.push_back(row);
  }
  if (ranges.empty()) return;

  Assigner assigner(trace);
  std::vector<Level> candidate = spans.level;
  for (const Row row : ranges) candidate[row] = level_of(assigner.of(row).role);
  for (const Row row : ranges) {
    const Level level = candidate[row];
    if (level == Level::kApplication) continue;
    if (level != Level::kModel && lies_in(spans, parents, candidate, row, level)) continue;
    const Assignment& assignment = assigner.of(row);
    spans.level[row] = level;
    spans.name[row] = assignment.name;
    spans.type[row] = assignment.type;
  }
}

}  // namespace xsp::analysis
