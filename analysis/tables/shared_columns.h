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
                                "Evaluations behind the number, warm-up left out",
                                "",
                                "M",
                                sources::kOurs};
inline constexpr ColumnFacts kSpread{"spread",    "ms", "How far they lie apart: the interquartile range",
                                     "p75 − p25", "M",  sources::kOurs};
inline constexpr ColumnFacts kModel{report_columns::models::kModel,
                                    "",
                                    "Name of the model: a PyTorch class, an ONNX file, or what marks evaluations",
                                    "",
                                    "M",
                                    "the framework"};
inline constexpr ColumnFacts kInput{"input", "", "Shapes of the inputs", "", "M", "the framework"};
inline constexpr ColumnFacts kProcess{"process", "",  "Process, rank or runs that the row is of",
                                      "",        "M", "the recording"};
inline constexpr ColumnFacts kGpu{"gpu", "", "GPUs that the evaluations ran on", "", "G", sources::kCupti};
inline constexpr ColumnFacts kBatchSize{
    "batch_size", "",  "First dimension of the first input; of several inputs in one call their sum",
    "",           "M", sources::kPaper};
inline constexpr ColumnFacts kLayerIndex =
    ColumnFacts{"layer_index", "", "Place of the layer in order of execution, from 0: index of A2", "", "L",
                sources::kOurs}
        .of_facet("layer");
inline constexpr ColumnFacts kLayerName{"layer_name", "",  "Name of the layer; (unattached): launched in none",
                                        "",           "L", "the framework"};
inline constexpr ColumnFacts kStage{
    "stage", "",           "Third of the model by index: beginning, middle, end", "index < n/3, < 2n/3, else end",
    "L",     "XSP, III-D2"};
inline constexpr ColumnFacts kType =
    ColumnFacts{"type", "", "What kind of layer: a module's class, an operator", "", "L", "the framework"}.of_facet(
        "type");
inline constexpr ColumnFacts kHostMs{
    "host_ms", "ms", "Time of the call itself, without what the device still does after it", "", "M", "the recording"};
inline constexpr ColumnFacts kKernelCount{
    report_columns::gpu_latency::kKernelCount, "", "Kernels", "", "G", sources::kCupti};
inline constexpr ColumnFacts kKernelLatencyMs{"kernel_latency_ms",    "ms", "Time of the kernels, one after another",
                                              "Σ latency of kernels", "G",  sources::kPaper};
inline constexpr ColumnFacts kModelLatencyMs{
    "model_latency_ms", "ms", "Latency of the model in the same evaluations", "", "M", sources::kPaper};
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
    "Floating point operations: executed ones by counters, those of the algorithm by arguments",
    "Σ flops / 10^9",
    "G+metrics",
    "counters or arguments, see source"};
inline constexpr ColumnFacts kAlgorithmicGflops{
    "algorithmic_gflops",
    "Gflop",
    "Operations that the algorithm has, also where counters tell the executed ones",
    "Σ flops by arguments / 10^9",
    "G+metrics",
    "doc/metrics.md"};
inline constexpr ColumnFacts kDramReadMib{
    "dram_read_mib",  "MiB",       "Bytes read from device memory; by arguments those that must be read once",
    "Σ bytes / 2^20", "G+metrics", "counters or arguments, see source"};
inline constexpr ColumnFacts kDramWriteMib{"dram_write_mib", "MiB",       "Bytes written to device memory, likewise",
                                           "Σ bytes / 2^20", "G+metrics", "counters or arguments, see source"};
inline constexpr ColumnFacts kOccupancyPct{"occupancy_pct",
                                           "%",
                                           "Achieved occupancy of the multiprocessors' warps",
                                           "Σ occupancy · latency / Σ latency",
                                           "G+metrics",
                                           "counters, or the imported profile's estimate"};
inline constexpr ColumnFacts kArithmeticIntensity{"arithmetic_intensity",
                                                  "flop/B",
                                                  "Operations for each byte of device memory",
                                                  "flops / (bytes read + bytes written)",
                                                  "G+metrics",
                                                  sources::kRoofline};
inline constexpr ColumnFacts kThroughputTflops{
    "throughput_tflops",
    "TFLOPS",
    "Operations per second while kernels run; a lower bound below 100 metrics_pct",
    "flops / kernel latency / 10^12",
    "G+metrics",
    sources::kRoofline};
inline constexpr ColumnFacts kMemoryBound{"memory_bound",
                                          "",
                                          "Whether memory, not arithmetic, limits it: null where the work is not known",
                                          "arithmetic intensity < peak flops / bandwidth",
                                          "G+metrics",
                                          sources::kRoofline};
inline constexpr ColumnFacts kSource{
    "source", "", "Where the work is from: counters, analytic (arguments), none", "", "G+metrics", sources::kOurs};
inline constexpr ColumnFacts kMetricsPct{"metrics_pct",
                                         "%",
                                         "Share of the kernel time whose work is known",
                                         "Σ latency with work / Σ latency · 100",
                                         "G+metrics",
                                         sources::kOurs};
inline constexpr ColumnFacts kDataType{
    "data_type", "",          "Type that the flops are of, whose roof holds; mixed: no type has 95 % of them",
    "",          "G+metrics", "counters or arguments"};
