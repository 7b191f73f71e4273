#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/study/analysed_trace.h"
#include "test/catch.h"

namespace xsp::bound::test {

using analysis::Kind;
using analysis::Level;

/// A layer of a made trace. Its latencies by call of the model, the last one for all further calls.
struct MadeLayer {
  std::string name;
  std::string type;
  std::string shape = {};
  std::vector<int64_t> us = {100};
  Kind kind = Kind::kUnspecified;  // else that of the framework
};

struct MadeRun {
  Kind root = Kind::kOrtRun;
  Kind layer = Kind::kOrtNode;
  std::string root_type = "";
  std::string model = "model.onnx";
  std::string input = "[1,3,8,8]";
  std::vector<MadeLayer> layers = {};
  size_t calls = 4;
  std::vector<std::pair<std::string, std::string>> environment = {};
};

inline MadeRun pytorch_run(std::vector<MadeLayer> layers) {
  MadeRun run;
  run.root = Kind::kTorchRoot;
  run.layer = Kind::kTorchModule;
  run.model = "Net";
  run.layers = std::move(layers);
  return run;
}

inline MadeRun onnxruntime_run(std::vector<MadeLayer> layers) {
  MadeRun run;
  run.layers = std::move(layers);
  return run;
}

/// A trace of a program that called a model several times, analysed.
class MadeTrace {
 public:
  explicit MadeTrace(const MadeRun& run) {
    analysis::Trace& trace = made_.trace;
    trace.files.push_back({.path = "run.pb"});
    trace.segments.push_back({.has_header = true, .producer = "test", .ended = true, .complete = true});
    analysis::Process process;
    process.pid = 10;
    process.said_hello = true;
    process.environment = run.environment;
    trace.processes.push_back(process);
    trace.tracks.push_back({.process = 0, .thread = 100, .ring = 0});
    for (size_t call = 0; call < run.calls; ++call) add_call(run, call);
    const Status status = analysis::analyse({}, {}, &made_);
    INFO(status.error);
    REQUIRE(status.ok());
  }

  const analysis::AnalysedTrace& operator*() const { return made_; }

 private:
  void add_call(const MadeRun& run, size_t call) {
    const uint32_t root = ++last_id_;
    const int64_t begin = now_;
    now_ += 1000;
    for (const MadeLayer& layer : run.layers) {
      const int64_t ns = 1000 * layer.us[std::min(call, layer.us.size() - 1)];
      const Kind kind = layer.kind == Kind::kUnspecified ? run.layer : layer.kind;
      add_span(layer.name, layer.type, layer.shape, "", Level::kLayer, kind, now_, now_ + ns, ++last_id_, root);
      now_ += ns + 1000;
    }
    add_span(run.model, run.root_type, "", run.input, Level::kModel, run.root, begin, now_, root, 0);
    now_ += 100'000;
  }

  void add_span(const std::string& name, const std::string& type, const std::string& shape, const std::string& input,
                Level level, Kind kind, int64_t begin, int64_t end, uint32_t id, uint32_t parent) {
    analysis::Trace& trace = made_.trace;
    analysis::SpanTable& spans = trace.spans;
    const size_t row = spans.size();
    spans.resize(row + 1);
    spans.begin[row] = begin;
    spans.end[row] = end;
    spans.bytes[row] = analysis::SpanTable::kUnknownBytes;
    spans.name[row] = trace.strings.intern(name);
    spans.type[row] = trace.strings.intern(type);
    spans.shape[row] = trace.strings.intern(shape);
    spans.input[row] = trace.strings.intern(input);
    spans.id[row] = id;
    spans.parent[row] = parent;
    spans.level[row] = level;
    spans.kind[row] = kind;
    ++trace.processes[0].spans;
    ++trace.segments[0].spans;
  }

  analysis::AnalysedTrace made_;
  int64_t now_ = 1'000'000;
  uint32_t last_id_ = 0;
};

}  // namespace xsp::bound::test
