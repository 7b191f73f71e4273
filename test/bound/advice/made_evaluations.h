#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/study/analysed_trace.h"
#include "bound/advice/inefficiency.h"
#include "bound/joining/trace_calls.h"
#include "bound/joining/trace_facts.h"
#include "test/catch.h"

namespace xsp::bound::test {

/// Values of a call's arguments: texts by name, numbers as they are.
using MadeArguments = std::vector<std::pair<std::string, std::string>>;

/// A trace of calls of a model on one thread and one stream, put together span by span. Times in µs.
class MadeEvaluations {
 public:
  MadeEvaluations() {
    trace_.processes.emplace_back().pid = 1;
    trace_.processes.back().said_hello = true;
    trace_.segments.emplace_back().has_header = true;
    trace_.files.emplace_back();
    trace_.tracks = {{.process = 0, .thread = 1, .ring = 0}, {.process = 0, .thread = 0, .ring = 0}};
    trace_.queues.push_back({.process = 0, .device = 0, .context = 1, .stream = 7});
    strings_.define(0, 0);
  }

  /// Calls of the model, each made of what `body` adds.
  MadeEvaluations& calls(size_t count, const std::function<void(MadeEvaluations&)>& body) {
    for (size_t i = 0; i < count; ++i) span(analysis::Level::kModel, analysis::Kind::kTorchRoot, "Net", "", 20, body);
    return *this;
  }
  MadeEvaluations& layer(const std::string& name, const std::string& type,
                         const std::function<void(MadeEvaluations&)>& body = {}) {
    return span(analysis::Level::kLayer, analysis::Kind::kTorchModule, name, type, 5, body);
  }
  MadeEvaluations& call(const std::string& library, const std::string& function, int64_t us,
                        const MadeArguments& arguments = {}, const std::function<void(MadeEvaluations&)>& body = {}) {
    span(analysis::Level::kLibrary, analysis::Kind::kLibraryCall, function, library, us, body);
    if (!arguments.empty()) add_arguments(arguments);
    return *this;
  }
  /// An operator of a framework, by what it reads: "f32[8,512];f32[1024,512];f32[1024]".
  MadeEvaluations& operation(const std::string& name, const std::string& inputs,
                             const std::function<void(MadeEvaluations&)>& body) {
    span(analysis::Level::kApplication, analysis::Kind::kOperator, name, "", 1, body);
    trace_.spans.input.back() = trace_.strings.intern(inputs);
    return *this;
  }
  MadeEvaluations& runtime(const std::string& function, int64_t us) {
    return span(analysis::Level::kRuntime, analysis::Kind::kRuntimeCall, function, "cudart", us, {});
  }
  /// Launched by a call of its own, which takes 2 µs, and run behind the one before it.
  MadeEvaluations& kernel(const std::string& name, int64_t us) {
    runtime("cudaLaunchKernel", 2);
    const uint32_t launch = next_id_ - 1;
    device_ns_ = std::max(device_ns_, now_ns_);
    executions_.push_back({name, device_ns_, device_ns_ + us * 1000, launch});
    device_ns_ += us * 1000;
    return *this;
  }
  /// Waits for the device.
  MadeEvaluations& synchronize() {
    const int64_t waited = std::max<int64_t>(device_ns_ - now_ns_, 0) / 1000 + 1;
    return runtime("cudaStreamSynchronize", waited);
  }
  MadeEvaluations& pause(int64_t us) {
    now_ns_ += us * 1000;
    return *this;
  }
  MadeEvaluations& device(const std::string& name, uint32_t capability) {
    analysis::Device& device = trace_.devices.emplace_back();
    device.name = name;
    device.compute_capability_major = capability;
    return *this;
  }

