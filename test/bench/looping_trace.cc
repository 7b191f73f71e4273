/// Writes the trace of a program that loops on a GPU: iterations of 1000 operations on three streams, two that compute
/// and one that copies.
///
///     looping_trace FILE OPERATIONS [ordered|blocks|launches]
///
/// ordered: operations are recorded in order of begin. blocks: as a library hands them over that keeps a buffer a
/// stream. launches: ordered, each with the call that launched it.

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "test/bench/trace_file.h"

namespace {

enum class Order { kOrdered, kBlocks, kLaunches };

constexpr uint32_t kStreams = 3;
constexpr uint32_t kCopyStream = 2;
constexpr size_t kBatchRows = 4000;
constexpr uint32_t kLaunchRing = 1;
constexpr uint32_t kKernelNames = 40;
constexpr uint32_t kGrids = 8;

// String ids; 0 is no string.
constexpr uint32_t kFirstName = 1;
constexpr uint32_t kFirstGrid = kFirstName + kKernelNames;
constexpr uint32_t kToDevice = kFirstGrid + kGrids;
constexpr uint32_t kToHost = kToDevice + 1;
constexpr uint32_t kLaunch = kToHost + 1;
constexpr uint32_t kLibrary = kLaunch + 1;

constexpr uint8_t kRuntimeLevel = 5;
constexpr uint8_t kDeviceLevel = 6;
constexpr uint8_t kRuntimeCall = 9;
constexpr uint8_t kKernel = 13;
constexpr uint8_t kMemcpy = 14;

struct Operation {
  uint32_t name = 0;
  uint32_t grid = 0;  // 0: a copy
  uint32_t stream = 0;
  uint32_t nanoseconds = 0;
};

/// Input comes to the device, 23 equal blocks of 40 kernels and what is around them compute, a loss goes to the host.
std::vector<Operation> iteration() {
  std::mt19937 random(1);
  const auto kernels = [&](size_t count) {
    std::vector<Operation> result(count);
    for (Operation& operation : result) {
      operation.name = kFirstName + static_cast<uint32_t>(random() % kKernelNames);
      operation.grid = kFirstGrid + static_cast<uint32_t>(random() % kGrids);
      operation.stream = random() % 8 == 0 ? 1 : 0;
      operation.nanoseconds = 2000 + static_cast<uint32_t>(random() % 20'000);
    }
    return result;
  };
  std::vector<Operation> all = {{.name = kToDevice, .stream = kCopyStream, .nanoseconds = 100'000},
                                {.name = kToDevice, .stream = kCopyStream, .nanoseconds = 3000}};
  const auto append = [&](const std::vector<Operation>& part) { all.insert(all.end(), part.begin(), part.end()); };
  append(kernels(20));
  const std::vector<Operation> block = kernels(40);
  for (int i = 0; i < 23; ++i) append(block);
  append(kernels(57));
  all.push_back({.name = kToHost, .stream = kCopyStream, .nanoseconds = 2000});
  return all;
}

std::vector<std::string> strings() {
  std::vector<std::string> texts;
  for (uint32_t i = 0; i < kKernelNames; ++i) texts.push_back("_Z6kernelILi" + std::to_string(i) + "EEvPfi");
  for (uint32_t i = 0; i < kGrids; ++i) texts.push_back("grid=[" + std::to_string(1 << i) + ",1,1] block=[256,1,1]");
  texts.insert(texts.end(), {"HtoD", "DtoH", "cudaLaunchKernel", "cudart"});
  return texts;
}

class LoopingTrace {
 public:
  LoopingTrace(const char* path, Order order) : file_(path, strings()), order_(order) {}

  void write(uint64_t count) {
    const std::vector<Operation> pattern = iteration();
    std::array<uint64_t, kStreams> free_at{};
    uint64_t now = 1'000'000'000;
    for (uint64_t i = 0; i < count; ++i) {
      const Operation& operation = pattern[i % pattern.size()];
      // A step begins once the one before is done, and the host needs a while for it.
      if (i % pattern.size() == 0) now = *std::max_element(free_at.begin(), free_at.end()) + 500'000 + jitter(200'000);
      add(operation, std::max(now, free_at[operation.stream]), &free_at);
      now = std::max(now + 1500, free_at[operation.stream] - operation.nanoseconds / 2);
    }
    for (auto& rows : pending_) flush(&rows);
    flush_launches();
    file_.finish();
  }

 private:
  uint64_t jitter(uint64_t most) { return random_() % most; }

  void add(const Operation& operation, uint64_t begin, std::array<uint64_t, kStreams>* free_at) {
    xsp::ActivityRow row{.begin = begin};
    row.end = begin + operation.nanoseconds + jitter(operation.nanoseconds / 8 + 1);
    row.name = operation.name;
    row.configuration = operation.grid;
    row.queue = operation.stream;
    row.level = kDeviceLevel;
    row.kind = operation.grid == 0 ? kMemcpy : kKernel;
    row.bytes = operation.grid == 0 ? 4 * uint64_t{operation.nanoseconds} : 0;
    (*free_at)[operation.stream] = row.end + 500;
    if (order_ == Order::kLaunches) add_launch(&row);
    std::vector<xsp::ActivityRow>& rows = pending_[order_ == Order::kBlocks ? operation.stream : 0];
    rows.push_back(row);
    if (rows.size() >= kBatchRows) flush(&rows);
  }

  void add_launch(xsp::ActivityRow* row) {
    xsp::SpanRow call{.begin = row->begin - 30'000, .end = row->begin - 26'000, .id = ++launches_};
    call.name = kLaunch;
    call.type = kLibrary;
    call.level = kRuntimeLevel;
    call.kind = kRuntimeCall;
    call.correlation = launches_;
    row->correlation = launches_;
    row->launch = {.ring = kLaunchRing + 1, .id = launches_};
    calls_.push_back(call);
    if (calls_.size() >= kBatchRows) flush_launches();
  }

  void flush(std::vector<xsp::ActivityRow>* rows) {
    // Streams compete: two operations that are recorded one after the other may begin the other way round.
    std::sort(rows->begin(), rows->end(), [](const auto& a, const auto& b) { return a.begin < b.begin; });
    file_.write(queues_, rows);
  }

  void flush_launches() { file_.write(100, kLaunchRing, &calls_); }

  xsp::bench::TraceFile file_;
  Order order_;
  std::vector<xsp::ActivityQueue> queues_ = {{0, 1, 7}, {0, 1, 13}, {0, 1, 14}};
  std::array<std::vector<xsp::ActivityRow>, kStreams> pending_;  // by stream, or all in the first
  std::vector<xsp::SpanRow> calls_;
  uint32_t launches_ = 0;
  std::mt19937 random_{2};
};

}  // namespace

int main(int argc, char** argv) {
  const std::string_view wanted = argc > 3 ? argv[3] : "ordered";
  if (argc < 3 || (wanted != "ordered" && wanted != "blocks" && wanted != "launches")) {
    std::fprintf(stderr, "usage: looping_trace FILE OPERATIONS [ordered|blocks|launches]\n");
    return 2;
  }
  const Order order = wanted == "blocks" ? Order::kBlocks : wanted == "launches" ? Order::kLaunches : Order::kOrdered;
  LoopingTrace(argv[1], order).write(std::strtoull(argv[2], nullptr, 10));
  return 0;
}
