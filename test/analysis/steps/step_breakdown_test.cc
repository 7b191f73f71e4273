#include "analysis/steps/step_breakdown.h"

#include <algorithm>
#include <map>
#include <random>

#include "analysis/findings/verdict.h"
#include "analysis/study/step_study.h"
#include "proto/communication_kernels.h"
#include "test/analysis/support/nanoseconds.h"
#include "test/analysis/support/trace_builder.h"
#include "test/catch.h"
#include "test/contains.h"

namespace xsp::test {
namespace {

using analysis::StudyOptions;
using analysis::Table;

constexpr int64_t kLaunchUs = 2;

/// A column of the only row of a table.
double number(const Table& table, const std::string& column) {
  REQUIRE(table.rows.size() == 1);
  for (size_t i = 0; i < table.columns.size(); ++i) {
    if (table.columns[i].name != column) continue;
    const auto* value = std::get_if<double>(&table.rows[0][i]);
    if (value != nullptr) return *value;
    const auto* count = std::get_if<int64_t>(&table.rows[0][i]);
    return count == nullptr ? NAN : static_cast<double>(*count);
  }
  FAIL("no column " << column);
  return NAN;
}

std::string text(const Table& table, const std::string& column) {
  for (size_t i = 0; i < table.columns.size(); ++i) {
    if (table.columns[i].name == column) return std::get<std::string>(table.rows[0][i]);
  }
  return {};
}

/// A program on the raster of a microsecond: calls of a model, in which it launches kernels and copies that run when
/// the stream is free, and waits for the device now and then.
class Program {
 public:
  explicit Program(uint32_t seed) : random_(seed) { builder_.add_process(10); }

  /// The host's time goes on.
  void pause(int64_t us) { now_ += us; }

  void evaluate(size_t launches, int64_t kernel_us, bool waits) {
    const uint32_t root = ++id_;
    const int64_t begin = now_;
    int64_t device_end = 0;
    for (size_t i = 0; i < launches; ++i) {
      now_ += 3;
      const int64_t length = 1 + std::uniform_int_distribution<int64_t>(0, 2 * kernel_us)(random_);
      const int kind = std::uniform_int_distribution<int>(0, 9)(random_);
      const bool communicates = kind == 0;
      const bool copies = kind == 1;
      const uint32_t stream = communicates ? 1 : copies ? 2 : 0;
      int64_t& free = free_[stream];
      const int64_t start = std::max(free, now_ + 4);
      free = start + length;
      device_end = std::max(device_end, free);
      runs_.push_back({start, free, now_, communicates, copies, windows_.size()});
      const uint32_t launch = ++id_;
      add_span(LEVEL_RUNTIME, launch, root, now_, now_ + kLaunchUs, copies ? "cudaMemcpyAsync" : "cudaLaunchKernel");
      executions_.push_back({.begin = start * kUs,
                             .end = free * kUs,
                             .name = communicates ? "ncclDevKernel_AllReduce_Sum_f32_RING_LL(x)"
                                     : copies     ? "HtoD"
                                                  : "gemm",
                             .kind = copies ? KIND_MEMCPY : KIND_KERNEL,
                             .launch = launch,
                             .launch_ring = 1,
                             .correlation = launch,
                             .stream = stream,
                             .process = 1});
    }
    now_ += 2;
    if (waits) {
      const int64_t until = std::max(now_, device_end) + 1;
      add_span(LEVEL_RUNTIME, ++id_, root, now_, until, "cudaStreamSynchronize");
      waits_.emplace_back(now_, until);
      now_ = until;
    }
    add_span(LEVEL_MODEL, root, 0, begin, now_, "Net");
    windows_.emplace_back(begin, std::max(now_, device_end));
  }

  std::string bytes() {
    builder_.add_executions(executions_);
    return builder_.bytes();
  }

