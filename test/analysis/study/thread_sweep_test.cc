#include "analysis/study/thread_sweep.h"

#include "analysis/study/layer_inputs.h"
#include "test/analysis/support/threaded_calls.h"
#include "test/catch.h"

namespace xsp::test {
namespace {

using analysis::RunValues;
using analysis::StudyOptions;
using analysis::ThreadsEnded;
using analysis::ThreadSweep;

/// A layer whose time follows a law of the number of threads, in us.
int64_t law_us(uint32_t threads) { return 1200 / threads + 10 * threads; }

TraceBuilder started(uint32_t online = 4, uint32_t cores = 4, uint32_t runnable = 0) {
  TraceBuilder builder;
  auto* processors = builder.message().mutable_packet(0)->mutable_header()->mutable_processors();
  processors->set_online(online);
  processors->set_allowed(cores);
  processors->set_cores(cores);
  processors->set_runnable(runnable);
  builder.add_process(10);
  return builder;
}

/// xsp-run --concurrency measure: own calls and probes take turns.
std::string probed(const std::vector<uint32_t>& probes, uint32_t own, uint32_t runnable = 1, int64_t waited_us = 0) {
  TraceBuilder builder = started();
  ThreadedCalls calls(&builder);
  for (int i = 0; i < 6; ++i) {
    const auto add = [&](uint32_t threads, ThreadCounts::Setting setting) {
      calls.add({.threads = threads,
                 .setting = setting,
                 .layers_us = {law_us(threads) + (i == 0 ? 5000 : i), 100},
                 .runnable = runnable,
                 .waited_us = waited_us});
    };
    add(own, ThreadCounts::OWN);
    for (const uint32_t threads : probes) add(threads, ThreadCounts::PROBE);
  }
  calls.told().set_own(own);
  calls.told().set_cores(3);
  calls.told().set_ended(ThreadCounts::MEASURED);
  auto* change = calls.told().add_switch_();
  change->set_from(1);
  change->set_to(own);
  change->set_cost_ns(2500);
  change->set_n(40);
  calls.tell();
  return builder.bytes();
}

TEST_CASE("a program without other numbers of threads has no sweep") {
  TraceBuilder builder = started();
  ThreadedCalls calls(&builder);
  for (int i = 0; i < 6; ++i) calls.add({.threads = 2, .layers_us = {100}});
  calls.tell();
  const Analysed analysed({builder.bytes()});
  CHECK(thread_sweep(*analysed.study) == nullptr);
  CHECK(thread_sweep(*analysed.study) == nullptr);
}

TEST_CASE("evaluations of one process with several numbers of threads are a sweep, without their warm-up") {
  const Analysed analysed({probed({1, 3}, 2)});
  const ThreadSweep* sweep = thread_sweep(*analysed.study);
  REQUIRE(sweep != nullptr);
  CHECK(thread_sweep(*analysed.study) == sweep);
  CHECK(sweep->in_process);
  CHECK_FALSE(sweep->is_applied);
  CHECK_FALSE(sweep->is_set_by_program);
  CHECK(sweep->own_threads == 2);
  CHECK(sweep->cores == 3);
  CHECK(sweep->ended == ThreadsEnded::kMeasured);
  REQUIRE(sweep->switches.size() == 1);
  CHECK(sweep->switches[0].cost_ns == 2500);
  REQUIRE(sweep->points.size() == 3);
  REQUIRE(sweep->layers.size() == 2);
  CHECK(sweep->layers[0].name == "l0");
  CHECK(sweep->layers[0].type == "Conv2d");
  CHECK(sweep->layers[0].shape == "[4,8]");
  CHECK(sweep->layers[1].index == 1);
  for (uint32_t i = 0; i < 3; ++i) {
    const uint32_t threads = i + 1;
    CHECK(sweep->points[i].threads == threads);
    CHECK(sweep->points[i].is_own == (threads == 2));
    CHECK(sweep->points[i].seen == threads);
    // The first call of each number is warm-up.
    RunValues layer(1);
    RunValues model(1);
    for (int call = 1; call < 6; ++call) {
      const auto us = static_cast<double>(law_us(threads) + call);
      layer[0].push_back(us * 1000);
      model[0].push_back((us + 100) * 1000 + 2000);
    }
    CHECK(sweep->layers[0].latency_ns[i] == layer);
    CHECK(sweep->points[i].model_ns == model);
  }
}

TEST_CASE("the cores that can be used are those that the user says, else the guest, else the collector") {
  StudyOptions options;
  options.concurrency.cores = 7;
  const Analysed given({probed({1}, 2)}, options);
  CHECK(thread_sweep(*given.study)->cores == 7);
  TraceBuilder builder = started(8, 6);
  builder.message().mutable_packet(0)->mutable_header()->mutable_processors()->set_quota(4.5);
  ThreadedCalls calls(&builder);
  for (int i = 0; i < 4; ++i) {
    calls.add({.threads = 2, .layers_us = {100}});
    calls.add({.threads = 1, .setting = ThreadCounts::PROBE, .layers_us = {150}});
  }
  calls.tell();
  const Analysed by_header({builder.bytes()});
  CHECK(thread_sweep(*by_header.study)->cores == 5);
}

TEST_CASE("a machine is busy that has more runnable tasks than processors, or whose calls wait for one") {
  const auto load_of = [](const std::string& bytes) {
    const Analysed analysed({bytes});
    REQUIRE(thread_sweep(*analysed.study) != nullptr);
    return thread_sweep(*analysed.study)->load;
  };
  const auto idle = load_of(probed({1, 3}, 2, 4));
  CHECK(idle.online == 4);
  CHECK(idle.runnable == 4);
  CHECK(idle.waited_pct == 0);
  CHECK_FALSE(idle.is_busy);
  CHECK(load_of(probed({1, 3}, 2, 5)).is_busy);
  const auto waiting = load_of(probed({1, 3}, 2, 1, 300));
  CHECK(*waiting.waited_pct > 10);
  CHECK(waiting.is_busy);
  // More threads than cores wait for each other: that tells nothing of others.
  TraceBuilder builder = started(4, 2);
  ThreadedCalls calls(&builder);
  for (int i = 0; i < 4; ++i) {
    calls.add({.threads = 8, .layers_us = {100}, .runnable = 8, .waited_us = 90});
    calls.add({.threads = 2, .setting = ThreadCounts::PROBE, .layers_us = {150}, .runnable = 2, .waited_us = 0});
  }
  calls.told().set_own(8);
  calls.told().set_cores(2);
  calls.tell();
  const auto oversubscribed = load_of(builder.bytes());
  CHECK(oversubscribed.runnable == 2);
  CHECK(oversubscribed.waited_pct == 0);
  CHECK_FALSE(oversubscribed.is_busy);
}

TEST_CASE("a run that applies advice has blocks in order of time") {
  TraceBuilder builder = started();
  ThreadedCalls calls(&builder);
  for (uint32_t block = 1; block <= 4; ++block) {
    for (int i = 0; i < 3; ++i) {
      const bool is_own = block % 2 == 1;
      calls.add({.threads = 4,
                 .setting = is_own ? ThreadCounts::OWN : ThreadCounts::ADVISED,
                 .layers_us = {is_own ? 200 : 100},
                 .block = block});
    }
  }
  calls.add({.threads = 4, .layers_us = {200}});  // of no block
  calls.told().set_own(4);
  calls.tell();
  const Analysed analysed({builder.bytes()});
  const ThreadSweep* sweep = thread_sweep(*analysed.study);
  REQUIRE(sweep != nullptr);
  CHECK(sweep->is_applied);
  REQUIRE(sweep->points.size() == 1);
  CHECK(sweep->points[0].is_own);
  REQUIRE(sweep->blocks.size() == 4);
  for (size_t i = 0; i < 4; ++i) {
    const bool is_own = i % 2 == 0;
    CHECK(sweep->blocks[i].setting == (is_own ? analysis::ThreadSetting::kOwn : analysis::ThreadSetting::kAdvised));
    // The first call of each setting is warm-up.
    const std::vector<double> expected(i < 2 ? 2 : 3, is_own ? 202'000 : 102'000);
    CHECK(sweep->blocks[i].model_ns == expected);
  }
}

/// One run of a set at a point, recorded down to `level`.
std::string run_at(uint32_t index, const std::string& level, uint32_t threads, uint32_t seen, int64_t layer_us,
                   uint32_t runnable = 0, bool is_own = false) {
  TraceBuilder builder;
  builder.describe_run(index, level, 1, {{"threads", std::to_string(threads)}});
  auto* processors = builder.message().mutable_packet(0)->mutable_header()->mutable_processors();
  processors->set_online(4);
  processors->set_allowed(4);
  processors->set_cores(2);
  processors->set_runnable(runnable);
  builder.add_process(10 + index);
  if (!is_own) {
    auto* hello = builder.message().mutable_packet(1)->mutable_hello();
    (*hello->mutable_environment())["OMP_NUM_THREADS"] = std::to_string(threads);
  }
  ThreadedCalls calls(&builder);
  for (int i = 0; i < 4; ++i) {
    std::vector<int64_t> layers;
    if (level != "model") layers = {layer_us, 50};
    calls.add({.threads = seen, .layers_us = layers});
  }
  if (seen != 0) calls.tell();
  return builder.bytes();
}

TEST_CASE("runs of a set with a parameter called threads are a sweep, each level timed by its own runs") {
  const Analysed analysed({run_at(1, "model", 1, 1, 0), run_at(2, "layer", 1, 1, 100), run_at(3, "model", 2, 2, 0),
                           run_at(4, "layer", 2, 2, 60), run_at(5, "model", 4, 4, 0, 0, true),
                           run_at(6, "layer", 4, 4, 40, 0, true)});
  const ThreadSweep* sweep = thread_sweep(*analysed.study);
  REQUIRE(sweep != nullptr);
  CHECK_FALSE(sweep->in_process);
  CHECK(sweep->cores == 2);
  CHECK(sweep->own_threads == 4);
  REQUIRE(sweep->points.size() == 3);
  REQUIRE(sweep->layers.size() == 2);
  const std::vector<uint32_t> threads = {1, 2, 4};
  const std::vector<double> layer_ns = {100'000, 60'000, 40'000};
  for (size_t i = 0; i < 3; ++i) {
    CHECK(sweep->points[i].threads == threads[i]);
    CHECK(sweep->points[i].seen == threads[i]);
    CHECK(sweep->points[i].is_own == (threads[i] == 4));
    CHECK(sweep->points[i].model_ns == RunValues{{2000, 2000, 2000}});  // no layers are recorded in these runs
    CHECK(sweep->layers[0].latency_ns[i] == RunValues{std::vector<double>(3, layer_ns[i])});
    CHECK(sweep->layers[1].latency_ns[i] == RunValues{{50'000, 50'000, 50'000}});
  }
  CHECK_FALSE(sweep->is_set_by_program);
  CHECK_FALSE(sweep->load.is_busy);
}

TEST_CASE("a program that sets its number of threads itself has the same one at all points") {
  const Analysed analysed({run_at(1, "layer", 1, 2, 100), run_at(2, "layer", 2, 2, 100), run_at(3, "layer", 4, 2, 99)});
  REQUIRE(thread_sweep(*analysed.study) != nullptr);
  CHECK(thread_sweep(*analysed.study)->is_set_by_program);
  // Where no guest tells, it is not known.
  const Analysed silent({run_at(1, "layer", 1, 0, 100), run_at(2, "layer", 2, 0, 100)});
  REQUIRE(thread_sweep(*silent.study) != nullptr);
  CHECK_FALSE(thread_sweep(*silent.study)->is_set_by_program);
  CHECK(thread_sweep(*silent.study)->own_threads == 0);
}

TEST_CASE("neighbours before the runs and their own threads make a machine busy together") {
  const auto is_busy = [](uint32_t runnable) {
    const Analysed analysed({run_at(1, "layer", 1, 0, 100, runnable), run_at(2, "layer", 2, 0, 60, runnable)});
    return thread_sweep(*analysed.study)->load.is_busy;
  };
  CHECK_FALSE(is_busy(0));
  CHECK_FALSE(is_busy(2));  // with two threads there are as many as processors
  CHECK(is_busy(3));
}

TEST_CASE("a layer that a point does not have is empty there, and alike layers are told apart by their order") {
  TraceBuilder builder = started();
  ThreadedCalls calls(&builder);
  for (int i = 0; i < 5; ++i) {
    calls.add({.threads = 2, .layers_us = {100, 20, 30}});
    calls.add({.threads = 1, .setting = ThreadCounts::PROBE, .layers_us = {150, 25}});
  }
  calls.told().set_own(2);
  calls.tell();
  const Analysed analysed({builder.bytes()});
  const ThreadSweep* sweep = thread_sweep(*analysed.study);
  REQUIRE(sweep != nullptr);
  REQUIRE(sweep->layers.size() == 3);
  CHECK(sweep->layers[2].latency_ns[0].empty());
  CHECK(sweep->layers[2].latency_ns[1] == RunValues{{30'000, 30'000, 30'000, 30'000}});
}

TEST_CASE("shapes are counted in elements, all tensors together") {
  CHECK(analysis::elements_of_shapes("[8,3,4];[8,2]") == 112.0);
  CHECK(analysis::elements_of_shapes("[]") == 1.0);
  CHECK_FALSE(analysis::elements_of_shapes(""));
  CHECK_FALSE(analysis::elements_of_shapes("CUDAExecutionProvider"));
  CHECK_FALSE(analysis::elements_of_shapes("[8,-3]"));
}

}  // namespace
}  // namespace xsp::test
