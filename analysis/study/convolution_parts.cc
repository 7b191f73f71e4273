#include "analysis/study/convolution_parts.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "analysis/timeline/operator_kinds.h"
#include "analysis/timeline/range_roles.h"
#include "analysis/trace/call_arguments.h"
#include "analysis/work/execution_plan.h"

namespace xsp::analysis {
namespace {

/// Of these many evaluations, the last ones, what ran in a layer is added up.
constexpr size_t kMostEvaluations = 16;

/// Time of what ran in one layer.
struct Times {
  int64_t convolutions = 0;
  int64_t all = 0;

  double part() const { return static_cast<double>(convolutions) / static_cast<double>(all); }
};

class ConvolutionParts {
 public:
  ConvolutionParts(const Study& study, const JoinedLayers& joined)
      : trace_(study.trace),
        spans_(study.trace.spans),
        parents_(study.parents),
        evaluations_(study.evaluations),
        joined_(joined),
        operators_(joined.layers.size()),
        calls_(joined.layers.size()) {}

  std::vector<double> run() {
    find_layers();
    if (!layer_of_.empty()) sum_inside();
    std::vector<double> parts(joined_.layers.size());
    for (size_t i = 0; i < parts.size(); ++i) {
      const Row row = joined_.layers[i].row;
      if (row == kNoRow) continue;
      if (is_named_by_work(row)) {
        parts[i] = is_convolution(kind_of(row)) ? 1 : 0;
      } else if (operators_[i].all > 0) {
        parts[i] = operators_[i].part();
      } else if (calls_[i].all > 0) {
        parts[i] = calls_[i].part();
      } else {
        parts[i] = is_convolution(kind_by_type(row)) ? 1 : 0;
      }
    }
    return parts;
  }

 private:
  bool is_named_by_work(Row row) const {
    const Kind kind = spans_.kind[row];
    return kind == Kind::kOperator || kind == Kind::kOrtNode || is_library_call(spans_, row);
  }

  /// For an operator, a node or a library call. A node is named by the program; its type is the operator.
  OperatorKind kind_of(Row row) {
    if (is_library_call(spans_, row)) return kind_of_call(row);
    const uint32_t name = spans_.type[row] != 0 ? spans_.type[row] : spans_.name[row];
    const auto [found, added] = kind_of_name_.try_emplace(name);
    if (added) found->second = operator_kind(trace_.text(name));
    return found->second;
  }

  /// Only the plan tells what cuDNN's backend executes.
  bool executes_plan(Row row) const { return trace_.text(spans_.name[row]) == "cudnnBackendExecute"; }

  bool is_unknown_plan(Row row) const { return executes_plan(row) && !CallArguments(trace_, row).text("plan"); }

  OperatorKind kind_of_plan(Row row) const {
    std::string problem;
    const auto json = CallArguments(trace_, row).text("plan");
    const auto plan = json ? ExecutionPlan::parse(*json, &problem) : std::nullopt;
    const bool convolves = plan && std::any_of(plan->operations.begin(), plan->operations.end(), [](const auto& of) {
                             return of.kind == "convolution_forward" || of.kind == "convolution_backward_data" ||
                                    of.kind == "convolution_backward_filter";
                           });
    return convolves ? OperatorKind::kConvolution : OperatorKind::kOther;
  }

  OperatorKind kind_of_call(Row row) const {
    if (executes_plan(row)) return kind_of_plan(row);
    const std::string_view library = trace_.text(spans_.type[row]);
    // "convolution forward_inference …": calls that execute a primitive of oneDNN are all named alike.
    const auto primitive = CallArguments(trace_, row).text("primitive");
    if (primitive) return library_call_kind(library, primitive->substr(0, primitive->find(' ')));
    return library_call_kind(library, trace_.text(spans_.name[row]));
  }

  /// Of XLA and other compilers the type is an operator's name.
  OperatorKind kind_by_type(Row row) const {
    const std::string_view type = trace_.text(spans_.type[row]);
    return is_range(spans_, row) ? operator_kind(type) : module_kind(type);
  }

  /// The spans of the layers. A module that is called twice in an evaluation has two of them, which do the same.
  void find_layers() {
    std::map<std::pair<uint32_t, uint32_t>, uint32_t> by_name;  // name and type
    for (uint32_t i = 0; i < joined_.layers.size(); ++i) {
      const Row row = joined_.layers[i].row;
      if (row == kNoRow || is_named_by_work(row)) continue;
      if (by_name.try_emplace({spans_.name[row], spans_.type[row]}, i).second && joined_.joined.empty()) {
        layer_of_.emplace(row, i);
      }
    }
    const size_t count = joined_.joined.size();
    for (size_t i = count - std::min(count, kMostEvaluations); i < count; ++i) {
      const uint32_t evaluation = joined_.joined[i];
      for (size_t ordinal = 0; ordinal < evaluations_.layer_count(evaluation); ++ordinal) {
        const Row row = evaluations_.layer(evaluation, ordinal);
        const auto found = by_name.find({spans_.name[row], spans_.type[row]});
        if (found != by_name.end()) layer_of_.emplace(row, found->second);
      }
    }
    for (uint32_t i = 0; i < joined_.layers.size(); ++i) {
      const Row row = joined_.layers[i].row;
      if (row == kNoRow || is_named_by_work(row)) continue;
      same_as_.emplace(i, by_name.at({spans_.name[row], spans_.type[row]}));
    }
  }

  void sum_inside() {
    for (Row row = 0; row < spans_.size(); ++row) {
      if (spans_.kind[row] != Kind::kOperator && !is_library_call(spans_, row)) continue;
      if (spans_.level[row] != Level::kLayer) add(row);
    }
    for (const auto& [layer, first] : same_as_) {
      operators_[layer] = operators_[first];
      calls_[layer] = calls_[first];
    }
  }

  /// Only the outermost count, with the time of all that is inside: aten::linear for aten::addmm.
  void add(Row row) {
    const bool is_call = is_library_call(spans_, row);
    if (is_call && is_unknown_plan(row)) return;
    Row above = parents_.of[row];
    for (int depth = 0; above != kNoRow && depth < kMaxDepth; ++depth, above = parents_.of[above]) {
      const auto layer = layer_of_.find(above);
      if (layer != layer_of_.end()) {
        Times& times = (is_call ? calls_ : operators_)[layer->second];
        times.all += spans_.duration(row);
        if (is_convolution(kind_of(row))) times.convolutions += spans_.duration(row);
        return;
      }
      if (spans_.level[above] <= Level::kLayer && spans_.level[above] != Level::kApplication) return;
      if (is_call ? is_library_call(spans_, above) : spans_.kind[above] == Kind::kOperator) return;
    }
  }

  const Trace& trace_;
  const SpanTable& spans_;
  const Parents& parents_;
  const Evaluations& evaluations_;
  const JoinedLayers& joined_;
  std::unordered_map<Row, uint32_t> layer_of_;               // index by span, of layers known by what ran in them
  std::map<uint32_t, uint32_t> same_as_;                     // by such a layer the first of its name
  std::unordered_map<uint32_t, OperatorKind> kind_of_name_;  // by string id
  std::vector<Times> operators_;                             // by layer
  std::vector<Times> calls_;
};

}  // namespace

std::vector<double> convolution_parts(const Study& study, const JoinedLayers& joined) {
  return ConvolutionParts(study, joined).run();
}

}  // namespace xsp::analysis
