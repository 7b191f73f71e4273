/// Profiles of ONNX Runtime (SessionOptions.enable_profiling), 1.8 to 1.31:
///
///     [{"cat" : "Session","pid" :7,"tid" :9,"dur" :200,"ts" :2917,"ph" : "X","name" :"model_run","args" : {}},
///      {"cat" : "Node","pid" :7,"tid" :9,"dur" :119,"ts" :2931,"ph" : "X","name" :"conv1_kernel_time",
///       "args" : {"op_name" : "Conv","output_size" : "8192","output_type_shape" : [{"float":[1,8,16,16]}], …}}, …]
///
/// Times are whole microseconds from the start of the profile, rounded down. A file is of one session.
/// https://github.com/microsoft/onnxruntime: core/common/profiler.cc, core/framework/sequential_executor.cc.

#include <map>
#include <vector>

#include "collector/formats/ort_event.h"
#include "import/frame/importer.h"
#include "import/frame/trace_events.h"
#include "import/onnxruntime/kernel_events.h"

namespace xsp {
namespace {

using wire::Kind;
using wire::Level;

constexpr std::string_view kRun = "model_run";
constexpr std::string_view kNodeSuffix = "_kernel_time";
constexpr std::string_view kFenceSuffixes[] = {"_fence_before", "_fence_after"};
/// core/common/profiler.cc, global_max_num_events_.
constexpr uint64_t kMaxEvents = 1'000'000;
/// Begin and duration are rounded down, each by up to a microsecond.
constexpr int64_t kResolutionNs = 2000;

int recognise(std::string_view head) {
  if (first_character(head) != '[') return 0;
  const bool has_node = has_member(head, "cat", "Node");
  const bool has_session = has_member(head, "cat", "Session");
  if (!has_node && !has_session) return 0;
  return has_node && head.find("_kernel_time\"") != std::string_view::npos ? 95 : 80;
}

class OnnxRuntimeProfile {
 public:
  explicit OnnxRuntimeProfile(ProfileTimeline* timeline) : timeline_(timeline) {}

  void add(const OrtEvent& event) {
    ++events_;
    if (!event.begin_ns || !event.duration_ns) {
      timeline_->note("event without a time");
      return;
    }
    if (event.category == "Kernel") {
      add_kernel(event);
    } else if (event.category == "Node") {
      add_node(event);
    } else if (event.category == "Session" || event.category == "Api") {
      add_session_event(event);
    } else {
      timeline_->note("event of an unknown category");
    }
  }

  bool is_empty() const { return hosts_.empty() && kernels_.kernels().empty(); }

  /// Spans go to the timeline only now: runs first, so that of equal intervals they are the outer ones.
  void finish() {
    kernels_.finish();
    link_kernels();
    ImportedProcess& process = this->process();
    for (const bool runs : {true, false}) {
      for (const Host& host : hosts_) {
        if ((host.span.level == Level::kModel) == runs) process.add_span(process.thread(host.thread), host.span);
      }
    }
    for (const KernelEvents::Kernel& kernel : kernels_.kernels()) process.add_execution(kernel.execution);
    if (nodes_ != 0 && nodes_with_bytes_ == nodes_) process.know_bytes();
    timeline_->set_resolution(kResolutionNs);
    if (kernels_.start_us() != 0) timeline_->set_realtime_origin(kernels_.start_us() * 1000);
    add_notes();
  }

 private:
  struct Host {
    ImportedSpan span;
    uint32_t thread;
  };

  /// Kernels carry no process; each file is of a single one.
  ImportedProcess& process() {
    if (process_ == nullptr) process_ = &timeline_->process(0);
    return *process_;
  }

  ImportedProcess& process_of(const OrtEvent& event) {
    if (process_ == nullptr && event.process && *event.process >= 0) {
      process_ = &timeline_->process(static_cast<uint32_t>(*event.process));
    }
    return process();
  }

  void add_kernel(const OrtEvent& event) {
    if (event.name == "not_available_due_to_cupti_error") {
      timeline_->note("ONNX Runtime could not use CUPTI: its kernels are missing");
      return;
    }
    // The process is that of the first host event, which precedes all kernels of a file.
    kernels_.add_kernel(event, process());
  }

