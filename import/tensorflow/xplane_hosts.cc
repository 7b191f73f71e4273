#include "import/tensorflow/xplane_hosts.h"

#include <algorithm>
#include <string_view>

namespace xsp {
namespace {

using wire::Kind;
using wire::Level;

constexpr std::string_view kSteps = "steps";
/// The pool's own bookkeeping (tsl/profiler/backends/cpu/threadpool_listener.cc, thunk_executor.cc): marks without a
/// meaningful duration.
constexpr std::string_view kMarks[] = {"ThreadpoolListener::", "end: "};
constexpr std::string_view kFunction = "PjitFunction(";
constexpr std::string_view kSessionCalls[] = {"SessionRun", "FunctionRun", "TfrtModelRun"};

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// A TensorFlow node as tsl/profiler/utils/tf_op_utils.cc recognises one: name and type around the only colon.
bool split_node(std::string_view text, std::string_view* name, std::string_view* type) {
  const size_t colon = text.find(':');
  if (colon == std::string_view::npos || colon == 0 || colon + 1 == text.size()) return false;
  *name = text.substr(0, colon);
  *type = text.substr(colon + 1);
  const auto in_name = [](char c) {
    return is_letter(c) || is_digit(c) || std::string_view("_.\\/>-").find(c) != std::string_view::npos;
  };
  const auto in_type = [](char c) { return is_letter(c) || is_digit(c) || c == '_'; };
  const char first = (*type)[0];
  return (is_letter((*name)[0]) || is_digit((*name)[0]) || (*name)[0] == '.') &&
         ((first >= 'A' && first <= 'Z') || first == '_') && std::all_of(name->begin(), name->end(), in_name) &&
         std::all_of(type->begin(), type->end(), in_type);
}

/// "dot" of "dot.12".
std::string_view type_of_operation(std::string_view name) {
  const size_t dot = name.rfind('.');
  const bool is_numbered = dot != std::string_view::npos && dot != 0 && dot + 1 != name.size() &&
                           std::all_of(name.begin() + static_cast<ptrdiff_t>(dot) + 1, name.end(), is_digit);
  return is_numbered ? name.substr(0, dot) : name;
}

bool is_mark(std::string_view name) {
  return std::any_of(std::begin(kMarks), std::end(kMarks),
                     [&](std::string_view mark) { return name.starts_with(mark); });
}

bool is_call(std::string_view name) {
  return name.starts_with(kFunction) ||
         std::find(std::begin(kSessionCalls), std::end(kSessionCalls), name) != std::end(kSessionCalls);
}

}  // namespace

void XplaneHosts::add_plane(const XPlane& plane, uint32_t process, uint64_t* damaged, uint64_t* aggregated) {
  ImportedProcess& to = timeline_->process(process);
  for (const XLine& line : plane.lines()) {
    const uint32_t thread = to.thread(static_cast<uint32_t>(line.id));
    plane.read_events(
        line, [&](const XEvent& event) { add_event(event, to, thread); }, damaged, aggregated);
  }
}

void XplaneHosts::add_event(const XEvent& event, ImportedProcess& process, uint32_t thread) {
  if (is_mark(event.name)) {
    ++marks_;
    return;
  }
  first_ns_ = std::min(first_ns_, event.begin_ns);
  ++spans_;
  ImportedSpan span;
  span.begin_ns = event.begin_ns;
  span.end_ns = event.end_ns;
  std::string_view name = event.name;
  std::string_view node;
  std::string_view type;
  if (!event.text("hlo_op").empty()) {
    add_operation(event, process, thread, span);
    return;
  }
  if (const auto correlation = event.integer("correlation_id"); correlation && *correlation > 0) {
    const bool is_runtime = name.starts_with("cuda");
    span.level = Level::kRuntime;
    span.kind = is_runtime ? Kind::kRuntimeCall : Kind::kDriverCall;
    span.type = process.text(is_runtime ? "cudart" : "cuda");
    span.correlation = static_cast<uint32_t>(*correlation);
  } else if (event.find("step_num") != nullptr) {
    span.level = Level::kModel;
    span.kind = Kind::kAnnotation;
    span.scope = process.text(kSteps);
    has_steps_ = true;
  } else if (name.starts_with('$')) {
    name.remove_prefix(1);
    span.kind = Kind::kPythonFunction;
  } else if (split_node(name, &node, &type)) {
    name = node;
    span.kind = Kind::kOperator;
    span.type = process.text(type);
  } else {
    span.kind = Kind::kAnnotation;
  }
  span.name = process.text(name);
  const ImportedSpanId id = process.add_span(thread, span);
  if (span.level == Level::kApplication && span.kind == Kind::kAnnotation && is_call(name))
    calls_.push_back({process.pid(), id});
}

void XplaneHosts::add_operation(const XEvent& event, ImportedProcess& process, uint32_t thread, ImportedSpan span) {
  span.level = Level::kLayer;
  span.kind = Kind::kOperator;
  span.name = process.text(event.text("hlo_op"));
  span.type = process.text(type_of_operation(event.text("hlo_op")));
  span.scope = process.text(kSteps);
  const ImportedSpanId id = process.add_span(thread, span);
  const auto run = event.integer("run_id");
  const std::string_view program = event.text("hlo_module");
  if (!run || program.empty()) return;
  const auto [found, added] =
      runs_.try_emplace({process.pid(), std::string(program), event.integer("device_ordinal").value_or(0), *run},
                        Run{span.begin_ns, span.end_ns, {}});
  found->second.begin_ns = std::min(found->second.begin_ns, span.begin_ns);
  found->second.end_ns = std::max(found->second.end_ns, span.end_ns);
  found->second.operations.push_back(id);
}

void XplaneHosts::finish(bool has_kernels) {
  if (marks_ != 0) timeline_->note(std::to_string(marks_) + " marks of XLA's thread pool were left out", 0);
  if (has_steps_) return;
  if (has_kernels) {
    for (const Call& call : calls_) {
      ImportedSpan& span = timeline_->process(call.process).span(call.span);
      span.level = Level::kModel;
      span.kind = Kind::kRun;
    }
    if (!calls_.empty()) timeline_->note("no step was marked: calls of compiled functions stand for models", 0);
    return;
  }
  for (const auto& [key, run] : runs_) {
    const auto& [pid, program, device, number] = key;
    ImportedProcess& process = timeline_->process(pid);
    ImportedSpan span;
    span.begin_ns = run.begin_ns;
    span.end_ns = run.end_ns;
    span.level = Level::kModel;
    span.kind = Kind::kRun;
    span.name = process.text(program);
    // The same for all runs of a program, which are calls of one model.
    span.scope = process.text(device == 0 ? program : program + " on device " + std::to_string(device));
    for (const ImportedSpanId operation : run.operations) process.span(operation).scope = span.scope;
    process.add_span(process.thread(0), span);
  }
  if (!runs_.empty()) {
    timeline_->note("no step was marked: a run is from the begin of its first operation to the end of its last one", 0);
  }
}

}  // namespace xsp
