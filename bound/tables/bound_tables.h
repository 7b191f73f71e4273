#pragma once

#include "analysis/tables/table_definition.h"

namespace xsp::bound {

using analysis::ColumnDefinition;
using analysis::ColumnFacts;
using analysis::TableDefinition;

namespace sources {
inline constexpr std::string_view kModel = "the ONNX file";
inline constexpr std::string_view kPaper = "Benanza, section III";
inline constexpr std::string_view kDatabase = "the database of benchmarks, or --times";
inline constexpr std::string_view kTrace = "the trace";
}  // namespace sources

/// Levels of columns here: what they need besides the model.
namespace needs {
inline constexpr std::string_view kModel = "model";
inline constexpr std::string_view kTimes = "times";
inline constexpr std::string_view kTrace = "trace";
}  // namespace needs

/// Columns that several tables have.
namespace columns {
inline constexpr ColumnFacts kBoundMs{
    "bound_ms",
    "ms",
    "The least time: the fastest benchmark, mostly the one with operands in the cache",
    "least CPU time of a call with one thread, else least wall time",
    needs::kTimes,
    sources::kDatabase};
inline constexpr ColumnFacts kExpectedMs{"expected_ms",
                                         "ms",
                                         "The same implementation with operands from memory; an estimate, not a bound",
                                         "",
                                         needs::kTimes,
                                         sources::kDatabase};
inline constexpr ColumnFacts kLayers{"layers",       "", "Layers that need time, or were given one", "", needs::kModel,
                                     sources::kModel};
inline constexpr ColumnFacts kCoverageLayers{
    "coverage_layers_pct", "%", "Layers that have a time", "100 · layers with a time / layers", needs::kTimes,
    sources::kPaper};
inline constexpr ColumnFacts kCoverageFlops{"coverage_flops_pct",
                                            "%",
                                            "Flops of layers that have a time",
                                            "100 · flops of layers with a time / flops of layers",
                                            needs::kTimes,
                                            "XSP"};
inline constexpr ColumnFacts kMode{"mode",
                                   "",
                                   "What the bound is made of; layers: each layer by itself; fused: with groups of "
                                   "layers in one call each; best_known: "
                                   "the same, or what the trace shows where that is less; own_kernels (B3 alone): what "
                                   "ran, with benchmarks of the runtime's library alone",
                                   "",
                                   needs::kTimes,
                                   sources::kPaper};
inline constexpr ColumnFacts kMeasuredMs{"measured_ms", "ms",           "Latency of a call in the trace (A1)", "",
                                         needs::kTrace, sources::kTrace};
inline constexpr ColumnFacts kNormalized{
    "normalized_pct", "%", "The bound as a share of what was measured", "100 · bound_ms / measured_ms", needs::kTrace,
    sources::kPaper};
inline constexpr ColumnFacts kModelName =
    ColumnFacts{"model", "", "The model, where the report is of several", "", needs::kModel, sources::kModel}
        .unless_empty();
}  // namespace columns

struct LayersTable : TableDefinition {
  ColumnDefinition index{this, {"index", "", "Position among the layers, from 0", "", needs::kModel, sources::kModel}};
  ColumnDefinition name{
      this, ColumnFacts{"name", "", "Name of the node, else of its first output", "", needs::kModel, sources::kModel}
                .cut_to(40)
                .of_facet("layer")};
  ColumnDefinition type{
      this, ColumnFacts{"type", "", "Operator, behind a domain that is not ONNX's", "", needs::kModel, sources::kModel}
                .of_facet("type")};
  ColumnDefinition layer_class{
      this,
      {"class", "", "compute, movement, zero (no work at run time), control or unknown", "", needs::kModel, "XSP"}};
  ColumnDefinition inputs{
      this, ColumnFacts{"inputs", "", "Types and shapes of the inputs", "", needs::kModel, sources::kModel}.cut_to(40)};
  ColumnDefinition outputs{
      this,
      ColumnFacts{"outputs", "", "Types and shapes of the outputs", "", needs::kModel, sources::kModel}.cut_to(40)};
  ColumnDefinition dtype{this, {"dtype", "", "Type that it computes in", "", needs::kModel, sources::kModel}};
  ColumnDefinition problem{
      this,
      ColumnFacts{"problem", "", "What a benchmark computes (doc/xsp-bound.md)", "", needs::kModel, "XSP"}.cut_to(150)};
  ColumnDefinition unique{
      this,
      {"unique", "", "Number of the problem: layers with one number are the same", "", needs::kModel, sources::kPaper}};
  ColumnDefinition flops{this, {"flops", "flop", "Work", "by operator and shapes", needs::kModel, "doc/metrics.md"}};
  ColumnDefinition bytes{
      this, {"bytes", "B", "Bytes that move at least once", "by operator and shapes", needs::kModel, "doc/metrics.md"}};
  ColumnDefinition bound_ms{this, columns::kBoundMs};
  ColumnDefinition expected_ms{this, columns::kExpectedMs};
  ColumnDefinition backend{
      this,
      {"backend", "", "Library and version of the fastest implementation", "", needs::kTimes, sources::kDatabase}};
  ColumnDefinition implementation{
      this,
      ColumnFacts{"implementation", "", "The library's own name of it", "", needs::kTimes, sources::kDatabase}.cut_to(
          40)};
  ColumnDefinition on_path{
      this,
      {"on_path", "", "Whether it is on the longest path (B4): that of fused, where groups were measured", "",
       needs::kTimes, sources::kPaper}};
  ColumnDefinition reason{
      this, ColumnFacts{"reason", "", "Why there is no time", "", needs::kTimes, sources::kDatabase}.cut_to(60)};
  ColumnDefinition gflop_per_s{
      this,
      {"gflop_per_s", "Gflop/s", "Flops by the operator's definition in the time; Winograd and padding need fewer",
       "flops / bound_ms / 10^6", needs::kTimes, "XSP"}};
  ColumnDefinition noisy{
      this, {"noisy", "", "Whether its benchmark was disturbed", "median > 1.2 · least", needs::kTimes, "XSP"}};
  ColumnDefinition fused_into{
      this,
      ColumnFacts{"fused_into", "", "Name of the last layer of its group, where the mode fused has it in one (B3)", "",
                  needs::kTimes, "XSP"}
          .cut_to(40)
          .unless_empty()};
  ColumnDefinition trace_index{
      this, ColumnFacts{"trace_index", "", "Layer of the trace that ran it (A2)", "", needs::kTrace, sources::kTrace}
                .unless_empty()};
  ColumnDefinition measured_ms{this, ColumnFacts{"measured_ms", "ms", "Latency of that layer, with all that it ran", "",
                                                 needs::kTrace, sources::kTrace}
                                         .unless_empty()};
  ColumnDefinition least_ms{
      this,
      ColumnFacts{"least_ms", "ms", "Least latency of that layer", "", needs::kTrace, sources::kTrace}.unless_empty()};
  ColumnDefinition model{this, columns::kModelName};

