/// Loading a trace and computing all tables: time and memory for 10 M spans, against the goals of doc/analysis.md.
///
///     analysis_bench [SPANS] [torch|ort|kernels|metrics|operators]
///
/// kernels: of PyTorch, a third of the spans are kernels; metrics: the same, and what each of them did is known.
/// operators: of PyTorch in training, two thirds of the spans are operators, half of them backward work with its links.

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "analysis/study/study.h"
#include "analysis/tables/registry.h"
#include "analysis/timeline/span_roles.h"
#include "analysis/trace/loader.h"
#include "analysis/work/metric_source.h"
#include "test/bench/made_trace.h"

namespace {

using xsp::bench::Content;
using xsp::bench::MadeTrace;

constexpr double kGoalSeconds = 5;
constexpr double kGoalMiB = 1536;
xsp::analysis::Metrics made_up_metrics(const xsp::analysis::Trace& trace) {
  xsp::analysis::Metrics metrics{.source = xsp::analysis::MetricSource::kAnalytic};
  metrics.of.resize(trace.executions.size());
  for (size_t i = 0; i < metrics.of.size(); ++i) {
    if (i % 10 == 0) continue;
    xsp::analysis::KernelMetrics& own = metrics.of[i];
    own.flops = own.algorithmic_flops = static_cast<double>(1000 * (trace.spans.name[trace.executions.row[i]] % 7));
    own.dram_read_bytes = own.dram_write_bytes = 4096;
    own.type = i % 3 == 0 ? xsp::analysis::DataType::kF32 : xsp::analysis::DataType::kF16Tensor;
    own.source = metrics.source;
  }
  return metrics;
}

double seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

/// In a child, so that the writer's memory does not count.
bool generate(const std::string& path, uint64_t spans, Content content) {
  const pid_t child = fork();
  if (child == 0) {
    MadeTrace(path, content).write(spans);
    _exit(0);
  }
  int status = 0;
  return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

}  // namespace

int main(int argc, char** argv) {
  const uint64_t spans = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 10'000'000;
  const std::string_view wanted = argc > 2 ? argv[2] : "torch";
  const Content content = wanted == "ort"         ? Content::kOrt
                          : wanted == "kernels"   ? Content::kKernels
                          : wanted == "metrics"   ? Content::kMetrics
                          : wanted == "operators" ? Content::kOperators
                                                  : Content::kTorch;
  const char* folder = std::getenv("TMPDIR");
  const std::string path =
      std::string(folder == nullptr ? "/tmp" : folder) + "/analysis_bench-" + std::to_string(getpid()) + ".pb";
  if (!generate(path, spans, content)) return 1;

  const double start = seconds();
  xsp::analysis::Trace trace;
  const xsp::Status status = xsp::analysis::load_path(path, &trace);
  const double loaded = seconds();
  xsp::analysis::Parents parents = xsp::analysis::find_parents(trace);
  xsp::analysis::SpanRoles roles;
  if (!xsp::analysis::assign_span_roles({}, &parents, &trace, &roles).ok()) return 1;
  const double linked = seconds();
  const xsp::analysis::Evaluations evaluations = xsp::analysis::find_evaluations(trace, parents, roles.phases);
  const xsp::analysis::Executions executions = xsp::analysis::place_executions(trace, parents, evaluations);
  const double grouped = seconds();
  xsp::analysis::CounterJoin counters;
  xsp::analysis::Metrics metrics = content == Content::kMetrics
                                       ? made_up_metrics(trace)
                                       : xsp::analysis::make_metrics(trace, parents, executions, &counters);
  const double measured = seconds();
  xsp::analysis::StudyOptions options;
  options.peaks.gpu = "V100";
  std::optional<xsp::analysis::Study> study;
  const bool studied =
      status.ok() &&
      xsp::analysis::make_study(trace, parents, evaluations, executions, options, &study, std::move(metrics)).ok();
  const double joined = seconds();
  std::vector<const xsp::analysis::TableDefinition*> chosen;
  size_t rows = 0;
  if (studied && xsp::analysis::choose_analyses({"all"}, &chosen).ok()) {
    for (const xsp::analysis::TableDefinition* analysis : chosen) {
      if (analysis->has_several != nullptr && !analysis->has_several(*study)) continue;
      rows += analysis->compute(*study).rows.size();
    }
  }
  const double done = seconds();
  double of_kernels = 0;
  for (const char* id : {"A8", "A9", "A10", "A11", "A12", "A14", "A15"}) {
    chosen.clear();
    if (!studied || !xsp::analysis::choose_analyses({id}, &chosen).ok()) continue;
    const double before = seconds();
    const bool rows_there = !chosen.front()->compute(*study).rows.empty();
    of_kernels += seconds() - before;
    if (rows_there != (content == Content::kKernels || content == Content::kMetrics)) return 1;
  }
  unlink(path.c_str());

  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  const double mib = static_cast<double>(usage.ru_maxrss) / 1024;
  std::printf("%zu spans (%zu executions), %s, %.1f bytes a span in the file, %zu rows of tables\n", trace.spans.size(),
              trace.executions.size(), content == Content::kOrt ? "ONNX Runtime" : "PyTorch",
              static_cast<double>(trace.files[0].bytes) / static_cast<double>(trace.spans.size()), rows);
  std::printf(
      "load %.4f s, parents %.4f s, evaluations %.4f s, metrics %.4f s, joins %.4f s, tables %.4f s (of kernels %.4f "
      "s)\n",
      loaded - start, linked - loaded, grouped - linked, measured - grouped, joined - measured, done - joined,
      of_kernels);
  std::printf("total %.4f s (goal %.0f s: %.2f of it), peak %.0f MiB (goal %.0f MiB: %.2f of it)\n", done - start,
              kGoalSeconds, (done - start) / kGoalSeconds, mib, kGoalMiB, mib / kGoalMiB);
  return studied ? 0 : 1;
}
