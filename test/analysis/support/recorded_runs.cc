#include "test/analysis/support/recorded_runs.h"

namespace xsp::test {
namespace {

constexpr int64_t kUs = 1000;

class Recorder {
 public:
  explicit Recorder(const RecordedRun& run) : run_(run) {}

  std::string bytes() {
    if (!run_.by_itself) {
      builder_.describe_run(run_.index, run_.level, 1, run_.parameters);
      header().mutable_run()->set_set(run_.set);
    }
    header().set_requested_level(run_.level);
    if (!run_.counted.empty()) {
      header().set_counted(true);
      header().mutable_run()->set_purpose(ExperimentRun::COUNTERS);
    }
    const uint32_t process = builder_.add_process(100 + run_.index, run_.rank);
    for (const std::string& word : run_.command) builder_.packet(process)->mutable_hello()->add_command(word);
    int64_t at = 1000;
    for (const RecordedEvaluation& evaluation : run_.evaluations) {
      at = add(evaluation, at) + 5000;
    }
    if (!kernels_.empty()) builder_.add_executions(kernels_);
    if (!run_.counted.empty()) count();
    return builder_.bytes();
  }

 private:
  TraceHeader& header() { return *builder_.message().mutable_packet(0)->mutable_header(); }

  bool records(const std::string& level) const {
    const auto depth = [](const std::string& of) {
      return of == "model" ? 0 : of == "layer" ? 1 : of == "library" ? 2 : 3;
    };
    return depth(run_.level) >= depth(level);
  }

  void add_span(int level, int kind, uint32_t id, uint32_t parent, int64_t begin, int64_t end, const std::string& name,
                const std::string& type) {
    SpanSpec span{.begin = begin * kUs, .end = end * kUs, .id = id, .parent = parent};
    span.level = level;
    span.kind = kind;
    span.name = name;
    span.type = type;
    if (level == LEVEL_MODEL) span.input = run_.input;
    if (level == LEVEL_MODEL) span.scope = run_.scope;
    builder_.add(span);
  }

  /// Returns the end of the evaluation.
  int64_t add(const RecordedEvaluation& evaluation, int64_t begin) {
    const uint32_t root = next_id_++;
    int64_t at = begin;
    for (const RecordedLayer& layer : evaluation) {
      if (records("layer")) add(layer, root, at);
      at += layer.us;
    }
    add_span(LEVEL_MODEL, KIND_TORCH_ROOT, root, 0, begin, at + run_.own_us, "Net", "");
    return at + run_.own_us;
  }

  /// Library calls follow one another from the begin of the layer, kernels are at its end.
  void add(const RecordedLayer& layer, uint32_t root, int64_t begin) {
    const uint32_t id = next_id_++;
    int64_t at = begin;
    for (const RecordedCall& call : layer.calls) {
      if (records("library")) {
        add_span(LEVEL_LIBRARY, KIND_LIBRARY_CALL, next_id_++, id, at, at + call.us, call.function, "cublas");
      }
      at += call.us;
    }
    int64_t end = begin + layer.us;
    for (auto kernel = layer.kernels.rbegin(); kernel != layer.kernels.rend() && records("kernel"); ++kernel) {
      end -= kernel->us;
      pending_.push_back({end, *kernel});
    }
    for (; !pending_.empty(); pending_.pop_back()) {
      const auto& [start, kernel] = pending_.back();
      const uint32_t launch = next_id_++;
      add_span(LEVEL_RUNTIME, KIND_RUNTIME_CALL, launch, id, begin, begin + 1, "cudaLaunchKernel", "cudart");
      ExecutionSpec execution{.begin = (start + kernel.delay_us) * kUs,
                              .end = (start + kernel.delay_us + kernel.us) * kUs};
      execution.name = kernel.name;
      execution.launch = launch;
      execution.correlation = launch;
      kernels_.push_back(execution);
    }
    const bool conv = layer.name.find("conv") != std::string::npos;
    add_span(LEVEL_LAYER, KIND_TORCH_MODULE, id, root, begin, begin + layer.us, layer.name, conv ? "Conv" : "Other");
  }

  void count() {
    const uint32_t flops = builder_.string_id(1, "flop_count_sp");
    const uint32_t reads = builder_.string_id(1, "dram_read_bytes");
    const uint32_t writes = builder_.string_id(1, "dram_write_bytes");
    std::vector<uint32_t> names;
    for (const std::string& name : run_.counted) names.push_back(builder_.string_id(1, name));
    CounterBatch* batch = builder_.packet(1)->mutable_counters();
    batch->add_metric(flops);
    batch->add_metric(reads);
    batch->add_metric(writes);
    batch->set_count(static_cast<uint32_t>(names.size()));
    for (size_t i = 0; i < names.size(); ++i) {
      batch->add_name(names[i]);
      batch->add_ordinal(i == 0 ? 0 : 1);
      batch->add_value(1000.0 * static_cast<double>(i + 1));
      batch->add_value(64.0 * static_cast<double>(i + 1));
      batch->add_value(32.0 * static_cast<double>(i + 1));
    }
  }

  const RecordedRun& run_;
  TraceBuilder builder_;
  uint32_t next_id_ = 1;
  std::vector<std::pair<int64_t, RecordedKernel>> pending_;  // the last one is launched first
  std::vector<ExecutionSpec> kernels_;
};

}  // namespace

std::string record(const RecordedRun& run) { return Recorder(run).bytes(); }

}  // namespace xsp::test