  constexpr LayersTable()
      : TableDefinition({.id = "B1",
                         .title = "layers of the model",
                         .meaning = "Each layer of the model with its problem, its work and the least time it takes",
                         .level = needs::kModel,
                         .source = sources::kPaper}) {
    rank_by = &bound_ms;
    show_ranked = true;
    measure = &bound_ms;
    important_ = {&name, &type, &bound_ms, &model, &expected_ms, &gflop_per_s, &implementation, &backend, &reason};
    selects = "layer";
  }
};
inline constexpr LayersTable kB1;

struct ProblemsTable : TableDefinition {
  ColumnDefinition unique{this, {"unique", "", "Number of the problem, as in B1", "", needs::kModel, sources::kPaper}};
  ColumnDefinition type{this, {"type", "", "Operator", "", needs::kModel, sources::kModel}};
  ColumnDefinition shapes{
      this, ColumnFacts{"shapes", "", "What it is computed of", "", needs::kModel, sources::kModel}.cut_to(44)};
  ColumnDefinition layers{this, {"layers", "", "Layers with this problem", "", needs::kModel, sources::kModel}};
  ColumnDefinition bound_ms{
      this, {"bound_ms", "ms", "The least time of all of them", "layers · each_ms", needs::kTimes, sources::kDatabase}};
  ColumnDefinition bound_pct{
      this, {"bound_pct", "%", "Its share of the bound", "100 · bound_ms / Σ bound_ms", needs::kTimes, "XSP"}};
  ColumnDefinition each_ms{
      this, {"each_ms", "ms", "The least time of one of them (B1)", "", needs::kTimes, sources::kDatabase}};
  ColumnDefinition expected_ms{this, columns::kExpectedMs};
  ColumnDefinition gflop_per_s{
      this,
      {"gflop_per_s", "Gflop/s", "Flops by the operator's definition in the time; Winograd and padding need fewer",
       "flops / each_ms / 10^6", needs::kTimes, "XSP"}};
  ColumnDefinition library{
      this, {"library", "", "Library of the fastest implementation", "", needs::kTimes, sources::kDatabase}};
  ColumnDefinition implementation{
      this,
      ColumnFacts{"implementation", "", "The library's own name of it", "", needs::kTimes, sources::kDatabase}.cut_to(
          32)};
  ColumnDefinition noisy{
      this, {"noisy", "", "Whether its benchmark was disturbed", "median > 1.2 · least", needs::kTimes, "XSP"}};
  ColumnDefinition model{this, columns::kModelName};

