#include "bound/fusion/elementwise_region.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "bound/fusion/layer_facts.h"

namespace xsp::bound {
namespace {

constexpr size_t kMostReaders = 8;
constexpr size_t kMostTransparent = 8;
/// Layers of a composed activation: GELU by tanh has nine.
constexpr size_t kMostComposed = 12;

/// Steps of `post` that libraries compute; other functions (Sqrt, Erf) stay layers.
constexpr std::string_view kActivations[] = {"relu",      "leaky_relu",  "elu",       "selu", "clip",
                                             "sigmoid",   "hardsigmoid", "hardswish", "tanh", "gelu_erf",
                                             "gelu_tanh", "softplus",    "silu",      "mish"};

bool is_power_of_constant(const ModelGraph& graph, size_t layer) {
  const GraphValue* exponent = graph.input(layer, 1);
  return graph.node(layer).type == "Pow" && graph.node(layer).domain.empty() && exponent != nullptr &&
         ModelGraph::number_of(*exponent).has_value();
}

double combined(std::string_view alg, double a, double b) {
  if (alg == "add") return a + b;
  if (alg == "sub") return a - b;
  if (alg == "mul") return a * b;
  if (alg == "div") return a / b;
  if (alg == "min") return std::min(a, b);
  if (alg == "max") return std::max(a, b);
  return std::pow(a, b);
}

/// Follows the readers of a value, one after another, in the order of layers.
class RegionGrowth {
 public:
  RegionGrowth(const ModelGraph& graph, const GraphValue& from, bool takes_tensors)
      : graph_(graph), from_(from), takes_tensors_(takes_tensors) {}

  void grow(const std::function<bool(const ElementwiseRegion&)>& visit) {
    if (!from_.has_shape() || !open(from_, takes_tensors_ ? std::nullopt : std::optional(kProbes))) return;
    while (!pending_.empty() && region_.with_work < kMostElementwiseLayers && transparent_ < kMostTransparent) {
      const size_t layer = *pending_.begin();
      pending_.erase(pending_.begin());
      if (!take(layer)) return;
      const Open& newest = open_.back();
      const bool is_closed = std::all_of(open_.begin(), open_.end() - 1,
                                         [](const Open& value) { return value.unread == 0 && !value.escapes; });
      if (is_closed && region_.with_work > 0) {
        region_.result = newest.value;
        region_.values = newest.values;
        if (!visit(region_)) return;
      }
      // What escapes can only be the last result.
      if (newest.escapes) return;
    }
  }

 private:
  struct Open {
    const GraphValue* value = nullptr;
    size_t unread = 0;
    bool escapes = false;
    std::optional<ProbeValues> values;
  };

  /// False: nothing may be behind it.
  bool open(const GraphValue& value, const std::optional<ProbeValues>& values) {
    const bool escapes = value.escapes || value.readers.empty() || value.readers.size() > kMostReaders;
    open_.push_back({&value, value.readers.size(), escapes, values});
    if (!escapes) pending_.insert(value.readers.begin(), value.readers.end());
    return !escapes;
  }

  /// Null where the region has no such value.
  Open* opened(const GraphValue* value) {
    const auto found = std::ranges::find(open_, value, &Open::value);
    return found == open_.end() ? nullptr : &*found;
  }

  bool take(size_t layer) {
    const GraphValue* result = graph_.output(layer);
    if (result == nullptr || result->dimensions() != from_.dimensions()) return false;
    const bool is_transparent = graph_.is_transparent(layer);
    if (!is_transparent && !is_elementwise(graph_, layer)) return false;
    std::optional<ProbeValues> values = is_transparent ? opened(graph_.input(layer, 0))->values : values_of(layer);
    if (!values && !takes_tensors_) return false;
    for (size_t i = 0; i < graph_.inputs(layer); ++i) {
      if (Open* value = opened(graph_.input(layer, i))) --value->unread;
    }
    region_.layers.push_back(layer);
    (is_transparent ? transparent_ : region_.with_work) += 1;
    open(*result, values);
    return true;
  }

  /// Of an operand at the probes: a value of the region, or one number.
  std::optional<ProbeValues> operand(size_t layer, size_t place) {
    const GraphValue* value = graph_.input(layer, place);
    if (value == nullptr) return {};
    if (const Open* inner = opened(value)) return inner->values;
    const auto number = ModelGraph::number_of(*value);
    if (!number) return {};
    ProbeValues values;
    values.fill(*number);
    return values;
  }

  std::optional<ProbeValues> values_of(size_t layer) {
    auto values = operand(layer, 0);
    if (!values) return {};
    const Problem& problem = graph_.problem(layer);
    if (problem.kind() == "eltwise") {
      const ElementwiseAlgorithm* algorithm = elementwise_algorithm(problem.field("alg"));
      if (algorithm == nullptr) return {};
      const double alpha = problem.number("alpha"), beta = problem.number("beta");
      for (double& value : *values) value = algorithm->value(value, alpha, beta);
      return values;
    }
    const auto other = operand(layer, 1);
    if (!other) return {};
    const std::string_view alg = problem.kind().empty() ? "pow" : problem.field("alg");
    for (size_t i = 0; i < values->size(); ++i) (*values)[i] = combined(alg, (*values)[i], (*other)[i]);
    return values;
  }

  const ModelGraph& graph_;
  const GraphValue& from_;
  bool takes_tensors_;
  std::vector<Open> open_;
  std::set<size_t> pending_;
  ElementwiseRegion region_;
  size_t transparent_ = 0;
};

}  // namespace

void visit_regions(const ModelGraph& graph, const GraphValue& from, bool takes_tensors,
                   const std::function<bool(const ElementwiseRegion&)>& visit) {
  RegionGrowth(graph, from, takes_tensors).grow(visit);
}

bool is_elementwise(const ModelGraph& graph, size_t layer) {
  if (!has_work(graph.layer(layer).layer_class)) return false;
  const Problem& problem = graph.problem(layer);
  return problem.kind() == "eltwise" || (problem.kind() == "binary" && problem.field("post").empty()) ||
         (problem.kind().empty() && is_power_of_constant(graph, layer));
}

std::optional<PostStep> activation_of(const ModelGraph& graph, size_t layer) {
  const Problem& problem = graph.problem(layer);
  if (problem.kind() != "eltwise") return {};
  const std::string_view alg = problem.field("alg");
  if (std::ranges::find(kActivations, alg) == std::end(kActivations)) return {};
  PostStep step{std::string(alg), problem.number("alpha"), problem.number("beta"),
                elementwise_algorithm(alg)->arguments};
  return step;
}

std::optional<Activation> activation_behind(const ModelGraph& graph, const GraphValue& value) {
  const double rounding = rounding_of(value);
  std::optional<Activation> found;
  visit_regions(graph, value, false, [&](const ElementwiseRegion& region) {
    if (!region.values || region.with_work > kMostComposed) return false;
    // A layer that is one is known as what it is; what comes behind it is another function of it.
    const auto step =
        region.with_work == 1 ? activation_of(graph, region.layers.back()) : known_function(*region.values, rounding);
    if (step) found = Activation{*step, region.layers, region.result};
    return !found.has_value();
  });
  return found;
}

}  // namespace xsp::bound
