#include "bound/measure/benchmark_run.h"
#include <algorithm>

#include "test/bound/measure/stand_in_run.h"
#include "test/catch.h"

namespace xsp::bound {

TEST_CASE("implementations are measured hot, and the quickest one cold") {
  const Run run = run_one("busy,right,slow");
  REQUIRE(run.status.ok());
  CHECK(run.done == 1);
  CHECK(run.order.size() == 1);
  CHECK(run.rows.size() == 4);
  CHECK(run.count(BenchmarkStatus::kOk) == 4);
  const Measurement& right = run.row("right");
  CHECK(right.problem == kRelu);
  CHECK(right.backend == "stand_in");
  CHECK(right.library == "stand_in");
  CHECK(right.library_version == "1.0");
  CHECK(right.layout == "plain");
  CHECK(right.threads == 1);
  CHECK(right.workspace_bytes == 4096);
  CHECK(right.xsp_version == XSP_VERSION);
  CHECK(right.started_at > 1'600'000'000);
  CHECK(right.samples_taken == right.samples_ns.size());
  CHECK(right.samples_taken >= 5);
  CHECK(right.min_ns <= right.median_ns);
  CHECK(right.median_ns <= right.p90_ns);
  REQUIRE(right.cpu_min_ns);
  CHECK(run.row("right", true).samples_taken >= 5);
  // Of that which waits the wall time counts.
  CHECK(run.row("slow").min_ns >= 3e6);
  CHECK(run.row("slow").best_ns() >= 3e6);
}

TEST_CASE("operands that no cache holds take longer") {
  const Run run = run_one("chase", "eltwise alg=relu src=65536 alpha=0 beta=0 dtype=f32");
  REQUIRE(run.status.ok());
  CHECK(run.row("chase", true).best_ns() > 1.5 * run.row("chase").best_ns());
}

TEST_CASE("an implementation of an earlier process is still the one that is measured cold") {
  const Run run = run_one("right,segfault,busy");
  REQUIRE(run.status.ok());
  CHECK(run.rows.size() == 4);
  CHECK(run.row("right", true).status == BenchmarkStatus::kOk);
}

TEST_CASE("transformed numerics are measured cold besides exact ones") {
  const Run run = run_one("busy,winograd");
  REQUIRE(run.status.ok());
  CHECK(run.row("winograd").numerics == Numerics::kTransform);
  CHECK(run.row("winograd", true).status == BenchmarkStatus::kOk);
  CHECK(run.row("busy", true).status == BenchmarkStatus::kOk);
}

TEST_CASE("implementations that tell their times have no cold ones") {
  const Run run = run_one("own_times");
  REQUIRE(run.status.ok());
  REQUIRE(run.rows.size() == 1);
  CHECK(run.rows[0].min_ns == 20);
  CHECK(run.rows[0].median_ns == 30);
  CHECK_FALSE(run.rows[0].cpu_min_ns);
}

TEST_CASE("implementations that tell their cold times, too, have a row of them") {
  const Run run = run_one("own_cold");
  REQUIRE(run.status.ok());
  REQUIRE(run.rows.size() == 2);
  CHECK(run.row("own_cold").min_ns == 20);
  CHECK(run.row("own_cold", true).min_ns == 200);
  CHECK(run.row("own_cold", true).median_ns == 300);
  CHECK(run.row("own_cold", true).workspace_bytes == 4096);
  CHECK_FALSE(run.row("own_cold", true).cpu_min_ns);
}

TEST_CASE("why implementations tell no times of their own is in the row") {
  const Run run = run_one("own_failure,own_nothing,own_cold_fails");
  REQUIRE(run.status.ok());
  CHECK(run.row("own_failure").message == "the device went away");
  CHECK(run.row("own_nothing").message == "no times");
  CHECK(run.row("own_cold_fails").status == BenchmarkStatus::kOk);
  CHECK(run.row("own_cold_fails", true).status == BenchmarkStatus::kError);
  CHECK(run.row("own_cold_fails", true).message == "the device went away");
}

TEST_CASE("what an earlier process measured of a device has its cold times taken by the next one") {
  const Run run = run_one("own_cold,segfault");
  REQUIRE(run.status.ok());
  CHECK(run.row("segfault").status == BenchmarkStatus::kError);
  CHECK(run.row("own_cold", true).min_ns == 200);
}

TEST_CASE("reduced numerics that are quicker have cold times of their own") {
  const Run run = run_one("slow,tf32");
  REQUIRE(run.status.ok());
  CHECK(run.row("slow", true).status == BenchmarkStatus::kOk);
  CHECK(run.row("tf32", true).status == BenchmarkStatus::kOk);
  const Run slower = run_one("right,tf32_slow");
  CHECK(std::ranges::none_of(slower.rows,
                             [](const Measurement& row) { return row.implementation == "tf32_slow" && row.cold; }));
}

TEST_CASE("without a reference results are compared with the first, also across processes") {
  const Run run = run_one("right,segfault,wrong,busy", "Fake in=f32[64] out=f32[64]");
  REQUIRE(run.status.ok());
  CHECK(run.row("right").status == BenchmarkStatus::kOk);
  CHECK(run.row("busy").status == BenchmarkStatus::kOk);
  CHECK(run.row("wrong").message == "wrong result: 64 instead of 63 at 63");
}

TEST_CASE("implementations of one name are told apart") {
  const Run run = run_one("segfault,right,segfault,right");
  REQUIRE(run.status.ok());
  CHECK(run.count(BenchmarkStatus::kError) == 2);
  CHECK(run.count(BenchmarkStatus::kOk) == 3);
}

TEST_CASE("the dearest problem comes first, with all its libraries, each in a process of its own") {
  const test::TemporaryFolder folder;
  const WorkItem cheap{.problem = kRelu, .flops = 1e3};
  const WorkItem dear{.problem = "eltwise alg=relu src=9 alpha=0 beta=0 dtype=f32", .flops = 1e9};
  const WorkItem bytes{.problem = "eltwise alg=relu src=8 alpha=0 beta=0 dtype=f32", .bytes = 1e7};
  Library one = stand_in("right", folder / "one");
  Library two = stand_in("right", folder / "two");
  two.name = "other";
  const Run run =
      run_all({{&cheap, &one}, {&dear, &one}, {&bytes, &one}, {&cheap, &two}, {&dear, &two}}, quick_options());
  REQUIRE(run.status.ok());
  CHECK(run.done == 5);
  CHECK(run.order == std::vector<std::string>{dear.problem + " stand_in", dear.problem + " other",
                                              bytes.problem + " stand_in", cheap.problem + " stand_in",
                                              cheap.problem + " other"});
  const std::vector<pid_t> pids = pids_in(folder / "one");
  // Each problem hot, once more, and cold.
  CHECK(pids.size() == 9);
  CHECK(std::count(pids.begin(), pids.end(), pids[0]) == 9);
  CHECK(pids_in(folder / "two")[0] != pids[0]);
  CHECK_FALSE(is_alive(pids[0]));
  REQUIRE_FALSE(run.progress.empty());
  CHECK(run.progress.front().done == 0);
  CHECK(run.progress.back().done == 5);
  for (const BenchmarkProgress& progress : run.progress) {
    CHECK(progress.all == 5);
    CHECK(progress.left_s >= 0);
  }
}

TEST_CASE("nothing is begun after the time limit, and an error of the commit ends the run") {
  const WorkItem item{.problem = kRelu};
  const Library library = stand_in("right");
  BenchmarkOptions options = quick_options();
  options.time_limit_s = 0;
  const Run none = run_all({{&item, &library}}, options);
  CHECK(none.status.ok());
  CHECK(none.done == 0);
  CHECK(none.rows.empty());
  const Run full = run_all({{&item, &library}, {&item, &library}}, quick_options(), {.error = "disk full"});
  CHECK(full.status.error == "disk full");
  CHECK(full.order.size() == 1);
  CHECK(full.done == 0);
}

TEST_CASE("one that is slow but never silent for long is measured") {
  const WorkItem item{.problem = kRelu};
  const Library library = stand_in("crawl");
  BenchmarkOptions options = quick_options();
  SECTION("with fewer calls") {
    options.budget_ms = 50;
    options.hang_s = 0.5;
    const Run run = run_all({{&item, &library}}, options);
    CHECK(run.row("crawl").status == BenchmarkStatus::kOk);
    CHECK(run.row("crawl", true).status == BenchmarkStatus::kOk);
  }
  SECTION("with one call") {
    const Run run = run_all({{&item, &library}}, options);
    CHECK(run.row("crawl").status == BenchmarkStatus::kOk);
    // It is the best, which is measured twice.
    CHECK(run.row("crawl").samples_taken == 2);
    CHECK(run.row("crawl").min_ns >= 0.4e9);
  }
}

TEST_CASE("progress is told while an implementation says nothing") {
  const WorkItem item{.problem = kRelu};
  const Library library = stand_in("hang");
  BenchmarkOptions options = quick_options();
  options.hang_s = 2.5;
  const Run run = run_all({{&item, &library}}, options);
  CHECK(run.progress.size() >= 4);
}

}  // namespace xsp::bound
