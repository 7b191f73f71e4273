#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "bound/advice/folded_inefficiencies.h"
#include "bound/advice/inefficiency_detectors.h"
#include "bound/advice/library_settings.h"
#include "bound/problems/problem.h"

namespace xsp::bound {
namespace {

/// What differs between what a layer asks for and what a call was asked to do.
struct Difference {
  std::string expected, seen;
};

int bits_of(std::string_view element) {
  const size_t digit = element.find_first_of("0123456789");
  int bits = 0;
  for (size_t i = digit; i < element.size() && element[i] >= '0' && element[i] <= '9' && bits < 100; ++i) {
    bits = 10 * bits + (element[i] - '0');
  }
  return bits;
}

/// Only what costs: a wider type than the model's. A narrower one is a choice of the program.
std::optional<Difference> wider_type(const Problem& asked, const Problem& called) {
  const std::string expected = asked.types().source, seen = called.types().source;
  if (bits_of(seen) <= bits_of(expected) || bits_of(expected) == 0) return {};
  return Difference{fmt::format("dtype={}", expected), fmt::format("dtype={}", seen)};
}

/// The padding in a kernel of its own: no pads, and a source that is as much larger.
std::optional<Difference> padded_apart(const Problem& asked, const Problem& called) {
  const auto pads = asked.list("pads"), given = called.list("pads");
  const auto source = asked.dimensions("src"), padded = called.dimensions("src");
  if (pads.empty() || pads.size() != given.size() || source.size() != padded.size()) return {};
  const size_t spatial = pads.size() / 2;
  if (source.size() != spatial + 2 || pads == given) return {};
  for (size_t i = 0; i < spatial; ++i) {
    const int64_t before = pads[i] - given[i], behind = pads[spatial + i] - given[spatial + i];
    if (before < 0 || behind < 0 || padded[i + 2] != source[i + 2] + before + behind) return {};
  }
  return Difference{fmt::format("pads={}", asked.field("pads")),
                    fmt::format("pads={}, the source padded before the call", called.field("pads"))};
}

std::optional<Difference> other_pads(const Problem& asked, const Problem& called) {
  if (!asked.has("pads") || asked.list("pads") == called.list("pads")) return {};
  return Difference{fmt::format("pads={}", asked.field("pads")), fmt::format("pads={}", called.field("pads"))};
}

std::optional<Difference> smaller_batch(const Problem& asked, const Problem& called) {
  const auto source = asked.dimensions("src"), given = called.dimensions("src");
  if (asked.kind() == "matmul" || source.empty() || source.size() != given.size()) return {};
  if (given[0] >= source[0] || given[0] <= 0) return {};
  return Difference{fmt::format("a batch of {}", source[0]), fmt::format("batches of {}", given[0])};
}

/// The first that tells counts.
using Comparison = std::optional<Difference> (*)(const Problem& asked, const Problem& called);
constexpr Comparison kComparisons[] = {smaller_batch, padded_apart, other_pads, wider_type};

/// The only layer of the model with a problem of this kind that a layer of the trace ran.
const Layer* only_layer(const LayeredModel& model, const TraceLayer& ran, std::string_view kind) {
  const Layer* only = nullptr;
  for (const size_t index : ran.layers) {
    const Layer& layer = model.layers[index];
    if (!std::string_view(layer.problem).starts_with(std::string(kind) + " ")) continue;
    if (only != nullptr) return nullptr;
    only = &layer;
  }
  return only;
}

void find_other_problems(const EvaluationWork& work, const LayeredModel& model, std::vector<Inefficiency>* found) {
  const JoinedTrace& trace = *work.trace;
  FoldedInefficiencies folds;
  for (size_t i = 0; i < trace.calls.size(); ++i) {
    const TraceCall& call = trace.calls[i];
    if (!call.layer || !work.calls[i].computes()) continue;
    const auto called = Problem::parse(call.problem);
    if (!called) continue;
    const Layer* layer = only_layer(model, trace.layers[*call.layer], called->kind());
    const auto asked = layer == nullptr ? std::nullopt : Problem::parse(layer->problem);
    if (!asked) continue;
    for (const Comparison compare : kComparisons) {
      const auto difference = compare(*asked, *called);
      if (!difference) continue;
      Inefficiency one;
      one.kind = InefficiencyKind::kOtherArguments;
      one.trace_layer = call.layer;
      one.layer = trace.layers[*call.layer].name;
      one.expected = difference->expected;
      one.seen = difference->seen;
      one.evidence = fmt::format("call {} ({})", call.call_index, call.function);
      folds.add(one, work.calls[i].kind);
      break;
    }
  }
  folds.move_to(found);
}

}  // namespace

void find_other_arguments(const EvaluationWork& work, const LayeredModel* model, std::vector<Inefficiency>* found) {
  if (model != nullptr) find_other_problems(work, *model, found);
  find_converted_layouts(work, found);
  find_forbidden_matrix_units(work, found);
  find_forced_algorithm(work, found);
}

}  // namespace xsp::bound
