/// What an export of traces costs by itself: its time, its size, and the memory it takes beside that of the traces.
///
///     export_bench FORMAT[=FILE] TRACE...        without a file, to /dev/null

#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <string>

#include "analysis/export/exporter.h"
#include "analysis/trace/loader.h"

namespace {

double seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

double cpu_seconds() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

double peak_mib() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace xsp::analysis;
  if (argc < 3) return 2;
  const std::string request = argv[1];
  const size_t equals = request.find('=');
  const Exporter* exporter = find_exporter(request.substr(0, equals));
  if (exporter == nullptr || exporter->write == nullptr) return 2;
  AnalysedTrace analysed;
  for (int i = 2; i < argc; ++i) {
    if (!load_path(argv[i], &analysed.trace).ok()) return 1;
  }
  if (!analyse({}, {}, &analysed).ok()) return 1;
  const std::vector<ReportInput> inputs;
  const Report report;
  const ExportInput input{.analysed = analysed, .inputs = inputs, .report = [&]() -> const Report& { return report; }};
  const double peak_before = peak_mib();
  const double cpu_before = cpu_seconds();
  const double start = seconds();
  ByteSink sink(equals == std::string::npos ? "/dev/null" : request.substr(equals + 1));
  if (!exporter->write(input, &sink).ok() || !sink.finish().ok()) return 1;
  const double took = seconds() - start;
  const double cpu = cpu_seconds() - cpu_before;
  const auto spans = static_cast<double>(analysed.trace.spans.size());
  std::printf(
      "%s: %.0f spans, %.2f s, %.2f s CPU (%.2f M spans/s of one core), %.1f MB (%.1f B/span), peak %.0f MiB (%.0f "
      "before)\n",
      std::string(exporter->name).c_str(), spans, took, cpu, spans / cpu / 1e6,
      static_cast<double>(sink.written()) / 1e6, static_cast<double>(sink.written()) / spans, peak_mib(), peak_before);
  return 0;
}
