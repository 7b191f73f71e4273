#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <string>

#include "analysis/findings/families.h"
#include "analysis/tables/library_functions.h"
#include "base/units.h"

namespace xsp::analysis {
namespace {

/// Of the step: less is not worth changing the library.
constexpr double kSlowLibraryPct = 5;
/// Fewer calls, or less time in all of them, may be a warm-up.
constexpr double kFewestCalls = 5;
constexpr double kShortestMs = 10;
/// Of a product on average: smaller ones (46 x 46 x 46) measure the call.
constexpr double kSmallestGflop = 2e-4;
/// Of a product on average: smaller ones, such as one row times a weight matrix, wait for memory in any library, so
/// half of its speed is expected.
constexpr double kSmallGflop = 1e-3;

/// Single precision, Gflop/s; half of it for double. A library that does more is no plain loop, whatever its name; and
/// what OpenBLAS reaches at least on one core of any x86-64 CPU, by SSE alone (doc/analysis.md).
constexpr double kPlainLoop = 16;
constexpr double kLeastOfOpenblas = 8;

/// Products of matrices: names of functions without the letter of their type.
constexpr std::array<std::string_view, 8> kProducts = {"gemm", "symm", "hemm", "syrk", "herk", "trmm", "trsm", "syr2k"};

/// Parts of the paths of libraries that are made for speed, or that forward to one.
constexpr std::array<std::string_view, 12> kFast = {"openblas", "atlas", "blis",       "mkl",  "armpl", "nvpl",
                                                    "nvblas",   "essl",  "accelerate", "goto", "flexi", "amdlibm"};

/// A single-precision rate as the rate for the function's type ("sgemm_", "cblas_dgemm64_"); 0: it is no product.
double of_type(std::string_view function, double single) {
  for (const std::string_view product : kProducts) {
    const size_t at = function.find(product);
    if (at == std::string_view::npos || at == 0) continue;
    const char type = function[at - 1];
    if (type == 's' || type == 'c') return single;
    if (type == 'd' || type == 'z') return single / 2;
  }
  return 0;
}

/// Whether the file is the reference BLAS: "libblas.so.3.11.0" or "librefblas.so", and in no folder of another one, as
/// Debian has them all under the name "libblas.so.3".
bool is_reference_blas(std::string_view file) {
  std::string path(file);
  std::transform(path.begin(), path.end(), path.begin(), [](unsigned char c) { return std::tolower(c); });
  const std::string name = path.substr(path.find_last_of('/') + 1);
  const auto begins = [&](std::string_view prefix) { return name.starts_with(prefix); };
  if (path.find(", ") != std::string::npos) return false;  // several files: which one is not known
  if (!begins("libblas") && !begins("libcblas") && !begins("librefblas") && !begins("librefcblas")) return false;
  return std::none_of(kFast.begin(), kFast.end(),
                      [&](std::string_view fast) { return path.find(fast) != std::string::npos; });
}

/// "…/blas/libblas.so.3.11.0".
std::string short_path(const std::string& file) {
  const size_t name = file.find_last_of('/');
  if (name == std::string::npos || name == 0) return name_in_sentence(file);
  const size_t folder = file.find_last_of('/', name - 1);
  if (folder == std::string::npos || folder == 0) return name_in_sentence(file);
  return name_in_sentence("…" + file.substr(folder));
}

std::string remedy(std::string_view file) {
  // Debian's own: its alternatives lead to OpenBLAS once that is installed.
  const bool is_debians = file.find("-linux-gnu") != std::string_view::npos && file.starts_with("/usr/lib/");
  const bool is_redacted = file.starts_with("blas/libblas.so");
  if (is_debians || is_redacted) {
    return "apt install libopenblas0 (Debian, Ubuntu) replaces it with OpenBLAS; the program needs no change";
  }
  return "replace it with OpenBLAS, BLIS or MKL (Debian, Ubuntu: apt install libopenblas0)";
}

/// From the first span of the processes that call libraries to their end, without what lies outside of the range that
/// was to be recorded; of all processes together.
double recorded_ms(const Study& study) {
  const Trace& trace = study.trace;
  std::map<uint32_t, std::pair<int64_t, int64_t>> times;
  for (const LibraryCall& call : study.library_calls.calls) {
    const uint32_t process = trace.process_of(call.row);
    if (is_process_under_study(study, process)) times.try_emplace(process, INT64_MAX, trace.processes[process].end_ns);
  }
  for (Row row = 0; row < trace.spans.size(); ++row) {
    const auto time = times.find(trace.process_of(row));
    if (time == times.end()) continue;
    time->second.first = std::min(time->second.first, trace.spans.begin[row]);
    time->second.second = std::max(time->second.second, trace.spans.end[row]);
  }
  double ns = 0;
  for (const auto& [process, time] : times) ns += static_cast<double>(time.second - time.first);
  for (const Gap& gap : trace.gaps) {
    const auto time = times.find(gap.process);
    if (gap.reason != GapReason::kOutsideRange || time == times.end()) continue;
    const int64_t begin = std::max(gap.begin, time->second.first);
    const int64_t end = gap.end == 0 ? time->second.second : std::min(gap.end, time->second.second);
    ns -= static_cast<double>(std::max<int64_t>(end - begin, 0));
  }
  return ns / kNsPerMs;
}

/// Whether the process evaluates other models in turn: a step includes their calls, and C2 only those of one.
bool has_other_models(const Evidence& evidence) {
  const Study& study = evidence.study;
  if (!evidence.has_evaluations()) return false;
  const EvaluationGroup& own = study.evaluations.groups[*study.subject];
  return std::any_of(study.evaluations.groups.begin(), study.evaluations.groups.end(),
                     [&](const EvaluationGroup& of) { return of.process == own.process && of.model != own.model; });
}

}  // namespace

void add_slow_library_findings(const Evidence& evidence, std::vector<Finding>* findings) {
  const TableCells calls = evidence.table(kC2);
  const size_t known = evidence.has_evaluations() ? evidence.study.joined_library_calls.evaluations : 1;
  const auto evaluations = static_cast<double>(std::max<size_t>(1, known));
  std::optional<size_t> slowest;
  double most_ms = 0;
  double expected = 0;                    // of it, GFLOP/s
  std::map<std::string, double> gain_ms;  // by file: one cause
  for (size_t row = 0; row < calls.rows(); ++row) {
    const std::string function = calls.text(row, kC2.function);
    const auto count = calls.number(row, kC2.count);
    const auto self_ms = calls.number(row, kC2.self_ms);
    const auto gflops = calls.number(row, kC2.gflops);
    const auto speed = calls.number(row, kC2.gflop_per_s);
    const double least =
        of_type(function, kLeastOfOpenblas) / (gflops && count && *gflops < kSmallGflop * *count ? 2 : 1);
    if (!count || !self_ms || !gflops || !speed || least == 0) continue;
    if (calls.number(row, kC2.kernel_ms).value_or(0) > 0 || !is_reference_blas(calls.text(row, kC2.file))) continue;
    if (*speed >= of_type(function, kPlainLoop) || *gflops < kSmallestGflop * *count) continue;
    if (*count * evaluations < kFewestCalls || *self_ms * evaluations < kShortestMs) continue;
    gain_ms[calls.text(row, kC2.file)] += std::max(*self_ms - 1e3 * *gflops / least, 0.0);
    if (*self_ms <= most_ms) continue;
    most_ms = *self_ms;
    slowest = row;
    expected = least;
  }
  if (!slowest) return;
  const double step_ms = evidence.has_evaluations() ? evidence.step_ms().value_or(0) : recorded_ms(evidence.study);
  const double pct = step_ms > 0 ? std::min(100 * most_ms / step_ms, 100.0) : 0;
  if (!(pct >= kSlowLibraryPct)) return;
  const std::string function = calls.text(*slowest, kC2.function);
  const std::string file = calls.text(*slowest, kC2.file);
  const double gain = std::min(gain_ms[file], step_ms);
  const double speed = *calls.number(*slowest, kC2.gflop_per_s);
  std::string advice = remedy(file);
  if (gain > 0) {
    advice += fmt::format(
        "; OpenBLAS reaches at least {:.0f} GFLOP/s on one core even without AVX, which saves at least {} of {}",
        expected, short_time(gain), short_time(step_ms));
  }
  findings->push_back(
      {.id = "slow-library",
       .text = fmt::format("{} runs at {:.1f} GFLOP/s in {}, the reference BLAS: {}{} of the {}",
                           name_in_sentence(function), speed, short_path(file),
                           has_other_models(evidence) ? "at least " : "", share_text(pct), evidence.step_word()),
       .advice = std::move(advice),
       .value = speed,
       .unit = "GFLOP/s",
       .table = std::string(kC2.id),
       .column = std::string(kC2.function.name),
       .key = function,
       .weight = std::min(pct / 100, 0.99),
       .gain_ms = gain > 0 ? std::optional(gain) : std::nullopt,
       .share_pct = pct,
       .share_of = std::string(evidence.step_word())});
}

}  // namespace xsp::analysis
