#pragma once

#include "analysis/tables/column_conditions.h"
#include "analysis/tables/shared_columns.h"
#include "analysis/tables/table_definition.h"

namespace xsp::analysis {

Table co_scheduling(const Study& study);

/// R2's extra: shares of kernel time in percent.
namespace co_scheduling_extras {
inline constexpr std::string_view kCoverage = "coverage";
inline constexpr std::string_view kInGraphPct = "in_graph_pct";        // kernels of layers in the graph
inline constexpr std::string_view kKnownSlotsPct = "known_slots_pct";  // whose use of slots is known
}  // namespace co_scheduling_extras

/// What `scope` is of the row over all kernels: of a model, and where none was called.
inline constexpr std::string_view kModelScope = "model";
inline constexpr std::string_view kRecordingScope = "recording";

inline constexpr std::string_view kCoSchedulingSource = "doc/waves.md; Rammer (OSDI 2020)";

struct CoSchedulingTable : TableDefinition {
  ColumnDefinition scope{this, ColumnFacts{"scope", "", "The model or, with a graph, a layer of A2 with kernels", "",
                                           "G", kCoSchedulingSource}
                                   .cut_to(60)};
  ColumnDefinition serial_ms{
      this,
      {"serial_ms", "ms",
       "Time in which its kernels run, without communication; while several run at a time each has its share of it",
       "Σ latency without overlap", "G", kCoSchedulingSource}};
  ColumnDefinition critical_ms{
      this,
      {"critical_ms", "ms", "Longest path of kernels that wait for one another; null without a graph",
       "longest path, Σ latency", "L, G", kCoSchedulingSource}};
  ColumnDefinition work_ms{
      this,
      {"work_ms", "ms",
       "What its blocks need of the resource of the multiprocessors that they need most: warps, "
       "registers, shared memory or slots for blocks",
       "max over resources of Σ latency · blocks · need / (sms · ⌈waves⌉ · capacity)", "G", kCoSchedulingSource}};
  ColumnDefinition memory_ms{
      this,
      {"memory_ms", "ms", "Its DRAM traffic at the GPU's bandwidth; null unless counters tell it of all kernels",
       "Σ bytes / bandwidth", "G+metrics", kCoSchedulingSource}};
  ColumnDefinition bound_ms{
      this,
      {"bound_ms", "ms", "No order of these kernels takes less; without a graph: whatever waits for what",
       "max of critical, work, memory and the longest kernel", "G", kCoSchedulingSource}};
  ColumnDefinition max_gain_pct{
      this,
      {"max_gain_pct", "%", "What running independent kernels side by side could gain at most; a bound, no forecast",
       "(serial / bound − 1) · 100", "L, G", kCoSchedulingSource}};
  ColumnDefinition packed_ms{
      this,
      {"packed_ms", "ms", "What a simple scheduler reaches if blocks take as long side by side as alone",
       "greedy wavefront, at most serial", "L, G", kCoSchedulingSource}};
  ColumnDefinition limited_by{this,
                              {"limited_by", "",
                               "What sets bound_ms: critical path; longest kernel; what all kernels together need most "
                               "of (warps, registers, shared memory, block slots); memory bandwidth. What limits one "
                               "kernel is in R1",
                               "", "G", kCoSchedulingSource}};
  ColumnDefinition launch_gap_ms{
      this,
      {"launch_gap_ms", "ms", "Time without a kernel from its first to its last one; in none of the other columns", "",
       "G", kCoSchedulingSource}};
  ColumnDefinition graph{
      this, {"graph", "", "Where the order comes from: onnx (--graph), none", "", "G", kCoSchedulingSource}};

  constexpr CoSchedulingTable()
      : TableDefinition({.id = "R2",
                         .title = "co-scheduling bound",
                         .meaning = "What the kernels of the model could gain at most if independent ones ran side by "
                                    "side",
                         .level = "G",
                         .source = "doc/waves.md",
                         .compute = xsp::analysis::co_scheduling,
                         .has_several = has_kernels}) {
    rank_by = &serial_ms;
    measure = &work_ms;
    important_ = {&scope, &serial_ms, &bound_ms, &max_gain_pct, &packed_ms, &limited_by};
  }
};
inline constexpr CoSchedulingTable kR2;

/// R2's part `packing`: the kernels as they ran, without gaps and overlap, and as the simple scheduler packs them.
struct PackingTable : TableDefinition {
  ColumnDefinition order{
      this, {"order", "", "in order: one after another; packed: side by side", "", "L, G", kCoSchedulingSource}};
  ColumnDefinition lane{
      this, {"lane", "", "Kernels at the same time are in different lanes, from 0", "", "L, G", kCoSchedulingSource}};
  ColumnDefinition kernel_name{this, columns::kKernelName};
  ColumnDefinition layer_index{this, columns::kLayerIndex};
  ColumnDefinition layer_name{this, columns::kLayerName};
  ColumnDefinition begin_ms{this, {"begin_ms", "ms", "Begin of its first block", "", "L, G", kCoSchedulingSource}};
  ColumnDefinition latency_ms{
      this, {"latency_ms", "ms", "From there to the end of its last block", "", "L, G", kCoSchedulingSource}};
  ColumnDefinition used_pct{this,
                            {"used_pct", "%",
                             "Share of the GPU's most used resource that it needs alone: warps, registers, shared "
                             "memory or slots for blocks; null: not known",
                             "max of blocks · need / (sms · ⌈waves⌉ · capacity)", "L, G", kCoSchedulingSource}};

  constexpr PackingTable()
      : TableDefinition({.id = "R2.packing",
                         .title = "kernels in order and packed",
                         .meaning = "When kernels run one after another, and when the simple scheduler runs them",
                         .level = "L, G",
                         .source = "doc/waves.md"}) {}
};
inline constexpr PackingTable kR2Packing;

}  // namespace xsp::analysis
