#include "inject/launch/run/end_message.h"

#include <algorithm>

#include "inject/launch/run/unrecorded_message.h"
#include "test/catch.h"

using xsp::launch::end_message;
using xsp::launch::is_whole;
using xsp::launch::no_spans_lines;
using xsp::launch::Options;
using xsp::launch::PrivateCollector;
using xsp::launch::TraceOutcome;
using xsp::launch::UnrecordableProgram;
using xsp::launch::Unseen;

namespace {

TraceOutcome finished(uint64_t spans) {
  TraceOutcome outcome;
  outcome.end = PrivateCollector::End::kFinished;
  outcome.output = "/nowhere/x.pb";
  outcome.program = "python3";
  outcome.status.spans = spans;
  outcome.status.complete = true;
  return outcome;
}

std::string text(const Options& options, const TraceOutcome& outcome, const std::string& report) {
  std::string all;
  for (const std::string& line : end_message(options, outcome, report)) all += line + "\n";
  return all;
}

bool has(const std::string& all, const char* part) { return all.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("the end message names the trace and the next command") {
  const std::string all = text({}, finished(3), "/opt/x y/xsp-report");
  CHECK(has(all, "xsp: wrote /nowhere/x.pb"));
  CHECK(has(all, "Next:\n"));
  CHECK(has(all, "/nowhere/x.pb\n"));
}

TEST_CASE("no spans: it says why that may be, and prints no next command") {
  TraceOutcome outcome = finished(0);
  CHECK(has(text({}, outcome, "r"), "no spans were recorded in python3: no supported framework"));
  CHECK(has(text({}, outcome, "r"), "xsp-run --check -- python3"));
  CHECK_FALSE(has(text({}, outcome, "r"), "Next:"));
  outcome.status.processes = 1;
  CHECK(has(text({}, outcome, "r"), "no model call was seen"));
}

TEST_CASE("no spans: a reason that is known takes the place of the guess") {
  TraceOutcome outcome = finished(0);
  outcome.status.unrecorded = {{.reason = "NO_DESCRIPTOR", .user = 0, .count = 2}};
  outcome.unseen = {{12, "python3", 0, Unseen::kEnvironmentCleared},
                    {13, "python3", 0, Unseen::kEnvironmentCleared},
                    {14, "tool", 0, Unseen::kNotLoaded},
                    {15, "still", 0, Unseen::kNotLoaded, {{"is statically linked", "link it otherwise"}}}};
  const std::string all = text({}, outcome, "r");
  CHECK(has(all, "not recorded: 2 processes: no file descriptor left"));
  CHECK(has(all, "not recorded: 2 processes (python3): its environment was reset"));
  CHECK(has(all, "not recorded: tool (pid 14): the loader did not load XSP"));
  CHECK(has(all, "not recorded: still (pid 15): it is statically linked; link it otherwise"));
  CHECK_FALSE(has(all, "framework"));

  outcome = finished(0);
  outcome.status.processes = 1;
  outcome.status.notices = {"guest: out of memory"};
  CHECK(has(text({}, outcome, "r"), "note: guest: out of memory"));
  CHECK_FALSE(has(text({}, outcome, "r"), "no model call was seen"));
}

TEST_CASE("no spans: of a command that cannot be recorded the reason comes first, and once") {
  const std::optional<UnrecordableProgram> command = {{"uses musl", "build it for glibc"}};
  TraceOutcome outcome = finished(0);
  outcome.unseen = {{12, "python3", 0, Unseen::kNotLoaded, command}, {13, "other", 0, Unseen::kNotLoaded, command}};
  const std::vector<std::string> lines = no_spans_lines(outcome, command);
  REQUIRE(lines.size() == 3);
  CHECK(lines[0] == "xsp: no spans were recorded in python3: it uses musl");
  CHECK(lines[1] == "xsp: hint: build it for glibc");
  CHECK(lines[2].starts_with("xsp: not recorded: other (pid 13): it uses musl"));
  // What it started had the guest: the command is not what is missing.
  outcome.unseen.clear();
  outcome.status.processes = 1;
  CHECK(no_spans_lines(outcome, command)[0].ends_with("no model call was seen"));
}

TEST_CASE("processes that were refused beside recorded ones are told, and --strict counts them as missing") {
  TraceOutcome outcome = finished(3);
  CHECK(is_whole(outcome));
  outcome.status.unrecorded = {{.reason = "OTHER_USER", .user = 4'000'000'000, .count = 1}};
  // The summary is made of the trace, which has a notice of it.
  Options without_summary;
  without_summary.summary = xsp::launch::Summary::kNone;
  CHECK(has(text(without_summary, outcome, "r"),
            "not recorded: 1 process of uid 4000000000: a recording covers one user"));
  CHECK_FALSE(is_whole(outcome));
}

TEST_CASE("losses and notices are said, in at most 15 lines") {
  TraceOutcome outcome = finished(3);
  outcome.status.losses = {{"RING_FULL", 120}, {"NEW_REASON", 1}};
  outcome.status.notices.assign(40, "a thing");
  Options options;
  const std::string all = text(options, outcome, "r");
  CHECK(has(all, "lost: 120 (the buffer was full"));
  CHECK(has(all, "lost: 1 (NEW_REASON)"));
  CHECK(has(all, "37 more"));
  CHECK(std::count(all.begin(), all.end(), '\n') <= 15);
}

TEST_CASE("what CUPTI lost is said in plain words") {
  TraceOutcome outcome = finished(3);
  outcome.status.losses = {{"ACTIVITY", 5}, {"ZERO_TIME", 6}, {"INVERTED", 7}, {"GRAPH_NODES", 8}};
  const std::string all = text({}, outcome, "r");
  CHECK(has(all, "lost: 5 (records of kernels and copies that CUPTI dropped"));
  CHECK(has(all, "lost: 6 (kernels and copies for which CUPTI gave no timestamps)"));
  CHECK(has(all, "lost: 7 (kernels and copies that end before they begin"));
  CHECK(has(all, "lost: 8 (nodes of CUDA graphs"));
  CHECK_FALSE(is_whole(outcome));
}

TEST_CASE("quiet prints nothing about a good trace and everything about a bad one") {
  Options options;
  options.quiet = true;
  TraceOutcome outcome = finished(3);
  CHECK(text(options, outcome, "r").empty());
  outcome.status.error = "disk full";
  CHECK(has(text(options, outcome, "r"), "not complete: disk full"));
  outcome.end = PrivateCollector::End::kDied;
  outcome.how_collector_died = "killed by signal 9";
  CHECK(has(text(options, outcome, "r"), "ended early (killed by signal 9); the program was not affected"));
  CHECK(has(text(options, outcome, "r"), "nothing was written"));
}

TEST_CASE("whole means finished, something recorded, nothing lost") {
  CHECK(is_whole(finished(1)));
  CHECK_FALSE(is_whole(finished(0)));
  TraceOutcome outcome = finished(1);
  outcome.status.dropped = 1;
  CHECK_FALSE(is_whole(outcome));
  outcome = finished(1);
  outcome.status.complete = false;
  CHECK_FALSE(is_whole(outcome));
  outcome = finished(1);
  outcome.end = PrivateCollector::End::kDied;
  CHECK_FALSE(is_whole(outcome));
}

TEST_CASE("a continuous recording is told by its parts, what is counted only, and what it cost") {
  TraceOutcome outcome = finished(1000);
  outcome.output = "/nowhere/xsp-serve-1";
  outcome.status.parts = 8;
  outcome.status.removed_parts = 3;
  outcome.status.bytes = 950'000'000;
  outcome.status.not_stored = 99'000;
  outcome.status.overhead = 0.0042;
  const std::string all = text({}, outcome, "r");
  CHECK(has(all, "xsp: wrote /nowhere/xsp-serve-1 (8 parts, 3 older ones removed, 950.0 MB)"));
  CHECK(has(all, "xsp: 1000 spans stored, 99000 more counted by name only"));
  CHECK(has(all, "xsp: recording cost 0.42 % of the CPU time"));
}
