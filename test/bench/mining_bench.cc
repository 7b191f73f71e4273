/// Mining of a made-up sequence of GPU operations: time and memory beside the symbols, by length.
///
///     mining_bench METHOD [OPERATIONS…]     METHOD: periods (the default), suffix-tree; without OPERATIONS 10^4 to
///     10^7
///
/// Steps of a transformer: 24 equal blocks between a prologue and an epilogue, 960 operations; a statistic every 10th
/// step, five steps of evaluation every 50th, and what a program does before its loop. METHOD may be followed by
/// "/PERMILLE": so many of a thousand operations are others.

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "analysis/mining/loops.h"
#include "analysis/mining/period_mining.h"
#include "analysis/mining/suffix_tree_mining.h"
#include "test/bench/made_operations.h"

namespace {

using xsp::analysis::Loops;
using xsp::bench::MadeOperations;
using xsp::bench::Workload;

struct Method {
  const char* name;
  double goal_seconds;
  double goal_mb;
  Loops (*mine)(const Workload& workload);
};

Loops mine_suffix_tree(const Workload& workload) {
  return xsp::analysis::mine_by_suffix_tree(workload.symbols, {.counts = {workload.steps}});
}

Loops mine_by_periods(const Workload& workload) {
  return xsp::analysis::mine_periods({.symbols = workload.symbols, .roles = workload.roles, .idle_before = {}});
}

constexpr Method kMethods[] = {
    {"periods", 1, 100, mine_by_periods},
    {"suffix-tree", 5, 400, mine_suffix_tree},
};

/// What the goals are of.
constexpr size_t kGoalOperations = 10'000'000;

double peak_mb() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) * 1024 / 1e6;
}

double cpu_seconds() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

void measure(const Method& method, uint32_t permille, size_t size) {
  const Workload workload = MadeOperations(permille).run(size);
  const double memory_before = peak_mb();
  const double cpu_before = cpu_seconds();
  const auto begin = std::chrono::steady_clock::now();
  const Loops loops = method.mine(workload);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  const double cpu = cpu_seconds() - cpu_before;
  const double mb = peak_mb() - memory_before;
  std::printf("%s %zu operations: %.3f s, %.3f s of CPU (%.1f ns an operation), peak %.1f MB (%.1f bytes an operation)",
              method.name, size, seconds, cpu, cpu * 1e9 / static_cast<double>(size), mb,
              mb * 1e6 / static_cast<double>(size));
  if (size == kGoalOperations) {
    std::printf("; goals %.0f s, %.0f MB: %.2f, %.2f of them", method.goal_seconds, method.goal_mb,
                cpu / method.goal_seconds, mb / method.goal_mb);
  }
  std::printf("\n");
  std::printf("  %u steps, %u of evaluation; found:", workload.steps, workload.evaluations);
  for (const xsp::analysis::Loop& loop : loops.loops) {
    std::printf(" [level %u: %zu iterations, pattern %zu, confidence %.2f, coverage %.2f]", loop.level,
                loop.iterations.size(), loop.pattern.size(), loop.confidence, loop.coverage);
  }
  std::printf(" %s\n", loops.why_none.c_str());
}

/// In a process of its own: the largest memory of one length is not that of another.
bool measure_apart(const Method& method, uint32_t permille, size_t size) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    measure(method, permille, size);
    std::fflush(stdout);
    _exit(0);
  }
  int status = 0;
  return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string chosen = argc > 1 ? argv[1] : "";
  const size_t slash = std::min(chosen.find('/'), chosen.size());
  const uint32_t permille = slash < chosen.size() ? static_cast<uint32_t>(std::atoi(chosen.c_str() + slash + 1)) : 0;
  std::vector<size_t> sizes;
  for (int i = 2; i < argc; ++i) sizes.push_back(std::strtoull(argv[i], nullptr, 10));
  if (sizes.empty()) sizes = {10'000, 100'000, 1'000'000, 10'000'000};
  for (const Method& method : kMethods) {
    if (chosen.substr(0, slash) != method.name) continue;
    for (const size_t size : sizes) {
      if (!measure_apart(method, permille, size)) return 1;
    }
    return 0;
  }
  std::fprintf(stderr, "usage: mining_bench METHOD[/PERMILLE] [OPERATIONS...]; methods:");
  for (const Method& method : kMethods) std::fprintf(stderr, " %s", method.name);
  std::fprintf(stderr, "\n");
  return 2;
}
