#include <sys/types.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "base/child_process.h"
#include "test/bound/measure/stand_in_run.h"
#include "test/catch.h"

namespace xsp::bound {
namespace {

bool comes_true(const std::function<bool()>& condition) {
  for (int tries = 0; tries < 1000 && !condition(); ++tries) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  return condition();
}

/// A run of one good and one hanging problem in a process of its own; `notes`.done has a line for each commit.
pid_t start_hanging_run(const std::string& notes) {
  return fork_child([&notes] {
    const WorkItem good{.problem = kRelu, .flops = 1e9};
    const WorkItem bad{.problem = "eltwise alg=relu src=8 alpha=0 beta=0 dtype=f32"};
    const Library quick = stand_in("right");
    const Library stuck = stand_in("hang", notes);
    BenchmarkOptions options = quick_options();
    options.hang_s = 100;
    size_t done = 0;
    const Status status = run_benchmarks(
        {{&bad, &stuck}, {&good, &quick}}, options,
        [&](const Benchmark& benchmark, const std::vector<Measurement>&) {
          std::ofstream(notes + ".done", std::ios::app) << benchmark.item->problem << std::endl;
          return Status{};
        },
        [](const BenchmarkProgress&) {}, &done);
    _exit(status.error == "interrupted" && done == 1 ? status.exit_code : 1);
  });
}

}  // namespace

TEST_CASE("every failure costs one row, and all others are measured") {
  const std::string failing =
      "segfault,wrong,abort,killed,exit,hang,leak,throw,nonsense,refused,crash_in_make,huge,crash_at_end";
  const Run run = run_one("warn,busy," + failing + ",print,right");
  REQUIRE(run.status.ok());
  CHECK(run.done == 1);
  CHECK(run.order.size() == 1);
  const std::pair<std::string, std::string> messages[] = {
      {"segfault", "killed by SIGSEGV while running"},
      {"abort", "killed by SIGABRT while running: assertion of the library failed"},
      {"killed", "killed by SIGKILL while running"},
      {"exit", "ended with exit code 3 while running"},
      {"leak", "not enough memory"},
      {"throw", "the library's own word"},
      {"nonsense", "its process wrote nonsense while running"},
      {"refused", "unimplemented"},
      {"crash_in_make", "killed by SIGSEGV while making"},
      {"huge", "not enough memory"},
      {"crash_at_end", "killed by SIGSEGV while running"},
  };
  for (const auto& [implementation, message] : messages) {
    INFO(implementation);
    CHECK(run.row(implementation).status == BenchmarkStatus::kError);
    CHECK(run.row(implementation).message == message);
    CHECK(run.row(implementation).layout == "plain");
    CHECK(run.row(implementation).started_at > 0);
  }
  CHECK(run.row("wrong").message.starts_with("wrong result: "));
  CHECK(run.row("wrong").message.ends_with(" at 4095"));
  CHECK(run.row("hang").status == BenchmarkStatus::kTimeout);
  CHECK(run.row("hang").message == "nothing for 1 s while running");
  CHECK(run.row("busy").status == BenchmarkStatus::kOk);
  CHECK(run.row("print").status == BenchmarkStatus::kOk);
  CHECK(run.row("right").status == BenchmarkStatus::kOk);
}

TEST_CASE("what a library cannot compute is one row") {
  SECTION("it says so") {
    const Run run = run_one("cannot");
    REQUIRE(run.rows.size() == 1);
    CHECK(run.rows[0].status == BenchmarkStatus::kUnsupported);
    CHECK(run.rows[0].message == "no such primitive");
    CHECK(run.rows[0].problem == kRelu);
  }
  SECTION("it crashes when asked") {
    const Run run = run_one("crash");
    REQUIRE(run.rows.size() == 1);
    CHECK(run.rows[0].status == BenchmarkStatus::kError);
    CHECK(run.rows[0].message == "killed by SIGSEGV while starting");
  }
  SECTION("it does not load") {
    const Run run = run_one("absent");
    REQUIRE(run.rows.size() == 1);
    CHECK(run.rows[0].status == BenchmarkStatus::kError);
    CHECK(run.rows[0].message == "cannot open shared object file");
  }
  SECTION("the problem is none") {
    const Run run = run_one("right", "=");
    REQUIRE(run.rows.size() == 1);
    CHECK(run.rows[0].status == BenchmarkStatus::kError);
  }
  SECTION("no machine has the memory") {
    const Run run = run_one("right", "eltwise alg=relu src=1000000x1000000x1000000 alpha=0 beta=0 dtype=f32");
    REQUIRE(run.rows.size() == 1);
    CHECK(run.rows[0].message == "not enough memory");
  }
}

TEST_CASE("a child that never serves is a row, one that is not there ends the run") {
  const WorkItem item{.problem = kRelu};
  const Library library = stand_in("right");
  BenchmarkOptions options = quick_options();
  options.child_command = {stand_in_child(), "fail"};
  const Run failed = run_all({{&item, &library}}, options);
  REQUIRE(failed.status.ok());
  REQUIRE(failed.rows.size() == 1);
  CHECK(failed.rows[0].message == "ended with exit code 9 while starting");

  options.child_command = {stand_in_child(), "babble"};
  const Run babbling = run_all({{&item, &library}}, options);
  REQUIRE(babbling.status.ok());
  REQUIRE(babbling.rows.size() == 1);
  CHECK(babbling.rows[0].message == "its process wrote nonsense while starting");

  options.child_command = {"/nonexistent"};
  CHECK_FALSE(run_all({{&item, &library}}, options).status.ok());
}

TEST_CASE("what a child that is killed has written goes with it") {
  const test::TemporaryFolder folder;
  const char* const before = getenv("TMPDIR");
  const std::string kept = before == nullptr ? "" : before;
  setenv("TMPDIR", std::string(folder.path()).c_str(), 1);
  const Run run = run_one("litter,right");
  if (before == nullptr) {
    unsetenv("TMPDIR");
  } else {
    setenv("TMPDIR", kept.c_str(), 1);
  }
  CHECK(run.row("litter").message == "killed by SIGKILL while running");
  CHECK(run.row("right").status == BenchmarkStatus::kOk);
  CHECK(std::filesystem::is_empty(std::string(folder.path())));
}

TEST_CASE("a signal ends the run and its children, what is committed stays") {
  const auto [signal, code] = GENERATE(std::pair(SIGINT, 130), std::pair(SIGTERM, 143));
  const test::TemporaryFolder folder;
  const pid_t run = start_hanging_run(folder / "notes");
  REQUIRE(run > 0);
  REQUIRE(comes_true([&] { return !pids_in(folder / "notes").empty(); }));
  const pid_t child = pids_in(folder / "notes")[0];
  kill(run, signal);
  const ChildEnd end = wait_for_child(run);
  CHECK_FALSE(end.by_signal);
  CHECK(end.code == code);
  CHECK_FALSE(is_alive(child));
  CHECK(test::read_file(folder / "notes.done") == std::string(kRelu) + "\n");
}

TEST_CASE("no child outlives a run that is killed") {
  const test::TemporaryFolder folder;
  const pid_t run = start_hanging_run(folder / "notes");
  REQUIRE(run > 0);
  REQUIRE(comes_true([&] { return !pids_in(folder / "notes").empty(); }));
  const pid_t child = pids_in(folder / "notes")[0];
  CHECK(is_alive(child));
  kill(run, SIGKILL);
  wait_for_child(run);
  CHECK(comes_true([&] { return !is_alive(child); }));
}

}  // namespace xsp::bound
