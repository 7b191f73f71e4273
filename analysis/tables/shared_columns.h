#pragma once

#include "analysis/tables/table_definition.h"
#include "proto/report_columns.h"

namespace xsp::analysis {

/// Where definitions of columns and tables come from.
namespace sources {
inline constexpr std::string_view kPaper = "XSP, Table I";
inline constexpr std::string_view kOurs = "XSP";
inline constexpr std::string_view kCupti = "CUPTI's activity record, or the imported profile";
inline constexpr std::string_view kRoofline = "roofline model; XSP, III-D3";
inline constexpr std::string_view kCounts = "Aggregates of the trace (proto/trace.proto)";
inline constexpr std::string_view kSteps = "doc/steps.md";
inline constexpr std::string_view kIterations = "doc/iterations.md";
}  // namespace sources

namespace needs {
inline constexpr std::string_view kOperations = "G, else L or C";
}  // namespace needs

/// Columns that several tables have, with one meaning.
namespace columns {

inline constexpr ColumnFacts kN{report_columns::models::kEvaluations,
                                "",
                                "Steps or calls behind the number, without warm-up",
                                "",
                                "M",
                                sources::kOurs};
inline constexpr ColumnFacts kSpread{"spread",    "ms", "Interquartile range of the n values",
                                     "p75 − p25", "M",  sources::kOurs};
inline constexpr ColumnFacts kModel{report_columns::models::kModel,
                                    "",
                                    "Name of the model: a PyTorch class, an ONNX file, or the name of the step marks",
                                    "",
                                    "M",
                                    "the framework"};
inline constexpr ColumnFacts kInput{"input", "", "Shapes of the inputs", "", "M", "the framework"};
inline constexpr ColumnFacts kProcess{"process", "", "Process, rank or runs of this row", "", "M", "the recording"};
inline constexpr ColumnFacts kGpu{"gpu", "", "GPUs that these steps or calls used", "", "G", sources::kCupti};
inline constexpr ColumnFacts kBatchSize{
    "batch_size", "",  "First dimension of the first input; the sum where one call has several inputs",
    "",           "M", sources::kPaper};
inline constexpr ColumnFacts kLayerIndex =
    ColumnFacts{"layer_index", "", "Position of the layer in execution order, from 0 (index in A2)", "", "L",
                sources::kOurs}
        .of_facet("layer");
inline constexpr ColumnFacts kLayerName{
    "layer_name", "", "Name of the layer; (unattached): launched outside all layers", "", "L", "the framework"};
inline constexpr ColumnFacts kStage{
    "stage", "",           "Third of the model by index: beginning, middle, end", "index < n/3, < 2n/3, else end",
    "L",     "XSP, III-D2"};
inline constexpr ColumnFacts kType =
    ColumnFacts{"type", "", "What kind of layer: a module's class, an operator", "", "L", "the framework"}.of_facet(
        "type");
inline constexpr ColumnFacts kHostMs{"host_ms", "ms", "Time of the call itself, without GPU work that goes on after it",
                                     "",        "M",  "the recording"};
inline constexpr ColumnFacts kKernelCount{
    report_columns::gpu_latency::kKernelCount, "", "Kernels", "", "G", sources::kCupti};
inline constexpr ColumnFacts kKernelLatencyMs{"kernel_latency_ms",    "ms", "Sum of kernel times",
                                              "Σ latency of kernels", "G",  sources::kPaper};
inline constexpr ColumnFacts kModelLatencyMs{
    "model_latency_ms", "ms", "Latency of the model in the same steps or calls", "", "M", sources::kPaper};
inline constexpr ColumnFacts kKernelName =
    ColumnFacts{"kernel_name", "", "Name of the kernel, demangled", "", "G", sources::kCupti}.cut_to(100).of_facet(
        "kernel");
inline constexpr ColumnFacts kLibrary{"library", "",  "Library: cudnn, cublas, cublasLt, nccl, onednn, blas, cudart, …",
                                      "",        "C", "the recording"};
inline constexpr ColumnFacts kFunction =
    ColumnFacts{"function", "", "Function of the library", "", "C", "the recording"}.of_facet("function");
inline constexpr ColumnFacts kDevice{"device", "", "Number of the GPU", "", "G", sources::kCupti};
inline constexpr ColumnFacts kGflops{
    "gflops",
    "Gflop",
    "Floating-point operations: executed (source counters) or required by the algorithm (source analytic)",
    "Σ flops / 10^9",
    "G+metrics",
    "counters or arguments, see source"};
inline constexpr ColumnFacts kAlgorithmicGflops{
    "algorithmic_gflops",
    "Gflop",
    "Operations the algorithm requires, also where counters measured the executed ones",
    "Σ flops by arguments / 10^9",
    "G+metrics",
    "doc/metrics.md"};
inline constexpr ColumnFacts kDramReadMib{
    "dram_read_mib",  "MiB",       "Bytes read from GPU memory; with source analytic, each value counts once",
    "Σ bytes / 2^20", "G+metrics", "counters or arguments, see source"};
inline constexpr ColumnFacts kDramWriteMib{"dram_write_mib", "MiB",       "Bytes written to GPU memory, likewise",
                                           "Σ bytes / 2^20", "G+metrics", "counters or arguments, see source"};
inline constexpr ColumnFacts kOccupancyPct{"occupancy_pct",
                                           "%",
                                           "Achieved occupancy of the multiprocessors' warps",
                                           "Σ occupancy · latency / Σ latency",
                                           "G+metrics",
                                           "counters, or the imported profile's estimate"};
inline constexpr ColumnFacts kArithmeticIntensity{"arithmetic_intensity",
                                                  "flop/B",
                                                  "Operations per byte of GPU memory traffic",
                                                  "flops / (bytes read + bytes written)",
                                                  "G+metrics",
                                                  sources::kRoofline};
inline constexpr ColumnFacts kThroughputTflops{
    "throughput_tflops",
    "TFLOPS",
    "Operations per second while kernels run; a lower bound if metrics_pct is below 100",
    "flops / kernel latency / 10^12",
    "G+metrics",
    sources::kRoofline};
inline constexpr ColumnFacts kMemoryBound{
    "memory_bound",
    "",
    "Whether memory rather than arithmetic limits it; null if its FLOPs or bytes are unknown",
    "arithmetic intensity < peak flops / bandwidth",
    "G+metrics",
    sources::kRoofline};
inline constexpr ColumnFacts kSource{
    "source", "",          "Origin of FLOPs and bytes: counters, analytic (computed from arguments), none",
    "",       "G+metrics", sources::kOurs};
inline constexpr ColumnFacts kMetricsPct{"metrics_pct",
                                         "%",
                                         "Share of kernel time with known FLOPs or bytes",
                                         "Σ latency with work / Σ latency · 100",
                                         "G+metrics",
                                         sources::kOurs};
inline constexpr ColumnFacts kDataType{
    "data_type", "",          "Data type of the flops, which selects the roof; mixed: no type has 95 % of them",
    "",          "G+metrics", "counters or arguments"};
inline constexpr ColumnFacts kFlags{
    "flags", "",          "Remarks on FLOPs and bytes: winograd, fft, l2-resident, emulated, shared, split, …",
    "",      "G+metrics", "doc/metrics.md"};
inline constexpr ColumnFacts kPeakTflops{
    "peak_tflops", "TFLOPS", "Peak of the GPU for the type", "", "G", "data sheet, or --peak-flops"};
inline constexpr ColumnFacts kBandwidthGbs{"bandwidth_gbs",          "GB/s", "Bandwidth of the GPU's memory", "", "G",
                                           "data sheet, or --mem-bw"};
inline constexpr ColumnFacts kBound{"bound", "",          "The lower roof: memory or compute",
                                    "",      "G+metrics", sources::kRoofline};
inline constexpr ColumnFacts kPctOfRoof{"pct_of_roof",
                                        "%",
                                        "Share of the roof that it reaches",
                                        "max(flops / peak, bytes / bandwidth) / latency · 100",
                                        "G+metrics",
                                        sources::kRoofline};
inline constexpr ColumnFacts kCiLowMs{"ci_low_ms", "ms", "Low end of the 95 % confidence interval of the latency",
                                      "bootstrap", "M",  "doc/experiments.md"};
inline constexpr ColumnFacts kCiHighMs{"ci_high_ms", "ms", "High end of the 95 % confidence interval of the latency",
                                       "bootstrap",  "M",  "doc/experiments.md"};
inline constexpr ColumnFacts kLayerPlace =
    ColumnFacts{"index", "", "Position in execution order, from 0", "", "L", sources::kPaper}.of_facet("layer");
inline constexpr ColumnFacts kLayer{"name", "", "Name of the layer in its model", "", "L", "the framework"};
inline constexpr ColumnFacts kLayerLatencyOfCall{"latency_ms",
                                                 "ms",
                                                 "Time of the layer: its call and its own kernels together",
                                                 "length of the union of both, statistic over n",
                                                 "L",
                                                 sources::kPaper};
inline constexpr ColumnFacts kAllocatedByLayer{
    "alloc_mb",     "MB", "Bytes allocated during the layer; frees are not subtracted",
    "bytes / 10^6", "L",  sources::kPaper};
inline constexpr ColumnFacts kGpuMs{
    "gpu_ms", "ms", "Time in which any of its kernels runs", "length of the union of kernels", "G", "XSP, III-D3"};
inline constexpr ColumnFacts kLayersOfType{"count", "",  "Layers of this type per step or call",
                                           "",      "L", sources::kPaper};
inline constexpr ColumnFacts kWaitMs{
    "wait_ms",          "ms",   "Part of the layer's call in which its thread waits for input or for the GPU",
    "statistic over n", "L, G", sources::kSteps};
inline constexpr ColumnFacts kLatencyOfKernel{"latency_ms",       "ms", "Time of the kernel on the GPU",
                                              "statistic over n", "G",  sources::kPaper};
inline constexpr ColumnFacts kKernelPct{
    "kernel_pct", "%", "Share of the time of all kernels", "latency / Σ kernel latency · 100", "G", sources::kOurs};
inline constexpr ColumnFacts kLayerLatencyMs{"layer_latency_ms", "ms", "Latency of the layer, as in A2", "", "L",
                                             sources::kPaper};
inline constexpr ColumnFacts kKernelMs{"kernel_ms", "ms",          "Sum of its kernel times", "Σ latency of kernels",
                                       "G",         sources::kOurs};
inline constexpr ColumnFacts kGpuLatencyPct{
    "gpu_latency_pct",
    "%",
    "Kernel time as a share of the model's latency; above 100 where streams overlap",
    "kernel_latency_ms / model_latency_ms · 100",
    "M, G",
    sources::kPaper};
inline constexpr ColumnFacts kSelfMs{
    "self_ms", "ms",          "Its CPU time without the library calls inside it", "host_ms − Σ host_ms inside",
    "C",       sources::kOurs};
inline constexpr ColumnFacts kLoop{
    "loop", "", "Number of the loop in D1", "", needs::kOperations, sources::kIterations};
inline constexpr ColumnFacts kLevelSet{
    report_columns::levels::kLevelSet, "", "What was recorded: M, M/L, M/L/G", "", "a leveled set", "XSP, III-C"};
inline constexpr ColumnFacts kEventLevel{
    report_columns::levels::kEventLevel, "", "Level of the event: model, layer, …", "", "a leveled set", "XSP, III-C"};
inline constexpr ColumnFacts kMaxMs{"max_ms", "ms", "The longest (in Q3: model call)", "", "any", sources::kCounts};
inline constexpr ColumnFacts kP50Ms{"p50_ms",
                                    "ms",
                                    "Half take at most this long (in Q3: model calls); within 3.2 %",
                                    "nearest rank in 16 buckets an octave",
                                    "any",
                                    sources::kCounts};
inline constexpr ColumnFacts kP99Ms{"p99_ms",
                                    "ms",
                                    "99 % take at most this long (in Q3: model calls); within 3.2 %",
                                    "nearest rank in 16 buckets an octave",
                                    "any",
                                    sources::kCounts};
inline constexpr ColumnFacts kFailed{"failed", "",    "Number that ended with an exception (in Q3: model calls)",
                                     "",       "any", sources::kCounts};

}  // namespace columns
}  // namespace xsp::analysis