  /// Lengths over the windows of all evaluations but the first, moment by moment.
  struct Raster {
    int64_t windows = 0, busy = 0, communication = 0, exposed = 0, copy_only = 0, idle_wait = 0, idle_copy = 0;
    int64_t idle_launch = 0, kernels = 0, kernel_time = 0;
  };
  /// `joined`: what lies between windows counts too.
  Raster raster(bool joined) const {
    struct Moment {
      bool window, computes, communicates, copies, waits;
    };
    const int64_t last = std::max_element(windows_.begin(), windows_.end(), [](const auto& a, const auto& b) {
                           return a.second < b.second;
                         })->second;
    std::vector<Moment> moments(static_cast<size_t>(last + 1));
    const auto mark = [&](int64_t begin, int64_t end, auto&& set) {
      for (int64_t at = begin; at < std::min(end, last + 1); ++at) set(moments[static_cast<size_t>(at)]);
    };
    for (size_t i = 1; i < windows_.size(); ++i) {
      const int64_t end =
          joined && i + 1 < windows_.size() ? std::max(windows_[i].second, windows_[i + 1].first) : windows_[i].second;
      mark(windows_[i].first, end, [](Moment& m) { m.window = true; });
    }
    for (const auto& [begin, end] : waits_) mark(begin, end, [](Moment& m) { m.waits = true; });
    for (const Run& run : runs_) {
      mark(run.begin, run.end, [&](Moment& m) {
        (run.copies ? m.copies : run.communicates ? m.communicates : m.computes) = true;
      });
    }
    Raster raster;
    for (int64_t at = 0; at <= last; ++at) {
      const Moment& m = moments[static_cast<size_t>(at)];
      if (!m.window) continue;
      const bool busy = m.computes || m.communicates;
      ++raster.windows;
      raster.busy += busy;
      raster.copy_only += m.copies && !busy;
      raster.idle_wait += m.waits && !busy;
      raster.idle_copy += m.copies && !busy && !m.waits && next_kernel_is_launched(at);
      raster.idle_launch += !busy && !m.copies && !m.waits && next_kernel_is_being_launched(at);
    }
    for (const Run& run : runs_) {
      if (run.copies || !moments[static_cast<size_t>(run.begin)].window) continue;
      ++raster.kernels;
      raster.kernel_time += run.end - run.begin;
    }
    // Of one evaluation they follow each other on their stream.
    for (const Run& run : runs_) {
      if (!run.communicates || run.evaluation == 0) continue;
      for (int64_t at = run.begin; at < run.end; ++at) {
        ++raster.communication;
        raster.exposed += !moments[static_cast<size_t>(at)].computes;
      }
    }
    return raster;
  }

  /// Behind the last one nothing is launched late.
  bool next_kernel_is_launched(int64_t at) const {
    const Run* next = first_after(at, false);
    return next == nullptr || next->launched <= at;
  }

  /// Whether the call that launches the kernel that ends the time in which nothing runs is going on.
  bool next_kernel_is_being_launched(int64_t at) const {
    const Run* next = first_after(at, true);
    return next != nullptr && !next->copies && next->launched <= at && at < next->launched + kLaunchUs;
  }

  const std::vector<std::pair<int64_t, int64_t>>& windows() const { return windows_; }

 private:
  struct Run {
    int64_t begin, end, launched;
    bool communicates, copies;
    size_t evaluation;
  };

  const Run* first_after(int64_t at, bool or_copy) const {
    const Run* next = nullptr;
    for (const Run& run : runs_) {
      if ((or_copy || !run.copies) && run.begin > at && (next == nullptr || run.begin < next->begin)) next = &run;
    }
    return next;
  }

  void add_span(int level, uint32_t id, uint32_t parent, int64_t begin, int64_t end, const std::string& name) {
    builder_.add({.begin = begin * kUs,
                  .end = end * kUs,
                  .id = id,
                  .parent = parent,
                  .level = level,
                  .kind = level == LEVEL_MODEL ? KIND_TORCH_ROOT : KIND_RUNTIME_CALL,
                  .name = name,
                  .type = level == LEVEL_MODEL ? "" : "cudart",
                  .input = level == LEVEL_MODEL ? "[4,3,8,8]" : "",
                  .ring = 1});
  }