  constexpr ProblemsTable()
      : TableDefinition({.id = "B1.problems",
                         .title = "most expensive problems",
                         .meaning = "Layers that are the same, by the time that they take together",
                         .level = needs::kTimes,
                         .source = sources::kPaper}) {
    rank_by = &bound_ms;
    measure = &bound_ms;
    overview_place = 3;
    important_ = {&shapes, &type, &layers, &bound_ms, &bound_pct, &gflop_per_s, &each_ms, &implementation, &model};
  }
};
inline constexpr ProblemsTable kB1Problems;

struct CoverageTable : TableDefinition {
  ColumnDefinition type{
      this,
      ColumnFacts{"type", "", "Operator; all: the whole model", "", needs::kModel, sources::kModel}.of_facet("type")};
  ColumnDefinition layers{this, columns::kLayers};
  ColumnDefinition unique{this, {"unique", "", "Problems among them", "", needs::kModel, sources::kPaper}};
  ColumnDefinition timed{this, {"timed", "", "Layers that have a time", "", needs::kTimes, sources::kDatabase}};
  ColumnDefinition coverage_layers_pct{this, columns::kCoverageLayers};
  ColumnDefinition coverage_flops_pct{this, columns::kCoverageFlops};
  ColumnDefinition coverage_time_pct{
      this,
      {"coverage_time_pct", "%",
       "Measured time of layers that have a time, fused or not. What the trace has in one is divided by bounds",
       "100 · their measured time / that of all layers of the trace", needs::kTrace, sources::kTrace}};
  ColumnDefinition bound_ms{this, columns::kBoundMs};
  ColumnDefinition reason{this, ColumnFacts{"reason", "", "Why layers have no time, the most frequent one", "",
                                            needs::kTimes, sources::kDatabase}
                                    .cut_to(80)};
  ColumnDefinition model{this, columns::kModelName};

