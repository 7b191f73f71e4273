#pragma once

#include <sys/types.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include "bound/measure/benchmark_run.h"
#include "test/catch.h"
#include "test/temporary_folder.h"

/// Runs of the implementations of stand_in_backend.cc, in processes of stand_in_child.cc, which lies beside the test.
namespace xsp::bound {

inline constexpr char kRelu[] = "eltwise alg=relu src=64x64 alpha=0 beta=0 dtype=f32";

inline std::string stand_in_child() {
  return (std::filesystem::read_symlink("/proc/self/exe").parent_path() / "bound_stand_in_child").string();
}

inline Library stand_in(const std::string& implementations, const std::string& notes = "/dev/null") {
  return {.backend = "stand_in", .name = "stand_in", .version = "1.0", .build = implementations, .path = notes};
}

inline BenchmarkOptions quick_options() {
  return {.budget_ms = 5, .threads = 1, .hang_s = 1, .child_command = {stand_in_child(), "serve"}};
}

struct Run {
  Status status;
  size_t done = 0;
  std::vector<std::string> order;  // "problem library" of each commit
  std::vector<Measurement> rows;
  std::vector<BenchmarkProgress> progress;

  /// The hot row of an implementation; its cold one.
  const Measurement& row(const std::string& implementation, bool cold = false) const {
    const Measurement* found = nullptr;
    for (const Measurement& one : rows) {
      if (one.implementation != implementation || one.cold != cold) continue;
      INFO(implementation);
      REQUIRE(found == nullptr);
      found = &one;
    }
    INFO(implementation);
    REQUIRE(found != nullptr);
    return *found;
  }
  size_t count(BenchmarkStatus counted) const {
    return static_cast<size_t>(
        std::count_if(rows.begin(), rows.end(), [counted](const Measurement& one) { return one.status == counted; }));
  }
};

inline Run run_all(const std::vector<Benchmark>& benchmarks, const BenchmarkOptions& options,
                   const Status& committed = {}) {
  Run run;
  run.status = run_benchmarks(
      benchmarks, options,
      [&](const Benchmark& benchmark, const std::vector<Measurement>& rows) {
        run.order.push_back(benchmark.item->problem + " " + benchmark.library->name);
        run.rows.insert(run.rows.end(), rows.begin(), rows.end());
        return committed;
      },
      [&](const BenchmarkProgress& progress) { run.progress.push_back(progress); }, &run.done);
  return run;
}

inline Run run_one(const std::string& implementations, const std::string& problem = kRelu) {
  const WorkItem item{.problem = problem};
  const Library library = stand_in(implementations);
  return run_all({{&item, &library}}, quick_options());
}

/// Pids that the stand-in noted, in order.
inline std::vector<pid_t> pids_in(const std::string& notes) {
  std::vector<pid_t> pids;
  std::istringstream text(test::read_file(notes));
  std::string name;
  for (pid_t pid = 0; text >> pid >> name;) pids.push_back(pid);
  return pids;
}

/// Whether it runs; one that nobody has waited for does not.
inline bool is_alive(pid_t pid) {
  const std::string stat = test::read_file("/proc/" + std::to_string(pid) + "/stat");
  const size_t name = stat.rfind(')');
  return name != std::string::npos && stat[name + 2] != 'Z';
}

}  // namespace xsp::bound