  TraceBuilder builder_;
  std::mt19937 random_;
  int64_t now_ = 100;
  uint32_t id_ = 0;
  std::map<uint32_t, int64_t> free_;
  std::vector<Run> runs_;
  std::vector<ExecutionSpec> executions_;
  std::vector<std::pair<int64_t, int64_t>> waits_;
  std::vector<std::pair<int64_t, int64_t>> windows_;
};

TEST_CASE("the parts of a step agree with a count of every moment") {
  for (uint32_t seed = 0; seed < 40; ++seed) {
    Program program(seed);
    const bool waits = seed % 2 == 0;
    const int64_t kernel_us = 1 + seed % 9;
    for (int i = 0; i < 8; ++i) {
      program.evaluate(20, kernel_us, waits);
      program.pause(seed % 4 == 1 ? 400 : 5);
    }
    StudyOptions options{.skip = 1};
    options.statistic.kind = analysis::Statistic::Kind::kMean;
    const Analysed analysed({program.bytes()}, options);
    REQUIRE(analysed.status.ok());
    const Table kernels = analysed.table("A15");
    const Table models = analysed.table("A1");
    const bool by_period = text(models, "throughput_of") == "period";
    const Program::Raster truth = program.raster(by_period);
    const double step_ms = number(kernels, "step_ms");
    const auto part = [&](int64_t us) {
      return Approx(step_ms * static_cast<double>(us) / static_cast<double>(truth.windows)).margin(1e-9);
    };
    INFO("seed " << seed << (by_period ? ", by period" : ", by latency"));
    CHECK(step_ms == Approx(number(models, by_period ? "period_ms" : "latency_ms")));
    CHECK(number(kernels, "gpu_busy_ms") == part(truth.busy));
    CHECK(number(kernels, "gpu_busy_pct") ==
          Approx(100.0 * static_cast<double>(truth.busy) / static_cast<double>(truth.windows)));
    constexpr double kUsed = 7;
    CHECK(number(kernels, "communication_ms") == Approx(static_cast<double>(truth.communication) / 1e3 / kUsed));
    CHECK(number(kernels, "exposed_communication_ms") == Approx(static_cast<double>(truth.exposed) / 1e3 / kUsed));
    CHECK(number(kernels, "copy_only_ms") == part(truth.copy_only));
    CHECK(number(kernels, "idle_ms") == part(truth.windows - truth.busy));
    CHECK(number(kernels, "idle_sync_ms") == part(truth.idle_wait));
    CHECK(number(kernels, "idle_copy_ms") == part(truth.idle_copy));
    CHECK(number(kernels, "launch_gap_ms") == part(truth.idle_launch));
    CHECK(number(kernels, "step_kernels") == Approx(static_cast<double>(truth.kernels) / kUsed));
    CHECK(number(kernels, "step_kernel_ms") == Approx(static_cast<double>(truth.kernel_time) / 1e3 / kUsed));
    const double parts = number(kernels, "idle_input_ms") + number(kernels, "idle_sync_ms") +
                         number(kernels, "idle_copy_ms") + number(kernels, "idle_host_ms");
    CHECK(parts == Approx(number(kernels, "idle_ms")).margin(1e-9));
  }
}

TEST_CASE("throughput is of the period where the host runs ahead, and of the latency where it waits") {
  Program ahead(1);
  Program waiting(1);
  for (int i = 0; i < 8; ++i) {
    ahead.evaluate(20, 30, false);
    waiting.evaluate(20, 30, true);
    ahead.pause(3);
    waiting.pause(5000);
  }
  const Analysed runs_ahead({ahead.bytes()}, {.skip = 1});
  const Analysed waits({waiting.bytes()}, {.skip = 1});
  const Table fast = runs_ahead.table("A1");
  const Table slow = waits.table("A1");
  CHECK(text(fast, "throughput_of") == "period");
  CHECK(number(fast, "throughput_per_s") == Approx(4 * 1e3 / number(fast, "period_ms")));
  CHECK(number(fast, "latency_ms") > 1.5 * number(fast, "period_ms"));
  CHECK(text(slow, "throughput_of") == "latency");
  CHECK(number(slow, "throughput_per_s") == Approx(4 * 1e3 / number(slow, "latency_ms")));
  CHECK(number(slow, "period_ms") > 5);
  CHECK(contains(analysis::verdict_of(*runs_ahead.study), "Step "));
  CHECK(contains(analysis::verdict_of(*waits.study), "Call "));
}

TEST_CASE("the period of fewer than three steps is not known, and the verdict says so") {
  Program program(3);
  for (int i = 0; i < 2; ++i) program.evaluate(20, 30, false);
  const Analysed analysed({program.bytes()}, {.skip = 0});
  const Table models = analysed.table("A1");
  CHECK(text(models, "throughput_of") == "period");
  CHECK(std::isnan(number(models, "period_ms")));
  CHECK(std::isnan(number(models, "throughput_per_s")));
  CHECK(contains(analysis::verdict_of(*analysed.study), "only 2 steps in the trace"));
}

TEST_CASE("evaluations of another input between two of a kind are no part of their period") {
  TraceBuilder builder;
  builder.add_process(10);
  for (int64_t i = 0; i < 12; ++i) builder.add_evaluation(100 * i, {6, 4}, "Net", i % 3 == 2 ? "[8,3]" : "[4,3]");
  // Another model between them is: each step of a pair has both.
  for (int64_t i = 0; i < 12; ++i) builder.add_evaluation(100 * i + 50, {1}, "Other", i % 2 == 0 ? "[1]" : "[2]");
  const Analysed analysed({builder.bytes()});
  const Table models = analysed.table("A1");
  const auto period = [&](const std::string& input) {
    for (const auto& row : models.rows) {
      if (test::text(row[7]) == input) return test::number(row[9]);
    }
    return 0.0;
  };
  REQUIRE(models.columns[7].name == "input");
  REQUIRE(models.columns[9].name == "period_ms");
  CHECK(period("[4,3]") == Approx(100));
  CHECK(period("[8,3]") == -1);
  CHECK(period("[1]") == -1);
}

TEST_CASE("calls that wait for the device are told by their names") {
  for (const char* name :
       {"cudaStreamSynchronize", "cudaDeviceSynchronize", "cudaEventSynchronize", "cuCtxSynchronize", "cudaMemcpy",
        "cudaMemcpy2D", "cuMemcpyDtoH_v2", "cuMemcpyHtoD_v2", "hipMemcpy", "hipStreamSynchronize"}) {
    INFO(name);
    CHECK(analysis::is_blocking_call(name));
  }
  for (const char* name :
       {"cudaMemcpyAsync", "cudaStreamWaitEvent", "cudaEventQuery", "cudaLaunchKernel", "cuMemcpyDtoD_v2",
        "cudaMemcpyPeer", "cuMemcpyDtoHAsync_v2", "cudaMalloc", "Synchronize", "aten::copy_"}) {
    INFO(name);
    CHECK_FALSE(analysis::is_blocking_call(name));
  }
}

TEST_CASE("kernels of communication are told by their names") {
  for (const char* name :
       {"ncclKernel_AllReduce_RING_LL_Sum_half(ncclDevComm*, unsigned long, ncclWork*)",
        "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)", "void vllm::cross_device_reduce_1stage<half, 2>(x)",
        "_Z20rcclGenericKernelILi4ELb0EEv", "void nvshmemi_transfer_allreduce<float>()"}) {
    CHECK(wire::is_communication_kernel(name));
  }
  for (const char* name : {"void at::native::reduce_kernel<512, 1>(x)", "ampere_sgemm_128x64_nn", "nccl_free_scale",
                           "void cudnn::bn_fw_tr_1C11_kernel_NCHW()"}) {
    CHECK_FALSE(wire::is_communication_kernel(name));
  }
}

}  // namespace
}  // namespace xsp::test
