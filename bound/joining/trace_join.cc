#include "bound/joining/trace_join.h"

#include <fmt/format.h>

#include "analysis/cli/exit_code.h"
#include "analysis/trace/loader.h"
#include "base/text_encoding.h"
#include "bound/joining/fused_join.h"
#include "bound/joining/join_check.h"
#include "bound/joining/join_notes.h"
#include "bound/joining/join_subject.h"
#include "bound/joining/layer_join.h"
#include "bound/joining/module_join.h"
#include "bound/joining/name_join.h"
#include "bound/joining/sequence_join.h"
#include "bound/joining/tensor_shapes.h"
#include "bound/joining/trace_calls.h"
#include "bound/joining/trace_facts.h"

namespace xsp::bound {
namespace {

using analysis::AnalysedTrace;

std::string first_path(const AnalysedTrace& trace) {
  return trace.trace.files.empty() ? "the trace" : trace.trace.files.front().path;
}

/// Fills the layers of `joined` and, the other way round, of the model.
void join_layers_of(const JoinSubject& subject, JoinedTrace* joined) {
  LayerJoin join(*subject.model, &joined->layers);
  // Names of PyTorch's layers are those of modules, not of nodes.
  if (subject.framework != "pytorch") join_by_name(subject, &join);
  join_by_module(subject, &join);
  join_biases(subject, &join);
  // Products first: then it is known which additions are their biases, and no layers.
  join_by_sequence(subject, SequenceOf::kHeavy, &join);
  join_biases(subject, &join);
  join_by_sequence(subject, SequenceOf::kAll, &join);
  join_fused(subject, &join);
  join.finish();
  joined->trace_layer_of.assign(join.modelled(), kNoLayer);
  for (size_t i = 0; i < join.modelled(); ++i) joined->trace_layer_of[i] = join.owner(i);
}

}  // namespace

Status read_trace(const std::vector<std::string>& paths, const std::string& model, AnalysedTrace* trace) {
  Status status = analysis::load_paths(paths, {}, &trace->trace);
  if (!status.ok()) {
    if (status.exit_code == 0) status.exit_code = analysis::kBadInput;
    return status;
  }
  analysis::StudyOptions study;
  study.model = model;
  status = analysis::analyse({}, study, trace);
  if (!status.ok() && status.exit_code == 0) status.exit_code = analysis::kUsage;
  return status;
}

std::vector<std::vector<int64_t>> input_shapes_of(const AnalysedTrace& trace) {
  if (!trace.study || !trace.study->subject) return {};
  return shapes_in(trace.trace.text(trace.evaluations.groups[*trace.study->subject].input));
}

Status join_trace(const AnalysedTrace& trace, const LayeredModel& model, const std::vector<FusedGroup>& groups,
                  JoinedTrace* joined) {
  const std::string path = message_text(first_path(trace));
  if (!trace.study || !trace.study->subject) {
    return {path + " has no calls of a model: there is nothing to compare a model with",
            "xsp-report shows what it has; xsp-run -- COMMAND records the calls of a model", analysis::kBadInput};
  }
  if (trace.study->joined.layers.empty() && trace.study->library_calls.calls.empty()) {
    return {path + " has neither layers nor library calls: there is nothing to compare a model with",
            "record it without --level model (xsp-run -- COMMAND)", analysis::kBadInput};
  }
  *joined = facts_of(trace);
  const JoinSubject subject = join_subject(trace, model, groups, *joined);
  join_layers_of(subject, joined);
  if (Status status = check_join(subject, *joined, input_shapes_of(trace)); !status.ok()) return status;
  joined->notes = join_notes(subject, *joined);
  add_calls(trace, joined);
  return {};
}

}  // namespace xsp::bound