  constexpr CoverageTable()
      : TableDefinition({.id = "B2",
                         .title = "coverage by layer type",
                         .meaning = "How much of the model has a time, by type of layer",
                         .level = needs::kTimes,
                         .source = sources::kPaper}) {
    rank_by = &bound_ms;
    show_ranked = false;
    measure = &layers;
    overview_place = 8;
    important_ = {&type,
                  &layers,
                  &timed,
                  &bound_ms,
                  &coverage_layers_pct,
                  &coverage_time_pct,
                  &reason,
                  &unique,
                  &coverage_flops_pct};
    selects = "type";
  }
};
inline constexpr CoverageTable kB2;

struct SequentialTable : TableDefinition {
  ColumnDefinition mode{this, columns::kMode};
  ColumnDefinition bound_ms{this, columns::kBoundMs};
  ColumnDefinition expected_ms{this, columns::kExpectedMs};
  ColumnDefinition measured_ms{this, columns::kMeasuredMs};
  ColumnDefinition measured_min_ms{this,
                                   {"measured_min_ms", "ms", "Sum of the least latency of each layer in the trace", "",
                                    needs::kTrace, sources::kTrace}};
  ColumnDefinition normalized_pct{this, columns::kNormalized};
  ColumnDefinition speedup{
      this,
      {"speedup", "", "How much faster it could be at most", "measured_ms / bound_ms", needs::kTrace, sources::kPaper}};
  ColumnDefinition layers{this, columns::kLayers};
  ColumnDefinition missing{
      this, {"missing", "", "Layers without a time; they add nothing to the bound", "", needs::kTimes, "XSP"}};
  ColumnDefinition coverage_layers_pct{this, columns::kCoverageLayers};
  ColumnDefinition coverage_flops_pct{this, columns::kCoverageFlops};
  ColumnDefinition noisy{
      this, {"noisy", "", "Layers whose benchmark was disturbed", "median > 1.2 · least", needs::kTimes, "XSP"}};
  ColumnDefinition model{this, columns::kModelName};

  constexpr SequentialTable()
      : TableDefinition({.id = "B3",
                         .title = "sequential bound",
                         .meaning = "The least latency with the layers one after another",
                         .level = needs::kTimes,
                         .source = sources::kPaper}) {
    measure = &mode;
    overview_place = 1;
    important_ = {&mode,    &bound_ms, &expected_ms,         &measured_ms, &speedup,
                  &missing, &layers,   &coverage_layers_pct, &noisy};
  }
};
inline constexpr SequentialTable kB3;

struct ParallelTable : TableDefinition {
  ColumnDefinition mode{this, columns::kMode};
  ColumnDefinition bound_ms{
      this,
      {"bound_ms", "ms", "The least latency with independent branches at the same time",
       "the longest path through the graph, weights on its nodes", needs::kTimes, sources::kPaper}};
  ColumnDefinition sequential_ms{
      this, {"sequential_ms", "ms", "The sequential bound (B3)", "", needs::kTimes, sources::kPaper}};
  ColumnDefinition gain_ms{this,
                           {"gain_ms", "ms", "What parallel branches could win at most", "sequential_ms − bound_ms",
                            needs::kTimes, sources::kPaper}};
  ColumnDefinition gain_pct{this,
                            {"gain_pct", "%", "The same as a share of the sequential bound",
                             "100 · gain_ms / sequential_ms", needs::kTimes, sources::kPaper}};
  ColumnDefinition path_layers{
      this,
      {"path_layers", "", "Layers on the longest path, those without work between them included", "", needs::kTimes,
       sources::kPaper}};
  ColumnDefinition measured_ms{this, columns::kMeasuredMs};
  ColumnDefinition normalized_pct{this, columns::kNormalized};
  ColumnDefinition model{this, columns::kModelName};

  constexpr ParallelTable()
      : TableDefinition({.id = "B4",
                         .title = "parallel bound",
                         .meaning = "The least latency if independent branches ran at the same time",
                         .level = needs::kTimes,
                         .source = sources::kPaper}) {
    measure = &mode;
    overview_place = 4;
    important_ = {&mode, &bound_ms, &sequential_ms, &gain_ms, &gain_pct, &path_layers};
  }
};
inline constexpr ParallelTable kB4;

}  // namespace xsp::bound
