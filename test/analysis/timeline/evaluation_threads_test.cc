#include "analysis/timeline/evaluation_threads.h"

#include "test/analysis/support/threaded_calls.h"
#include "test/catch.h"

namespace xsp::test {
namespace {

using analysis::EvaluationThreads;
using Setting = analysis::ThreadCountsSetting;

std::vector<EvaluationThreads> group_threads(const Analysed& analysed) {
  std::vector<EvaluationThreads> threads;
  for (const auto& group : analysed.evaluations.groups) threads.push_back(group.threads);
  return threads;
}

TEST_CASE("counts that are the program's own and the same all along change no group") {
  const auto groups_of = [](bool is_told) {
    TraceBuilder builder;
    builder.add_process(10);
    ThreadedCalls calls(&builder);
    for (int i = 0; i < 6; ++i) calls.add({.threads = is_told ? 2U : 0U, .layers_us = {10, 20}});
    // One that the guest tells nothing of.
    calls.add({.threads = 0, .layers_us = {10, 20}});
    calls.told().set_own(2);
    calls.tell();
    const Analysed analysed({builder.bytes()});
    REQUIRE(analysed.evaluations.groups.size() == 1);
    CHECK(analysed.evaluations.threads.size() == (is_told ? 7 : 0));
    CHECK(group_threads(analysed).front() == EvaluationThreads());
    return analysis::model_label(analysed.trace, analysed.evaluations.groups.front());
  };
  CHECK(groups_of(true) == groups_of(false));
}

TEST_CASE("evaluations with different numbers of threads are different groups, and the subject is the program's own") {
  TraceBuilder builder;
  builder.add_process(10);
  ThreadedCalls calls(&builder);
  for (int i = 0; i < 5; ++i) {
    calls.add({.threads = 2, .setting = ThreadCounts::OWN, .layers_us = {20, 10}});
    calls.add({.threads = 1, .setting = ThreadCounts::PROBE, .layers_us = {200, 100}});
    // The program's own number, whoever has set it.
    calls.add({.threads = 2, .setting = ThreadCounts::PROBE, .layers_us = {20, 10}});
    calls.add({.threads = 4, .setting = ThreadCounts::PROBE, .layers_us = {15, 9}});
  }
  calls.add({.threads = 0, .layers_us = {20, 10}});
  calls.told().set_own(2);
  calls.told().set_ended(ThreadCounts::MEASURED);
  calls.tell();
  const Analysed analysed({builder.bytes()});
  const std::vector<EvaluationThreads> expected = {{Setting::kOwn, 2}, {Setting::kProbe, 1}, {Setting::kProbe, 4}};
  CHECK(group_threads(analysed) == expected);
  CHECK(analysed.evaluations.groups[0].evaluations.size() == 11);
  // The slowest calls take more time than all others, and are not what the program does.
  REQUIRE(analysed.study->subject);
  CHECK(analysed.evaluations.groups[*analysed.study->subject].threads == EvaluationThreads{Setting::kOwn, 2});
}

TEST_CASE("what is not told while other numbers are still tried is no group of the program's own number") {
  TraceBuilder builder;
  builder.add_process(10);
  ThreadedCalls calls(&builder);
  for (int i = 0; i < 3; ++i) {
    calls.add({.threads = 2, .setting = ThreadCounts::OWN, .layers_us = {20}});
    calls.add({.threads = 1, .setting = ThreadCounts::PROBE, .layers_us = {30}});
  }
  calls.add({.threads = 0, .layers_us = {20}});
  calls.tell();
  const Analysed analysed({builder.bytes()});
  const std::vector<EvaluationThreads> expected = {{Setting::kOwn, 2}, {Setting::kProbe, 1}, {}};
  CHECK(group_threads(analysed) == expected);
}

TEST_CASE("a program that changes its own number has a group for each") {
  TraceBuilder builder;
  builder.add_process(10);
  ThreadedCalls calls(&builder);
  for (int i = 0; i < 4; ++i) calls.add({.threads = i < 2 ? 1U : 2U, .layers_us = {20}});
  calls.tell();
  const Analysed analysed({builder.bytes()});
  const std::vector<EvaluationThreads> expected = {{Setting::kOwn, 1}, {Setting::kOwn, 2}};
  CHECK(group_threads(analysed) == expected);
}

TEST_CASE("only the model whose threads were changed is divided") {
  TraceBuilder builder;
  builder.add_process(10);
  ThreadedCalls calls(&builder);
  for (int i = 0; i < 4; ++i) {
    calls.add({.threads = 2, .setting = i % 2 == 0 ? ThreadCounts::OWN : ThreadCounts::ADVISED, .layers_us = {20}});
    calls.add({.threads = 2, .layers_us = {20}}, "Other");
  }
  calls.told().set_own(2);
  calls.tell();
  const Analysed analysed({builder.bytes()});
  const std::vector<EvaluationThreads> expected = {{Setting::kOwn, 2}, {}, {Setting::kAdvised, 2}};
  CHECK(group_threads(analysed) == expected);
}

TEST_CASE("counts of spans that are no evaluations, of other rings and other processes are of none") {
  TraceBuilder builder;
  builder.add_process(10);
  builder.add_process(11);
  ThreadedCalls calls(&builder);
  calls.add({.threads = 2, .layers_us = {20}});
  calls.told().mutable_call(0)->set_ring(7);
  auto* layer = calls.told().add_call();
  layer->set_span(2);
  layer->set_threads(5);
  calls.tell();
  auto* other = builder.packet(2)->mutable_thread_counts()->add_call();
  other->set_span(1);
  other->set_threads(3);
  const Analysed analysed({builder.bytes()});
  CHECK(analysed.evaluations.threads.empty());
  CHECK(group_threads(analysed) == std::vector<EvaluationThreads>{{}});
}

}  // namespace
}  // namespace xsp::test