inline constexpr ColumnFacts kFlags{
    "flags", "",          "What to know of the work: winograd, fft, l2-resident, emulated, shared, split, …",
    "",      "G+metrics", "doc/metrics.md"};
inline constexpr ColumnFacts kPeakTflops{
    "peak_tflops", "TFLOPS", "Peak of the GPU for the type", "", "G", "data sheet, or --peak-flops"};
inline constexpr ColumnFacts kBandwidthGbs{"bandwidth_gbs",          "GB/s", "Bandwidth of the GPU's memory", "", "G",
                                           "data sheet, or --mem-bw"};
inline constexpr ColumnFacts kBound{"bound", "",          "Which roof is the lower one: memory or compute",
                                    "",      "G+metrics", sources::kRoofline};
inline constexpr ColumnFacts kPctOfRoof{"pct_of_roof",
                                        "%",
                                        "How near the roof it comes",
                                        "max(flops / peak, bytes / bandwidth) / latency · 100",
                                        "G+metrics",
                                        sources::kRoofline};
inline constexpr ColumnFacts kCiLowMs{"ci_low_ms", "ms", "Low end of the 95 % confidence interval of the latency",
                                      "bootstrap", "M",  "doc/experiments.md"};
inline constexpr ColumnFacts kCiHighMs{"ci_high_ms", "ms", "High end of the 95 % confidence interval of the latency",
                                       "bootstrap",  "M",  "doc/experiments.md"};
inline constexpr ColumnFacts kLayerPlace =
    ColumnFacts{"index", "", "Place in order of execution, from 0", "", "L", sources::kPaper}.of_facet("layer");
inline constexpr ColumnFacts kLayer{"name", "", "Name of the layer in its model", "", "L", "the framework"};
inline constexpr ColumnFacts kLayerLatencyOfCall{"latency_ms",
                                                 "ms",
                                                 "Time of the layer: its call together with its own kernels",
                                                 "length of the union of both, statistic over n",
                                                 "L",
                                                 sources::kPaper};
inline constexpr ColumnFacts kAllocatedByLayer{
    "alloc_mb",     "MB", "Bytes allocated during the layer, what is freed not taken off",
    "bytes / 10^6", "L",  sources::kPaper};
inline constexpr ColumnFacts kGpuMs{
    "gpu_ms", "ms", "Time in which any of its kernels runs", "length of the union of kernels", "G", "XSP, III-D3"};
inline constexpr ColumnFacts kLayersOfType{"count", "",  "Layers of this type in an evaluation",
                                           "",      "L", sources::kPaper};
inline constexpr ColumnFacts kWaitMs{
    "wait_ms",          "ms",   "Part of the layer's call in which its thread waits for input or for the device",
    "statistic over n", "L, G", sources::kSteps};
inline constexpr ColumnFacts kLatencyOfKernel{"latency_ms",       "ms", "Time of the kernel on the GPU",
                                              "statistic over n", "G",  sources::kPaper};
inline constexpr ColumnFacts kKernelPct{
    "kernel_pct", "%", "Share of the time of all kernels", "latency / Σ kernel latency · 100", "G", sources::kOurs};
inline constexpr ColumnFacts kLayerLatencyMs{"layer_latency_ms", "ms", "Latency of the layer, as in A2", "", "L",
                                             sources::kPaper};
inline constexpr ColumnFacts kKernelMs{
    "kernel_ms", "ms", "Time of its kernels, one after another", "Σ latency of kernels", "G", sources::kOurs};
inline constexpr ColumnFacts kGpuLatencyPct{"gpu_latency_pct",
                                            "%",
                                            "Kernel time over the model's latency; above 100 where streams overlap",
                                            "kernel_latency_ms / model_latency_ms · 100",
                                            "M, G",
                                            sources::kPaper};
inline constexpr ColumnFacts kSelfMs{
    "self_ms", "ms",          "Its host time without the library calls inside it", "host_ms − Σ host_ms inside",
    "C",       sources::kOurs};
inline constexpr ColumnFacts kLoop{
    "loop", "", "Number of the loop in D1", "", needs::kOperations, sources::kIterations};
inline constexpr ColumnFacts kLevelSet{
    report_columns::levels::kLevelSet, "", "What was recorded: M, M/L, M/L/G", "", "a leveled set", "XSP, III-C"};
inline constexpr ColumnFacts kEventLevel{
    report_columns::levels::kEventLevel, "", "Level of the event: model, layer, …", "", "a leveled set", "XSP, III-C"};
inline constexpr ColumnFacts kMaxMs{"max_ms", "ms", "The longest; in Q3 of model calls", "", "any", sources::kCounts};
inline constexpr ColumnFacts kP50Ms{"p50_ms",
                                    "ms",
                                    "Half take at most that long; in Q3 of model calls. At most 3.2 % off",
                                    "nearest rank in 16 buckets an octave",
                                    "any",
                                    sources::kCounts};
inline constexpr ColumnFacts kP99Ms{"p99_ms",
                                    "ms",
                                    "99 in 100 take at most that long; in Q3 of model calls. At most 3.2 % off",
                                    "nearest rank in 16 buckets an octave",
                                    "any",
                                    sources::kCounts};
inline constexpr ColumnFacts kFailed{"failed", "",    "How many ended by an exception; in Q3 of model calls",
                                     "",       "any", sources::kCounts};

}  // namespace columns
}  // namespace xsp::analysis