  void add_node(const OrtEvent& event) {
    std::string_view name = event.name;
    for (const std::string_view suffix : kFenceSuffixes) {
      if (!name.ends_with(suffix)) continue;
      ++fences_;
      return;
    }
    if (!name.ends_with(kNodeSuffix)) {
      timeline_->note("node's event of an unknown kind");
      return;
    }
    name.remove_suffix(kNodeSuffix.size());
    ImportedProcess& process = process_of(event);
    ImportedSpan span;
    span.level = Level::kLayer;
    span.kind = Kind::kOrtNode;
    span.name = process.text(name);
    span.type = process.text(event.op_name);
    span.shape = process.text(event.outputs.shapes);
    const std::string& inputs = event.inputs.arguments;
    const std::string& outputs = event.outputs.arguments;
    if (!inputs.empty() || !outputs.empty()) {
      span.arguments = process.add_arguments({.inputs = inputs, .outputs = outputs});
    }
    ++nodes_;
    if (const auto bytes = event.output_bytes; bytes && *bytes >= 0) {
      span.bytes = static_cast<uint64_t>(*bytes);
      ++nodes_with_bytes_;
    }
    ++nodes_of_provider_[event.provider];
    add_host(event, process, span);
  }

  void add_session_event(const OrtEvent& event) {
    ImportedProcess& process = process_of(event);
    ImportedSpan span;
    if (event.name == kRun) {
      span.level = Level::kModel;
      span.kind = Kind::kRun;
    } else {
      span.kind = Kind::kAnnotation;
    }
    span.name = process.text(event.name);
    add_host(event, process, span);
  }

  void add_host(const OrtEvent& event, ImportedProcess& process, ImportedSpan span) {
    span.begin_ns = *event.begin_ns;
    span.end_ns = event.end_ns();
    // A file is of one session: its nodes may run on their own threads.
    if (span.level != Level::kApplication) span.scope = process.text(kRun);
    kernels_.add_host_event(event, hosts_.size());
    hosts_.push_back({span, static_cast<uint32_t>(event.thread.value_or(0))});
  }

  void link_kernels() {
    uint32_t correlations = 0;
    for (KernelEvents::Kernel& kernel : kernels_.kernels()) {
      if (kernel.host == SIZE_MAX) continue;
      uint32_t& correlation = hosts_[kernel.host].span.correlation;
      if (correlation == 0) correlation = ++correlations;
      kernel.execution.correlation = correlation;
    }
  }

  void add_notes() {
    for (const auto& [provider, nodes] : nodes_of_provider_) {
      if (!provider.empty()) timeline_->note(provider + " ran " + std::to_string(nodes) + " nodes", 0);
    }
    if (fences_ != 0) timeline_->note(std::to_string(fences_) + " events of fences were left out", 0);
    if (nodes_with_bytes_ != 0 && nodes_with_bytes_ != nodes_) {
      timeline_->note("nodes without an output size: memory is not known", nodes_ - nodes_with_bytes_);
    }
    if (!kernels_.kernels().empty()) {
      timeline_->note("ONNX Runtime tells the node of a kernel, but no launch and no device", 0);
    }
    if (events_ >= kMaxEvents) timeline_->note("ONNX Runtime stops recording at a million events a session", 0);
  }

  ProfileTimeline* timeline_;
  ImportedProcess* process_ = nullptr;
  KernelEvents kernels_;
  std::vector<Host> hosts_;
  std::map<std::string, uint64_t> nodes_of_provider_;
  uint64_t events_ = 0;
  uint64_t nodes_ = 0;
  uint64_t nodes_with_bytes_ = 0;
  uint64_t fences_ = 0;
};

Status read(ProfileInput& input, ProfileTimeline* timeline) {
  TraceEvents events(input, {"[]"});
  OnnxRuntimeProfile profile(timeline);
  OrtEvent event;
  while (events.next_taken([&](std::string_view text) { return read_ort_event(text, &event); })) profile.add(event);
  if (!profile.is_empty()) profile.finish();
  return events.finish(!profile.is_empty(), "an ONNX Runtime profile", timeline);
}

}  // namespace

const Importer kOnnxRuntimeImporter = {
    "onnxruntime",
    "ONNX Runtime's profile (SessionOptions.enable_profiling)",
    recognise,
    read,
};

}  // namespace xsp
