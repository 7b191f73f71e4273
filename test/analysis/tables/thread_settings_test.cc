/// What A1 and Q1 tell of numbers of threads, and of the processors there were.

#include "analysis/compare/model_match.h"
#include "analysis/report/report_header.h"
#include "analysis/tables/model_information.h"
#include "analysis/tables/model_sweeps.h"
#include "analysis/tables/trace_quality.h"
#include "test/analysis/support/threaded_calls.h"
#include "test/catch.h"
#include "test/contains.h"

namespace xsp::test {
namespace {

using analysis::kA1;

std::string taking_turns() {
  TraceBuilder builder;
  builder.add_process(10);
  ThreadedCalls calls(&builder);
  for (int i = 0; i < 5; ++i) {
    calls.add({.threads = 2, .layers_us = {20, 10}});
    calls.add({.threads = 1, .setting = ThreadCounts::PROBE, .layers_us = {200, 100}});
    calls.add({.threads = 2, .setting = ThreadCounts::ADVISED, .layers_us = {15, 10}});
  }
  calls.told().set_own(2);
  calls.tell();
  return builder.bytes();
}

xsp::Processors* told_in(TraceBuilder* builder) {
  return builder->message().mutable_packet(0)->mutable_header()->mutable_processors();
}

TEST_CASE("A1 says with how many threads and by whose choice, only where there are several") {
  const Analysed analysed({taking_turns()});
  const auto a1 = analysed.table("A1");
  REQUIRE(a1.rows.size() == 3);
  REQUIRE(a1.has(kA1.threads));
  const std::vector<std::pair<double, std::string>> expected = {{2, "own"}, {1, "probe"}, {2, "advised"}};
  for (size_t row = 0; row < 3; ++row) {
    CHECK(number(a1.at(row, kA1.threads)) == expected[row].first);
    CHECK(text(a1.at(row, kA1.setting)) == expected[row].second);
  }
  CHECK(has_note(analysed.table("A2"), "Net, input [4,3], 2 threads (own): "));

  TraceBuilder builder;
  builder.add_process(10);
  ThreadedCalls calls(&builder);
  for (int i = 0; i < 5; ++i) calls.add({.threads = 2, .layers_us = {20, 10}});
  calls.tell();
  const Analysed unchanged({builder.bytes()});
  CHECK_FALSE(unchanged.table("A1").has(kA1.threads));
  CHECK_FALSE(has_note(unchanged.table("A2"), "threads"));
}

TEST_CASE("evaluations with different numbers of threads are no batch sizes of one sweep") {
  const Analysed analysed({taking_turns()});
  const auto sweeps = model_sweeps(*analysed.study);
  REQUIRE(sweeps.size() == 3);
  CHECK(sweeps[0].point == "2 threads (own)");
  CHECK(sweeps[1].point == "1 thread");
  CHECK(sweeps[2].point == "advised threads");
  CHECK_FALSE(has_note(analysed.table("A1"), "of the sweep"));
}

TEST_CASE("the header says which of the calls the tables are of") {
  const Analysed analysed({taking_turns()});
  CHECK(contains(report_header(*analysed.study).line, "4 of 15 calls used, those with 2 threads (own)"));
}

TEST_CASE("a program's own number of threads is compared with a recording that knows no other") {
  TraceBuilder builder;
  builder.add_process(10);
  ThreadedCalls calls(&builder);
  for (int i = 0; i < 5; ++i) calls.add({.threads = 0, .layers_us = {20, 10}});
  const Analysed plain({builder.bytes()});
  const Analysed turns({taking_turns()});
  const auto matches = match_models(*plain.study, *turns.study);
  REQUIRE(matches.size() == 3);
  size_t same = 0;
  for (const auto& match : matches) {
    if (match.how != analysis::Alignment::kSame) continue;
    ++same;
    const auto& group = turns.evaluations.groups[turns.study->groups[match.b]];
    CHECK(group.threads.setting == analysis::ThreadCountsSetting::kOwn);
  }
  CHECK(same == 1);
}

TEST_CASE("Q1 says which processors a command could use and what load there was before") {
  TraceBuilder builder;
  auto* told = told_in(&builder);
  told->set_online(64);
  told->set_allowed(4);
  told->set_cores(2);
  told->set_quota(1.5);
  told->set_runnable(7);
  told->set_load(80.25);
  builder.add_process(10);
  ThreadedCalls(&builder).add({.threads = 0, .layers_us = {20}});
  const Analysed analysed({builder.bytes()});
  const auto q1 = analysed.table("Q1");
  CHECK(quality(q1, "allowed_processors") == 4);
  CHECK(quality(q1, "processor_quota") == 1.5);
  CHECK(quality(q1, "runnable_before") == 7);
  CHECK(quality(q1, "load_before") == 80.25);
  const auto note = [&](const std::string& quantity) {
    for (size_t row = 0; row < q1.rows.size(); ++row) {
      if (text(q1.at(row, analysis::kQ1.quantity)) == quantity) return text(q1.at(row, analysis::kQ1.note));
    }
    return std::string("no row");
  };
  CHECK(note("allowed_processors") ==
        "of 64: the command may not run on the others (its affinity); they are threads of 2 cores");
  CHECK(contains(note("load_before"), "more than the 64 processors"));
  CHECK(contains(note("runnable_before"), "take time from the command"));
}

TEST_CASE("Q1 has no rows of processors that no trace tells, and of several recordings those that limit most") {
  TraceBuilder silent;
  silent.add_process(10);
  ThreadedCalls(&silent).add({.threads = 0, .layers_us = {20}});
  const Analysed without({silent.bytes()});
  for (const char* quantity : {"allowed_processors", "processor_quota", "runnable_before", "load_before"}) {
    CHECK(quality(without.table("Q1"), quantity) == -2);
  }
  std::vector<std::string> inputs;
  for (const uint32_t allowed : {8U, 2U, 4U}) {
    TraceBuilder builder;
    told_in(&builder)->set_online(8);
    told_in(&builder)->set_allowed(allowed);
    told_in(&builder)->set_load(allowed);
    builder.add_process(10);
    ThreadedCalls(&builder).add({.threads = 0, .layers_us = {20}});
    inputs.push_back(builder.bytes());
  }
  const auto q1 = Analysed(inputs).table("Q1");
  CHECK(quality(q1, "allowed_processors") == 2);
  CHECK(quality(q1, "processor_quota") == -2);
  CHECK(quality(q1, "load_before") == 8);
}

TEST_CASE("the machine of a header says how a command is kept from using all of it") {
  TraceBuilder builder;
  auto* header = builder.message().mutable_packet(0)->mutable_header();
  header->set_cpu_count(64);
  header->set_kernel("Linux 6.1.0");
  told_in(&builder)->set_online(64);
  told_in(&builder)->set_allowed(2);
  builder.add_process(10);
  ThreadedCalls(&builder).add({.threads = 0, .layers_us = {20}});
  const Analysed analysed({builder.bytes()});
  const auto facts = report_header(*analysed.study).facts;
  const auto machine =
      std::find_if(facts.begin(), facts.end(), [](const analysis::Fact& fact) { return fact.name == "Machine"; });
  REQUIRE(machine != facts.end());
  CHECK(machine->value == "64 logical CPUs, 2 of 64 processors, Linux 6.1.0");
}

}  // namespace
}  // namespace xsp::test