  /// What is found, by `model` where there is one.
  std::vector<Inefficiency> found(const LayeredModel* model = nullptr,
                                  const std::function<void(JoinedTrace&)>& join = {}) {
    add_executions();
    analysed_.trace = std::move(trace_);
    REQUIRE(analysis::analyse({}, {}, &analysed_).ok());
    joined_ = facts_of(analysed_);
    if (joined_.calls.empty()) add_calls(analysed_, &joined_);
    if (join) join(joined_);
    return find_inefficiencies(joined_, model);
  }
  const JoinedTrace& joined() const { return joined_; }

 private:
  struct MadeExecution {
    std::string name;
    int64_t begin_ns, end_ns;
    uint32_t launch;
  };

  MadeEvaluations& span(analysis::Level level, analysis::Kind kind, const std::string& name, const std::string& type,
                        int64_t us, const std::function<void(MadeEvaluations&)>& body) {
    const uint32_t id = next_id_++, parent = parent_;
    const int64_t begin = now_ns_;
    parent_ = id;
    if (body) body(*this);
    parent_ = parent;
    now_ns_ += us * 1000;
    analysis::SpanTable& spans = trace_.spans;
    const analysis::Row row = add_row(level, kind, name, begin, now_ns_);
    spans.type[row] = trace_.strings.intern(type);
    spans.id[row] = id;
    spans.parent[row] = parent;
    now_ns_ += 100;
    return *this;
  }

  analysis::Row add_row(analysis::Level level, analysis::Kind kind, const std::string& name, int64_t begin,
                        int64_t end) {
    analysis::SpanTable& spans = trace_.spans;
    const auto row = static_cast<analysis::Row>(spans.size());
    spans.resize(row + 1);
    spans.begin[row] = begin;
    spans.end[row] = end;
    spans.bytes[row] = analysis::SpanTable::kUnknownBytes;
    spans.name[row] = trace_.strings.intern(name);
    spans.level[row] = level;
    spans.kind[row] = kind;
    return row;
  }

  void add_arguments(const MadeArguments& arguments) {
    std::string layout, values;
    for (const auto& [name, value] : arguments) {
      const bool is_number = !value.empty() && value.find_first_not_of("0123456789") == std::string::npos;
      layout += (layout.empty() ? "" : " ") + name + (is_number ? ":i8" : ":s4");
      if (is_number) {
        const int64_t number = std::stoll(value);
        values.append(reinterpret_cast<const char*>(&number), sizeof number);
      } else {
        const uint32_t id = ++texts_;
        strings_.define(id, trace_.strings.intern(value));
        values.append(reinterpret_cast<const char*>(&id), sizeof id);
      }
    }
    uint64_t missing = 0;
    const uint32_t entry =
        trace_.arguments.add(trace_.strings.intern(layout), values, trace_.strings, strings_, &missing);
    trace_.spans.arguments.resize(trace_.spans.size());
    trace_.spans.arguments.back() = entry + 1;
  }

  void add_executions() {
    analysis::ExecutionTable& table = trace_.executions;
    for (const MadeExecution& execution : executions_) {
      const analysis::Row row = add_row(analysis::Level::kDevice, analysis::Kind::kKernel, execution.name,
                                        execution.begin_ns, execution.end_ns);
      trace_.spans.track[row] = 1;
      table.resize(table.size() + 1);
      table.row.back() = row;
      table.launch.back() = {.ring = 1, .id = execution.launch};
    }
  }

  analysis::Trace trace_;
  analysis::AnalysedTrace analysed_;
  JoinedTrace joined_;
  analysis::ProcessStrings strings_;
  std::vector<MadeExecution> executions_;
  int64_t now_ns_ = 1'000'000, device_ns_ = 0;
  uint32_t next_id_ = 1, parent_ = 0, texts_ = 0;
};

/// The kinds that were found, each with its count and its layers: "extra_call x2: 2 convolutions".
inline std::vector<std::string> summaries(const std::vector<Inefficiency>& found) {
  std::vector<std::string> texts;
  for (const Inefficiency& one : found) {
    texts.push_back(std::string(name_of(one.kind)) + " x" + std::to_string(one.count) + ": " + one.layer);
  }
  return texts;
}

}  // namespace xsp::bound::test
