#include "analysis/tables/kernel_waves.h"

#include <map>
#include <string>
#include <vector>

#include "analysis/tables/table_cells.h"
#include "test/analysis/support/kernel_specs.h"
#include "test/analysis/support/measured_study.h"
#include "test/analysis/support/trace_builder.h"
#include "test/catch.h"
#include "test/contains.h"

namespace xsp::analysis {
namespace {

using test::contains;
using test::null;
using test::number;
using test::TraceBuilder;
using test::value;
using test::words;

/// A kernel of 1 ms.
struct MadeKernel {
  std::string name;
  std::string configuration;
};

std::string of_grid(uint64_t blocks) {
  return "grid=[" + std::to_string(blocks) + ",1,1] block=[256,1,1] registers=32 static_shared=0 dynamic_shared=0";
}

/// One call whose kernels follow one another, on the GPU of that name.
std::string call_of(const std::vector<MadeKernel>& kernels, const std::string& gpu = test::kV100) {
  TraceBuilder builder;
  builder.add_process(10);
  if (!gpu.empty()) test::add_device(builder, gpu);
  const auto count = static_cast<int64_t>(kernels.size());
  uint32_t id = 1;
  std::vector<test::ExecutionSpec> executions;
  for (const MadeKernel& made : kernels) {
    const int64_t at = 1000 * static_cast<int64_t>(executions.size());
    ++id;
    builder.add(test::span(LEVEL_RUNTIME, id, 1, at + 1, at + 2, "cudaLaunchKernel"));
    executions.push_back(test::kernel(at, at + 1000, made.name, id));
    executions.back().configuration = made.configuration;
  }
  builder.add(test::span(LEVEL_MODEL, 1, 0, 0, 1000 * count, "Net"));
  if (!executions.empty()) builder.add_executions(executions);
  return builder.bytes();
}

Table waves_of_call(const std::string& bytes, const StudyOptions& options = {}) {
  test::Analysed analysed({bytes}, options);
  REQUIRE(analysed.status.ok());
  Table table = kernel_waves(*analysed.study);
  for (const auto& row : table.rows) REQUIRE(row.size() == table.columns.size());
  return table;
}

double field(const Table& table, std::string_view extra_name, std::string_view name) {
  for (const Extra& extra : table.extras) {
    if (extra.name != extra_name) continue;
    for (const auto& [own, cell] : extra.fields) {
      if (own == name) return number(cell);
    }
  }
  FAIL("no " << extra_name << "." << name);
  return 0;
}

bool notes_tell(const Table& table, const std::string& part) {
  for (const std::string& note : table.notes) {
    if (contains(note, part)) return true;
  }
  return false;
}

TEST_CASE("R1 has the columns of its contract, in their order") {
  const Table table = waves_of_call(call_of({{"a", of_grid(640)}}));
  const std::vector<std::string> names = {
      "kernel_name",         "layer_index",       "layer_name", "stream",       "latency_ms", "grid_blocks",
      "block_threads",       "blocks_per_sm",     "limited_by", "waves",        "used_pct",   "tail_ms",
      "occupancy_limit_pct", "occupancy_est_pct", "sms",        "sms_used_pct", "kind"};
  REQUIRE(table.columns.size() == names.size());
  for (size_t i = 0; i < names.size(); ++i) CHECK(table.columns[i].name == names[i]);
}

TEST_CASE("a kernel of a V100 has the waves that its blocks make") {
  // 256 threads of 32 registers: 8 blocks a multiprocessor, 640 of 80 multiprocessors.
  const Table table = waves_of_call(call_of({{"full", of_grid(640)}, {"part", of_grid(320)}, {"more", of_grid(800)}}));
  REQUIRE(table.rows.size() == 3);
  CHECK(words(table, 0, "kernel_name") == "full");
  CHECK(value(table, 0, "latency_ms") == Approx(1));
  CHECK(value(table, 0, "grid_blocks") == 640);
  CHECK(value(table, 0, "block_threads") == 256);
  CHECK(value(table, 0, "blocks_per_sm") == 8);
  CHECK(words(table, 0, "limited_by") == "warps");
  CHECK(value(table, 0, "sms") == 80);
  CHECK(value(table, 0, "waves") == Approx(1));
  CHECK(value(table, 0, "tail_ms") == Approx(0));
  CHECK(value(table, 0, "occupancy_limit_pct") == Approx(100));
  CHECK(value(table, 1, "waves") == Approx(0.5));
  CHECK(value(table, 1, "used_pct") == Approx(50));
  CHECK(value(table, 1, "tail_ms") == Approx(0.5));
  CHECK(value(table, 1, "occupancy_est_pct") == Approx(50));
  CHECK(value(table, 2, "waves") == Approx(1.25));
  CHECK(value(table, 2, "used_pct") == Approx(62.5));
  CHECK(value(table, 2, "tail_ms") == Approx(0.375));
  CHECK(value(table, 2, "occupancy_est_pct") == Approx(100));
}

TEST_CASE("multiprocessors that have a block are told apart from slots that are used") {
  const Table table = waves_of_call(call_of({{"one each", of_grid(80)}, {"few", of_grid(20)}, {"full", of_grid(640)}}));
  CHECK(value(table, 0, "sms_used_pct") == Approx(100));
  CHECK(value(table, 0, "used_pct") == Approx(12.5));
  CHECK(value(table, 1, "sms_used_pct") == Approx(25));
  CHECK(value(table, 2, "sms_used_pct") == Approx(100));
  CHECK(field(table, wave_extras::kSums, wave_extras::kFewBlocksPct) == Approx(100 / 3.0));
  CHECK(field(table, wave_extras::kSums, wave_extras::kIdleSmsPct) == Approx(75 / 3.0));
  CHECK(field(table, wave_extras::kSums, wave_extras::kKernels) == 3);
  CHECK(
      notes_tell(table,
                 "66.7 % of kernel time is in kernels that launch less than one wave of blocks; they use 7.81 % of the "
                 "block slots; the rest is an upper bound of what could be saved"));
}

TEST_CASE("kernels between ranks are in no sum, and persistent ones are told") {
  const Table table = waves_of_call(call_of(
      {{"full", of_grid(640)}, {"ncclDevKernel_AllReduce_Sum_f32", of_grid(20)}, {"sm90_xmma_gemm_f16", of_grid(20)}}));
  CHECK(null(table, 0, "kind"));
  CHECK(words(table, 1, "kind") == "communication");
  CHECK(words(table, 2, "kind") == "persistent");
  CHECK(value(table, 1, "waves") == Approx(20 / 640.0));
  CHECK(field(table, wave_extras::kSums, wave_extras::kKernelMs) == Approx(2));
  CHECK(field(table, wave_extras::kSums, wave_extras::kKernels) == 2);
  CHECK(field(table, wave_extras::kSums, wave_extras::kCommunicationMs) == Approx(1));
  CHECK(field(table, wave_extras::kSums, wave_extras::kBelowOnePct) == Approx(50));
  CHECK(field(table, wave_extras::kSums, wave_extras::kFewBlocksPct) == Approx(0));
  CHECK(notes_tell(table, "1 kernel (1 ms) moves data between ranks"));
  CHECK(notes_tell(table, "1 kernel (50 % of kernel time) is persistent by name"));
  const Table* histogram = part_of(table, kR1Waves);
  REQUIRE(histogram != nullptr);
  const size_t last = histogram->rows.size() - 1;
  CHECK(words(*histogram, last, "waves") == "communication");
  CHECK(value(*histogram, last, "latency_pct") == Approx(100 / 3.0));
}

TEST_CASE("sums are over kernel time") {
  const Table table = waves_of_call(call_of({{"full", of_grid(640)},
                                             {"part", of_grid(320)},
                                             {"more", of_grid(800)},
                                             {"few", "grid=[80,1,1] block=[256,1,1] registers=128 shared=0"}}));
  // The last one: 2 blocks a multiprocessor by registers, half a wave.
  CHECK(field(table, wave_extras::kSums, wave_extras::kKernelMs) == Approx(4));
  CHECK(field(table, wave_extras::kSums, wave_extras::kKnownPct) == Approx(100));
  CHECK(field(table, wave_extras::kSums, wave_extras::kBelowOnePct) == Approx(50));
  CHECK(field(table, wave_extras::kSums, wave_extras::kIdleSlotsPct) == Approx(100 * (0.5 + 0.375 + 0.5) / 4));
  CHECK(field(table, wave_extras::kLimits, "warps") == Approx(75));
  CHECK(field(table, wave_extras::kLimits, "registers") == Approx(25));
  CHECK(field(table, wave_extras::kLimits, "blocks") == Approx(0));

  const Table* histogram = part_of(table, kR1Waves);
  REQUIRE(histogram != nullptr);
  std::map<std::string, double> time;
  double all = 0;
  for (size_t row = 0; row < histogram->rows.size(); ++row) {
    time[words(*histogram, row, "waves")] = value(*histogram, row, "latency_ms");
    all += value(*histogram, row, "latency_pct");
  }
  CHECK(all == Approx(100));
  CHECK(time.at("0.5 to 1") == Approx(2));
  CHECK(time.at("1 to 2") == Approx(2));
  CHECK(time.at("below 0.25") == Approx(0));
  CHECK_FALSE(time.contains("not known"));
}

TEST_CASE("what is not known is null, counted and said") {
  const Table table = waves_of_call(call_of({{"full", of_grid(640)},
                                             {"cluster", of_grid(640) + " cluster=[2,1,1]"},
                                             {"unread", ""},
                                             {"huge", "grid=[80,1,1] block=[256,1,1] registers=32 shared=200000"}}));
  REQUIRE(table.rows.size() == 4);
  for (size_t row = 1; row < 4; ++row) {
    CAPTURE(row);
    for (const char* column :
         {"blocks_per_sm", "limited_by", "waves", "used_pct", "tail_ms", "occupancy_limit_pct", "occupancy_est_pct"}) {
      CHECK(null(table, row, column));
    }
    CHECK(value(table, row, "latency_ms") == Approx(1));
    CHECK(value(table, row, "sms") == 80);
  }
  CHECK(value(table, 1, "grid_blocks") == 640);
  CHECK(null(table, 2, "grid_blocks"));
  CHECK(field(table, wave_extras::kSums, wave_extras::kKnownPct) == Approx(25));
  CHECK(field(table, wave_extras::kSums, wave_extras::kIdleSlotsPct) == Approx(0));
  CHECK(notes_tell(table, "waves of 1 kernel not known (25 % of kernel time): their blocks are launched in clusters"));
  CHECK(notes_tell(table, "the trace lacks their grid"));
  CHECK(notes_tell(table, "no multiprocessor of their GPU holds one of their blocks"));
  CHECK_FALSE(table.lacks_data);
}

TEST_CASE("kernels of an unknown GPU have no waves, unless --gpu names it") {
  const std::string bytes = call_of({{"a", of_grid(640)}}, "");
  const Table unknown = waves_of_call(bytes);
  CHECK(null(unknown, 0, "waves"));
  CHECK(null(unknown, 0, "sms"));
  CHECK(value(unknown, 0, "grid_blocks") == 640);
  CHECK(unknown.lacks_data);
  CHECK(notes_tell(unknown, "compute capability or the multiprocessors of their GPU are not known"));
  StudyOptions options;
  options.peaks.gpu = "V100";
  CHECK(value(waves_of_call(bytes, options), 0, "waves") == Approx(1));
}

TEST_CASE("a launch configuration that differs between calls gives no waves") {
  TraceBuilder builder;
  builder.add_process(10);
  test::add_device(builder, test::kV100);
  for (uint32_t call = 0; call < 4; ++call) {
    const int64_t at = 5000 * int64_t{call};
    const uint32_t id = 1 + 10 * call;
    builder.add(test::span(LEVEL_RUNTIME, id + 1, id, at + 1, at + 2, "cudaLaunchKernel"));
    builder.add(test::span(LEVEL_MODEL, id, 0, at, at + 2000, "Net"));
    std::vector<test::ExecutionSpec> executions = {test::kernel(at + 10, at + 1010, "a", id + 1)};
    executions[0].configuration = of_grid(call % 2 == 0 ? 640 : 320);
    builder.add_executions(executions);
  }
  const Table table = waves_of_call(builder.bytes());
  REQUIRE(table.rows.size() == 1);
  CHECK(null(table, 0, "waves"));
  CHECK(null(table, 0, "grid_blocks"));
}

TEST_CASE("without kernels R1 has no rows and says why") {
  const Table table = waves_of_call(call_of({}));
  CHECK(table.rows.empty());
  CHECK(table.lacks_data);
  CHECK(table.parts.empty());
  CHECK(notes_tell(table, "no kernels in the trace"));
}

}  // namespace
}  // namespace xsp::analysis
