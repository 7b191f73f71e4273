#pragma once

#include "analysis/tables/column_conditions.h"
#include "analysis/tables/shared_columns.h"
#include "analysis/tables/table_definition.h"

namespace xsp::analysis {

Table kernel_waves(const Study& study);

/// Names of R1's extras and of their fields, for those who read them.
namespace wave_extras {
inline constexpr std::string_view kSums = "kernel_time";
inline constexpr std::string_view kKernelMs = "kernel_ms";  // of all kernels but those that communicate
inline constexpr std::string_view kKernels = "kernels";     // how many these are
inline constexpr std::string_view kCommunicationMs = "communication_ms";
inline constexpr std::string_view kKnownPct = "known_pct";              // of kernel_ms: kernels whose waves are known
inline constexpr std::string_view kBelowOnePct = "below_one_wave_pct";  // of what is known
inline constexpr std::string_view kIdleSlotsPct = "idle_slots_pct";     // likewise
inline constexpr std::string_view kFewBlocksPct = "few_blocks_pct";     // likewise: fewer blocks than multiprocessors
inline constexpr std::string_view kIdleSmsPct = "idle_sms_pct";         // of them: Σ latency · (1 − blocks / sms)
inline constexpr std::string_view kLimits = "limited_by";               // its fields are what limited_by says, in %
}  // namespace wave_extras

inline constexpr std::string_view kWavesSource = "doc/waves.md; CUDA C++ Programming Guide";

struct KernelWavesTable : TableDefinition {
  ColumnDefinition kernel_name{this, columns::kKernelName};
  ColumnDefinition layer_index{this, columns::kLayerIndex};
  ColumnDefinition layer_name{this, columns::kLayerName};
  ColumnDefinition stream{this, {"stream", "", "Stream the kernel ran on", "", "G", sources::kCupti}};
  ColumnDefinition latency_ms{this, columns::kLatencyOfKernel};
  ColumnDefinition grid_blocks{this, {"grid_blocks", "", "Blocks of the launch", "x · y · z", "G", sources::kCupti}};
  ColumnDefinition block_threads{this, {"block_threads", "", "Threads of a block", "x · y · z", "G", sources::kCupti}};
  ColumnDefinition blocks_per_sm{
      this,
      {"blocks_per_sm", "",
       "Blocks that a multiprocessor holds at a time; null: not known, a launch of clusters, or a block that does not "
       "fit",
       "least of what blocks, warps, registers and shared memory allow", "G", kWavesSource}};
  ColumnDefinition limited_by{this,
                              {"limited_by", "",
                               "What keeps a multiprocessor from holding more blocks: warps, blocks, registers, shared "
                               "memory",
                               "", "G", kWavesSource}};
  ColumnDefinition waves{this,
                         {"waves", "", "How often the grid fills the slots for blocks; below 1: not once",
                          "grid_blocks / (sms · blocks_per_sm)", "G", kWavesSource}};
  ColumnDefinition used_pct{this,
                            {"used_pct", "%", "Share of the slots for blocks that are used in the waves begun",
                             "waves / ⌈waves⌉ · 100", "G", kWavesSource}};
  ColumnDefinition tail_ms{this,
                           {"tail_ms", "ms",
                            "At most this time is lost in empty slots: if all blocks take equally long, however many "
                            "share a multiprocessor",
                            "latency · (1 − used)", "G", kWavesSource}};
  ColumnDefinition occupancy_limit_pct{
      this,
      {"occupancy_limit_pct", "%", "Share of a multiprocessor's warps that are in use where it holds all blocks it can",
       "blocks_per_sm · ⌈threads/32⌉ / warps", "G", kWavesSource}};
  ColumnDefinition occupancy_est_pct{
      this,
      {"occupancy_est_pct", "%", "The same with the blocks that there are, spread over the GPU",
       "min(blocks_per_sm, grid_blocks / sms) · ⌈threads/32⌉ / warps", "G", "doc/waves.md; as PyTorch's profiler"}};
  ColumnDefinition sms{this, {"sms", "", "Multiprocessors of the GPU", "", "G", "the trace, or the GPU's data sheet"}};
  ColumnDefinition sms_used_pct{this,
                                {"sms_used_pct", "%", "Share of the multiprocessors that have a block of it at all",
                                 "min(1, grid_blocks / sms) · 100", "G", kWavesSource}};
  ColumnDefinition kind{this,
                        {"kind", "",
                         "Kernels whose grid is not made for their work: communication (between ranks), persistent "
                         "(each block works on several tiles)",
                         "by the name", "G", kWavesSource}};

  constexpr KernelWavesTable()
      : TableDefinition({.id = "R1",
                         .title = "waves of kernels",
                         .meaning = "How the blocks of each kernel fill the GPU, and what stays idle",
                         .level = "G",
                         .source = "doc/waves.md",
                         .compute = xsp::analysis::kernel_waves,
                         .has_several = has_kernels}) {
    rank_by = &tail_ms;
    measure = &waves;
    selects = "execution";
    is_of_executions = true;
    show_ranked = true;
    important_ = {&kernel_name, &latency_ms, &waves, &sms_used_pct, &tail_ms, &limited_by, &occupancy_est_pct};
  }
};
inline constexpr KernelWavesTable kR1;

/// Rows of kR1Waves that are no range.
namespace wave_ranges {
inline constexpr std::string_view kNotKnown = "not known";
inline constexpr std::string_view kCommunication = "communication";
}  // namespace wave_ranges

/// R1's part `waves`: kernel time by number of waves.
struct WaveHistogramTable : TableDefinition {
  ColumnDefinition waves{
      this, {"waves", "", "Range of waves, the upper end excluded; not known; communication", "", "G", kWavesSource}};
  ColumnDefinition kernels{this, {"kernels", "", "Kernels in it", "", "G", kWavesSource}};
  ColumnDefinition latency_ms{this, {"latency_ms", "ms", "Their time", "Σ latency", "G", kWavesSource}};
  ColumnDefinition latency_pct{this, {"latency_pct", "%", "Share of the time of all kernels", "", "G", kWavesSource}};
  ColumnDefinition tail_ms{this, {"tail_ms", "ms", "Time of their empty slots", "Σ tail", "G", kWavesSource}};

  constexpr WaveHistogramTable()
      : TableDefinition({.id = "R1.waves",
                         .title = "kernel time by waves",
                         .meaning = "How much kernel time is in kernels of how many waves",
                         .level = "G",
                         .source = "doc/waves.md"}) {}
};
inline constexpr WaveHistogramTable kR1Waves;

}  // namespace xsp::analysis
