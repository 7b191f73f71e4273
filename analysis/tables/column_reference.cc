#include "analysis/tables/column_reference.h"

#include <array>

namespace xsp::analysis {
namespace {

constexpr std::string_view kPaper = "XSP, Table I";
constexpr std::string_view kOurs = "XSP";
constexpr std::string_view kCupti = "CUPTI's activity record, or the imported profile";
constexpr std::string_view kRoofline = "roofline model; XSP, III-D3";

constexpr std::string_view kOperations = "G, else L or C";
constexpr std::string_view kIterations = "doc/iterations.md";

constexpr std::array kTables = {
    TableReference{"A1", "Each model with each input: latency, throughput, and over batch sizes the best one", "M",
                   "XSP, III-D1"},
    TableReference{"A2", "Each layer in order of execution, with its time and what it allocated", "L", "XSP, III-D2"},
    TableReference{"A3", "Latency of the layers in order of execution, and which third of the model they are in", "L",
                   "XSP, III-D2, Figure 5"},
    TableReference{"A4", "Allocations of the layers in order of execution", "L", "XSP, III-D2, Figure 5"},
    TableReference{"A5", "How many layers are of which type", "L", "XSP, III-D2, Figure 4"},
    TableReference{"A6", "Which types of layers take the time", "L", "XSP, III-D2, Figure 4"},
    TableReference{"A7", "Which types of layers allocate", "L", "XSP, III-D2, Figure 4"},
    TableReference{"A8", "Each kernel with the layer, library call and launch it is from", "G",
                   "XSP, III-D3, Table III"},
    TableReference{"A9", "Where each kernel lies under the roofs of its GPU", "G+metrics", "XSP, III-D3, Figure 6"},
    TableReference{"A10", "Kernels by name: which take the time", "G", "XSP, III-D3, Table IV"},
    TableReference{"A11", "Kernels by layer", "L, G", "XSP, III-D3, Table V"},
    TableReference{"A12", "What each layer computes and moves", "L, G+metrics", "XSP, III-D3, Figure 7"},
    TableReference{"A13", "How much of each layer the GPU works, and how much it waits", "L, G",
                   "XSP, III-D3, Figure 8"},
    TableReference{"A14", "Where each layer lies under the roofs of its GPU", "L, G+metrics", "XSP, III-D3, Figure 9"},
    TableReference{"A15", "The kernels of a whole model, over batch sizes", "M, G", "XSP, III-D3, Table VI, Figure 10"},
    TableReference{"C1", "Each call into a compute library, with what it was asked to compute", "C", kOurs},
    TableReference{"C2", "Library calls by function; below them the calls of the CUDA API, copies and memsets", "C",
                   kOurs},
    TableReference{"D1", "The iterations of the loops in which the busiest process repeats its operations",
                   "G, else L or C", "DeepProf, IV-B; doc/iterations.md"},
    TableReference{"D2", "What happens between and inside the iterations of each loop", "G, else L or C",
                   "DeepProf, Table III"},
    TableReference{"D2.iterations", "The same of each iteration of the outermost loop", "G, else L or C",
                   "DeepProf, IV-D"},
    TableReference{"D2.states", "What an iteration waits for and does", "G", "DeepProf, Figure 5"},
    TableReference{"D3", "The streams of the busiest process and what ran on them", "G", "DeepProf, IV-A2"},
    TableReference{"D4", "What slows the iterations: every check with what it compared, found or not", "G, else L or C",
                   "DeepProf, V-B; doc/iterations.md"},
    TableReference{"L1", "What each level of profiling costs the events of the levels above", "a leveled set",
                   "XSP, III-C, Figure 2"},
    TableReference{"L1.nested", "The events of each level set inside one another", "a leveled set", "XSP, Figure 2"},
    TableReference{"M1", "Models, systems, frameworks and ranks side by side", "M", "XSP, Tables VIII to X"},
    TableReference{"Q1", "What the trace lacks, lost, or leaves in doubt", "any", kOurs},
};

constexpr std::array kColumns = {
    // What several tables have in common.
    ColumnReference{"", "n", "Evaluations behind the number, warm-up left out", "", "M", kOurs},
    ColumnReference{"", "spread", "How far they lie apart: the interquartile range", "p75 − p25", "M", kOurs},
    ColumnReference{"", "model", "Name of the model: a PyTorch class, an ONNX file, or what marks evaluations", "", "M",
                    "the framework"},
    ColumnReference{"", "input", "Shapes of the inputs", "", "M", "the framework"},
    ColumnReference{"", "process", "Process, rank or runs that the row is of", "", "M", "the recording"},
    ColumnReference{"", "gpu", "GPUs that the evaluations ran on", "", "G", kCupti},
    ColumnReference{"", "batch_size", "First dimension of the first input; of several inputs in one call their sum", "",
                    "M", kPaper},
    ColumnReference{"", "layer_index", "Place of the layer in order of execution, from 0: index of A2", "", "L", kOurs},
    ColumnReference{"", "layer_name", "Name of the layer; (unattached): launched in none", "", "L", "the framework"},
    ColumnReference{"", "stage", "Third of the model by index: beginning, middle, end", "index < n/3, < 2n/3, else end",
                    "L", "XSP, III-D2"},
    ColumnReference{"", "type", "What kind of layer: a module's class, an operator", "", "L", "the framework"},
    ColumnReference{"", "host_ms", "Time of the call itself, without what the device still does after it", "", "M",
                    "the recording"},
    ColumnReference{"", "kernel_count", "Kernels", "", "G", kCupti},
    ColumnReference{"", "kernel_latency_ms", "Time of the kernels, one after another", "Σ latency of kernels", "G",
                    kPaper},
    ColumnReference{"", "model_latency_ms", "Latency of the model in the same evaluations", "", "M", kPaper},
    ColumnReference{"", "kernel_name", "Name of the kernel, demangled", "", "G", kCupti},
    ColumnReference{"", "library", "Library: cudnn, cublas, cublasLt, nccl, onednn, blas, cudart, …", "", "C",
                    "the recording"},
    ColumnReference{"", "function", "Function of the library", "", "C", "the recording"},
    ColumnReference{"", "device", "Number of the GPU", "", "G", kCupti},

    // Metrics, of kernels and of sums of them.
    ColumnReference{"", "gflops",
                    "Floating point operations: executed ones by counters, those of the algorithm by arguments",
                    "Σ flops / 10^9", "G+metrics", "counters or arguments, see source"},
    ColumnReference{"", "algorithmic_gflops",
                    "Operations that the algorithm has, also where counters tell the executed ones",
                    "Σ flops by arguments / 10^9", "G+metrics", "doc/metrics.md"},
    ColumnReference{"", "dram_read_mib", "Bytes read from device memory; by arguments those that must be read once",
                    "Σ bytes / 2^20", "G+metrics", "counters or arguments, see source"},
    ColumnReference{"", "dram_write_mib", "Bytes written to device memory, likewise", "Σ bytes / 2^20", "G+metrics",
                    "counters or arguments, see source"},
    ColumnReference{"", "occupancy_pct", "Achieved occupancy of the multiprocessors' warps",
                    "Σ occupancy · latency / Σ latency", "G+metrics", "counters, or the imported profile's estimate"},
    ColumnReference{"", "arithmetic_intensity", "Operations for each byte of device memory",
                    "flops / (bytes read + bytes written)", "G+metrics", kRoofline},
    ColumnReference{"", "throughput_tflops",
                    "Operations per second while kernels run; a lower bound below 100 metrics_pct",
                    "flops / kernel latency / 10^12", "G+metrics", kRoofline},
    ColumnReference{"", "memory_bound", "Whether memory, not arithmetic, limits it: null where the work is not known",
                    "arithmetic intensity < peak flops / bandwidth", "G+metrics", kRoofline},
    ColumnReference{"", "source", "Where the work is from: counters, analytic (arguments), none", "", "G+metrics",
                    kOurs},
    ColumnReference{"", "metrics_pct", "Share of the kernel time whose work is known",
                    "Σ latency with work / Σ latency · 100", "G+metrics", kOurs},
    ColumnReference{"", "data_type", "Type that the flops are of, whose roof holds; mixed: no type has 95 % of them",
                    "", "G+metrics", "counters or arguments"},
    ColumnReference{"", "flags", "What to know of the work: winograd, fft, l2-resident, emulated, shared, split, …", "",
                    "G+metrics", "doc/metrics.md"},
    ColumnReference{"", "peak_tflops", "Peak of the GPU for the type", "", "G", "data sheet, or --peak-flops"},
    ColumnReference{"", "bandwidth_gbs", "Bandwidth of the GPU's memory", "", "G", "data sheet, or --mem-bw"},
    ColumnReference{"", "bound", "Which roof is the lower one: memory or compute", "", "G+metrics", kRoofline},
    ColumnReference{"", "pct_of_roof", "How near the roof it comes",
                    "max(flops / peak, bytes / bandwidth) / latency · 100", "G+metrics", kRoofline},

    // A1
    ColumnReference{"A1", "latency_ms", "Time of one evaluation, until its last kernel is done",
                    "statistic over n (--stat)", "M", kPaper},
    ColumnReference{"A1", "latency_per_input_ms", "The same for each input of the batch", "latency_ms / batch_size",
                    "M", kOurs},
    ColumnReference{"A1", "throughput_per_s", "Inputs per second", "batch_size / latency", "M", kPaper},
    ColumnReference{"A1", "mode", "training or inference, as backward work and optimizer steps tell", "", "L",
                    "doc/frameworks.md"},
    ColumnReference{"A1", "forward_ms", "Of a training evaluation: the model's call, and what follows it (the loss)",
                    "host time, statistic over n", "L", "doc/frameworks.md"},
    ColumnReference{"A1", "backward_ms", "Of a training evaluation: its backward work", "host time, statistic over n",
                    "L", "doc/frameworks.md"},
    ColumnReference{"A1", "optimizer_ms",
                    "Of a training evaluation: from the end of the backward work to that of the step",
                    "host time, statistic over n", "L", "doc/frameworks.md"},
    ColumnReference{"A1", "alloc_mb", "Bytes allocated during the call, CPU and devices, what is freed not taken off",
                    "bytes / 10^6, statistic over n", "M", "doc/frameworks.md"},
    ColumnReference{"A1", "peak_mb", "Most memory that was live in the process during the call",
                    "bytes / 10^6, statistic over n", "M", "doc/frameworks.md"},
    ColumnReference{"A1", "live_mb", "Memory that was live in the process at its end, weights included",
                    "bytes / 10^6, statistic over n", "M", "doc/frameworks.md"},
    ColumnReference{"A1", "memory_of",
                    "What peak_mb and live_mb are of: devices if the process had any of theirs, else CPU", "", "M",
                    "doc/frameworks.md"},
    ColumnReference{"", "ci_low_ms", "Low end of the 95 % confidence interval of the latency", "bootstrap", "M",
                    "doc/experiments.md"},
    ColumnReference{"", "ci_high_ms", "High end of the 95 % confidence interval of the latency", "bootstrap", "M",
                    "doc/experiments.md"},

    // A2 to A7
    ColumnReference{"A2 A3 A4", "index", "Place in order of execution, from 0", "", "L", kPaper},
    ColumnReference{"A2 A3 A4", "name", "Name of the layer in its model", "", "L", "the framework"},
    ColumnReference{"A2", "shape", "Shape of the output; null where it is not known or varies", "", "L",
                    "the framework"},
    ColumnReference{"A2 A3", "latency_ms", "Time of the layer: its call together with its own kernels",
                    "length of the union of both, statistic over n", "L", kPaper},
    ColumnReference{"A2 A4", "alloc_mb", "Bytes allocated during the layer, what is freed not taken off",
                    "bytes / 10^6", "L", kPaper},
    ColumnReference{"A2", "backward_ms",
                    "Backward work that computes the layer's gradients: of its kernels, without kernels of the host",
                    "statistic over n", "L", "doc/frameworks.md"},
    ColumnReference{"A2", "library_calls",
                    "Library calls of the layer, nested ones too, without those of its backward work", "", "C", kOurs},
    ColumnReference{"A2", "library_ms", "Time in libraries", "length of the union of outermost calls", "C", kOurs},
    ColumnReference{"A2", "library", "The outermost function with most time", "", "C", kOurs},
    ColumnReference{"A2 A13", "gpu_ms", "Time in which any of its kernels runs", "length of the union of kernels", "G",
                    "XSP, III-D3"},
    ColumnReference{"A5 A6 A7", "count", "Layers of this type in an evaluation", "", "L", kPaper},
    ColumnReference{"A5", "count_pct", "Their share of all layers", "count / Σ count · 100", "L", kPaper},
    ColumnReference{"A6", "latency_ms", "Time of the layers of this type", "Σ latency_ms of A2", "L", kPaper},
    ColumnReference{"A6", "latency_pct", "Their share of the time of all layers", "latency_ms / Σ latency_ms · 100",
                    "L", kPaper},
    ColumnReference{"A6", "backward_ms", "Backward work of the layers of this type", "Σ backward_ms of A2", "L",
                    "doc/frameworks.md"},
    ColumnReference{"A7", "alloc_mb", "What the layers of this type allocated", "Σ alloc_mb of A2", "L", kPaper},
    ColumnReference{"A7", "alloc_pct", "Their share of all that layers allocated", "alloc_mb / Σ alloc_mb · 100", "L",
                    kPaper},

    // A8 to A15
    ColumnReference{"A8 A9", "latency_ms", "Time of the kernel on the GPU", "statistic over n", "G", kPaper},
    ColumnReference{"A8", "library_call", "The outermost library call around its launch", "", "C, G", kOurs},
    ColumnReference{"A8", "stream", "Stream it ran on", "", "G", kCupti},
    ColumnReference{"A8", "grid", "Blocks of the launch, x,y,z", "", "G", kCupti},
    ColumnReference{"A8", "block", "Threads of a block, x,y,z", "", "G", kCupti},
    ColumnReference{"A8", "launch", "The call of the CUDA API that launched it", "", "G", kCupti},
    ColumnReference{"A8", "graph_node", "Node of a CUDA graph; null: launched by itself", "", "G", kCupti},
    ColumnReference{"A8", "operator", "The innermost operator of the framework around its launch", "", "G",
                    "the framework's profile"},
    ColumnReference{"A8", "operator_inputs", "Shapes of that operator's inputs", "", "G", "the framework's profile"},
    ColumnReference{"A8", "phase", "forward, backward or optimizer", "", "G", kOurs},
    ColumnReference{"A10", "count", "Kernels of this name in an evaluation", "", "G", kPaper},
    ColumnReference{"A10", "latency_ms", "Their time", "Σ latency_ms of A8", "G", kPaper},
    ColumnReference{"A10", "latency_pct", "Their share of the model's latency", "latency_ms / model latency · 100",
                    "M, G", kPaper},
    ColumnReference{"A10 C2", "kernel_pct", "Share of the time of all kernels", "latency / Σ kernel latency · 100", "G",
                    kOurs},
    ColumnReference{"A11 A13", "layer_latency_ms", "Latency of the layer, as in A2", "", "L", kPaper},
    ColumnReference{"A13", "non_gpu_ms", "The rest of the layer's latency: host work, copies, waiting",
                    "layer_latency_ms − gpu_ms", "L, G", "XSP, III-D3"},
    ColumnReference{"A13", "gpu_pct", "Share of the layer's latency in which a kernel runs",
                    "gpu_ms / layer_latency_ms · 100", "L, G", kOurs},
    ColumnReference{"A13 C1 C2", "kernel_ms", "Time of its kernels, one after another", "Σ latency of kernels", "G",
                    kOurs},
    ColumnReference{"A13", "leveled_latency_ms", "Latency of the layer without the cost of recording kernels", "",
                    "a leveled set", "XSP, III-C"},
    ColumnReference{"A13", "leveled_difference_ms", "What recording kernels costs the layer; may be negative",
                    "layer_latency_ms − leveled_latency_ms", "a leveled set", "XSP, III-C"},
    ColumnReference{"A14", "latency_ms", "Time of the layer's kernels, one after another", "Σ latency of kernels",
                    "L, G", kPaper},
    ColumnReference{"A15 M1", "gpu_latency_pct",
                    "Kernel time over the model's latency; above 100 where streams overlap",
                    "kernel_latency_ms / model_latency_ms · 100", "M, G", kPaper},
    ColumnReference{"A15", "gpu_busy_ms", "Time in which any kernel runs", "length of the union of kernels", "G",
                    kOurs},
    ColumnReference{"A15", "gpu_busy_pct", "Its share of the model's latency", "gpu_busy_ms / model_latency_ms · 100",
                    "M, G", kOurs},
    ColumnReference{"A15", "launches", "Calls of the CUDA API that launched them", "", "G", kCupti},

    // C1 and C2
    ColumnReference{"C1", "call_index", "Place of the call in the evaluation, from 0", "", "C", kOurs},
    ColumnReference{"C1", "thread", "Thread that called", "", "C", "the recording"},
    ColumnReference{"C1", "arguments", "What it was asked: sizes, types, layouts, algorithm, plan", "", "C",
                    "doc/library.md"},
    ColumnReference{"C1", "status", "What it returned, by the library's name for it", "", "C", "the recording"},
    ColumnReference{"C1 C2", "self_ms", "Its host time without the library calls inside it",
                    "host_ms − Σ host_ms inside", "C", kOurs},
    ColumnReference{"C1", "nested_in", "call_index of the call around it", "", "C", kOurs},
    ColumnReference{"C2", "count", "Calls in an evaluation", "", "C", kOurs},
    ColumnReference{"C2", "failed", "Calls that returned an error", "", "C", kOurs},
    ColumnReference{"C2", "bytes", "Bytes copied or set", "", "G", kCupti},

    // D1
    ColumnReference{"D1", "iteration", "Number of the iteration in its loop, from 0", "", kOperations, kIterations},
    ColumnReference{"D1", "start_ms", "When its first operation that is no copy from or to the host begins",
                    "time since the first operation of the process", kOperations, kIterations},
    ColumnReference{"D1", "end_ms", "When the last of such operations ends", "likewise", kOperations, kIterations},
    ColumnReference{"D1", "operations", "Operations of the iteration", "", kOperations, kIterations},
    ColumnReference{"D1", "deviations", "In how many operations it is not like the pattern", "inserted + missing",
                    kOperations, kIterations},
    ColumnReference{"D1", "level", "0: the outermost loop; 1: a loop within one of level 0, …", "", kOperations,
                    kIterations},
    ColumnReference{"D1", "loop", "Number of the loop, from 0: those of level 0 first", "", kOperations, kIterations},
    ColumnReference{"D1", "parent", "The iteration of the loop around", "", kOperations, kIterations},
    ColumnReference{"D1", "inserted", "Operations that the pattern has not", "", kOperations, kIterations},
    ColumnReference{"D1", "missing", "Operations of the pattern that it has not", "", kOperations, kIterations},
    ColumnReference{"D1", "duration_ms", "How long it runs", "end_ms − start_ms", kOperations, kIterations},
    ColumnReference{"D1", "period_ms", "Until the next iteration begins; null where another loop comes first",
                    "start_ms of the next − start_ms", kOperations, kIterations},

    // D2
    ColumnReference{"D2 D2.iterations D2.states D4", "loop", "Number of the loop in D1", "", kOperations, kIterations},
    ColumnReference{"D2", "avg_interval", "Time from the end of an iteration to the begin of the next one of its loop",
                    "mean; 0 where they overlap", kOperations, "DeepProf, Table III"},
    ColumnReference{"D2", "max_interval", "The longest interval", "", kOperations, "DeepProf, Table III"},
    ColumnReference{"D2", "avg_overlap", "Share of the interval in which data is copied to the device, 0 to 1",
                    "mean of union of copies in the interval / interval", "G", "DeepProf, Table III"},
    ColumnReference{"D2", "avg_operation", "Time in which nothing runs between two operations of an iteration",
                    "Σ gaps / Σ (operations inside − 1)", kOperations, "DeepProf, Table III"},
    ColumnReference{"D2", "avg_size", "Bytes copied to the device for an iteration", "mean", "G",
                    "DeepProf, Table III"},
    ColumnReference{"D2", "iterations", "Iterations of the loop", "", kOperations, kIterations},
    ColumnReference{"D2", "avg_iteration", "How long an iteration runs", "mean", kOperations, kIterations},
    ColumnReference{"D2", "compute_pct", "Kernels, memsets and copies within the device run",
                    "unions inside iterations / all iterations and intervals · 100", kOperations, kIterations},
    ColumnReference{"D2", "copy_pct", "Copies from and to the host run", "likewise", kOperations, kIterations},
    ColumnReference{"D2", "both_pct", "Both at the same time", "likewise", kOperations, kIterations},
    ColumnReference{"D2", "idle_pct", "Nothing runs", "likewise", kOperations, kIterations},
    ColumnReference{"D2", "interval_pct", "Intervals", "Σ intervals / all iterations and intervals · 100", kOperations,
                    kIterations},
    ColumnReference{"D2.iterations", "iteration", "Number of the iteration in D1", "", kOperations, kIterations},
    ColumnReference{"D2.iterations", "interval", "Interval before it; null where another loop ran before", "",
                    kOperations, "DeepProf, IV-C"},
    ColumnReference{"D2.iterations", "overlap", "Share of it in which data is copied to the device, 0 to 1", "", "G",
                    "DeepProf, IV-C"},
    ColumnReference{"D2.iterations", "operation", "Time in which nothing runs between two of its operations",
                    "Σ gaps / (operations inside − 1)", kOperations, "DeepProf, Table III"},
    ColumnReference{"D2.iterations", "size", "Bytes copied to the device in it and in the interval before it", "", "G",
                    "DeepProf, Table III"},
    ColumnReference{"D2.iterations", "iteration_ms", "How long it runs", "end_ms − start_ms of D1", kOperations,
                    kIterations},
    ColumnReference{"D2.iterations", "compute_pct",
                    "Share of it in which kernels, memsets, copies within the device run", "union / iteration_ms · 100",
                    kOperations, kIterations},
    ColumnReference{"D2.iterations", "copy_pct", "Share in which copies from and to the host run", "likewise",
                    kOperations, kIterations},
    ColumnReference{"D2.iterations", "both_pct", "Share in which both run", "likewise", kOperations, kIterations},
    ColumnReference{"D2.iterations", "idle_pct", "Share in which nothing runs", "likewise", kOperations, kIterations},
    ColumnReference{"D2.states", "state",
                    "CPU: the interval without copies; copy: copies in the interval; GPU: the iteration", "", "G",
                    "DeepProf, Figure 5"},
    ColumnReference{"D2.states", "mean_ms", "Its time per iteration", "mean of iterations with an interval", "G",
                    kIterations},
    ColumnReference{"D2.states", "share_pct", "Its share of interval and iteration", "", "G", kIterations},
    ColumnReference{"D2.states", "operations", "Operations per iteration that it starts, copies, executes", "mean", "G",
                    kIterations},

    // D3
    ColumnReference{"D3", "stream", "Stream", "", "G", kCupti},
    ColumnReference{"D3", "class",
                    "main: at least a twentieth of the kernels or of their time; copy: copies only; assist: all others",
                    "", "G", "DeepProf, IV-A2"},
    ColumnReference{"D3", "kernels", "Kernels that ran on it", "", "G", kCupti},
    ColumnReference{"D3", "copies_to_device", "Copies from the host to the device", "", "G", kCupti},
    ColumnReference{"D3", "copies_to_host", "Copies from the device to the host", "", "G", kCupti},
    ColumnReference{"D3", "other_copies", "Copies within the device and between devices", "", "G", kCupti},
    ColumnReference{"D3", "memsets", "Memsets", "", "G", kCupti},
    ColumnReference{"D3", "kernel_ms", "Time of its kernels, one after another", "Σ latency of kernels", "G", kOurs},
    ColumnReference{"D3", "copy_ms", "Time of its copies, one after another", "Σ latency of copies", "G", kOurs},
    ColumnReference{"D3", "busy_ms", "Time in which anything ran on it", "length of the union of all", "G", kOurs},
    ColumnReference{"D3", "bytes_to_device", "Bytes copied from the host to the device", "", "G", kCupti},
    ColumnReference{"D3", "bytes_to_host", "Bytes copied from the device to the host", "", "G", kCupti},

    // D4
    ColumnReference{"D4", "diagnosis", "What is looked for; the order is that of doc/iterations.md", "", kOperations,
                    kIterations},
    ColumnReference{"D4", "found", "Whether it is there, and nothing more special explains the same times", "",
                    kOperations, kIterations},
    ColumnReference{"D4", "value", "What was compared; null: too few iterations, or nothing to tell it by", "",
                    kOperations, kIterations},
    ColumnReference{"D4", "threshold", "From which value on it is found, where it is also significant", "", kOperations,
                    kIterations},
    ColumnReference{"D4", "unit", "Of both", "", kOperations, kIterations},
    ColumnReference{"D4", "evidence", "The numbers behind it, and why it is not found", "", kOperations, kIterations},
    ColumnReference{"D4", "iterations", "Iterations of D1 that it is about; null: all", "", kOperations, kIterations},
    ColumnReference{"D4", "advice", "What to do; of what was found", "", kOperations, kIterations},

    // L1
    ColumnReference{"L1 L1.nested", "level_set", "What was recorded: M, M/L, M/L/G", "", "a leveled set", "XSP, III-C"},
    ColumnReference{"L1 L1.nested", "event_level", "Level of the event: model, layer, …", "", "a leveled set",
                    "XSP, III-C"},
    ColumnReference{"L1", "latency_ms", "Latency of the event while that set was recorded", "", "a leveled set",
                    "XSP, III-C"},
    ColumnReference{"L1", "overhead_ms", "What this set's deepest level costs the event",
                    "latency with it − latency with the set before", "a leveled set", "XSP, III-C"},
    ColumnReference{"L1", "overhead_pct", "The same as a share", "overhead_ms / latency with the set before · 100",
                    "a leveled set", "XSP, III-C"},
    ColumnReference{"L1", "overhead_low_ms", "Low end of its 95 % confidence interval", "bootstrap", "a leveled set",
                    "doc/experiments.md"},
    ColumnReference{"L1", "overhead_high_ms", "High end of its 95 % confidence interval", "bootstrap", "a leveled set",
                    "doc/experiments.md"},
    ColumnReference{"L1", "significant", "Whether the interval leaves zero out", "", "a leveled set",
                    "doc/experiments.md"},
    ColumnReference{"L1", "runs", "Runs of this level set", "", "a leveled set", kOurs},
    ColumnReference{"L1.nested", "index", "Number of the event in its level set", "", "a leveled set", "XSP, Figure 2"},
    ColumnReference{"L1.nested", "parent_index", "The event around it", "", "a leveled set", "XSP, Figure 2"},
    ColumnReference{"L1.nested", "name", "Name of the event", "", "a leveled set", "XSP, Figure 2"},
    ColumnReference{"L1.nested", "begin_ms", "Begin after that of the model", "", "a leveled set", "XSP, Figure 2"},
    ColumnReference{"L1.nested", "latency_ms", "Its latency", "", "a leveled set", "XSP, Figure 2"},
    ColumnReference{"L1.nested", "accurate", "Whether this set times this level: nothing deeper was recorded", "",
                    "a leveled set", "XSP, Figure 2"},

    // M1
    ColumnReference{"M1", "name", "Name of the model", "", "M", "XSP, Table VIII"},
    ColumnReference{"M1", "task", "Task of the model; in no trace yet", "", "M", "XSP, Table VIII"},
    ColumnReference{"M1", "online_latency_ms", "Latency at batch size 1", "", "M", "XSP, Table VIII"},
    ColumnReference{"M1", "max_throughput_per_s", "Largest throughput over the batch sizes", "max of throughput_per_s",
                    "M", "XSP, Table VIII"},
    ColumnReference{"M1", "optimal_batch", "Best batch size by --optimal; by default the last that gains 5 %", "", "M",
                    "XSP, III-D1"},
    ColumnReference{"M1", "convolution_pct", "Share of convolutions in the time of layers", "", "L", "XSP, Table VIII"},
    ColumnReference{"M1", "latency_stage", "Third of the model with most latency", "", "L", "XSP, Table IX"},
    ColumnReference{"M1", "memory_stage", "Third that allocates most", "", "L", "XSP, Table IX"},
    ColumnReference{"M1", "flops_stage", "Third with most flops", "", "L, G+metrics", "XSP, Table IX"},
    ColumnReference{"M1", "memory_access_stage", "Third with most bytes of device memory", "", "L, G+metrics",
                    "XSP, Table IX"},
    ColumnReference{"M1", "system", "GPUs", "", "G", "XSP, Table X"},
    ColumnReference{"M1", "rank", "Rank of a distributed program", "", "M", "the recording"},
    ColumnReference{"M1", "framework", "What recorded the model: xsp, kineto, …", "", "M", kOurs},

    // Q1
    ColumnReference{"Q1", "quantity", "What is counted", "", "any", kOurs},
    ColumnReference{"Q1", "level", "Of which level; all: of the trace as a whole", "", "any", kOurs},
    ColumnReference{"Q1", "value", "How many, or how much", "", "any", kOurs},
    ColumnReference{"Q1", "note", "Why, and what would help", "", "any", kOurs},
};

/// Whether a list of ids, separated by blanks, has this one.
constexpr bool has_id(std::string_view list, std::string_view id) {
  while (!list.empty()) {
    const size_t end = list.find(' ');
    if (list.substr(0, end) == id) return true;
    if (end == std::string_view::npos) return false;
    list.remove_prefix(end + 1);
  }
  return false;
}

}  // namespace

std::span<const ColumnReference> column_references() { return kColumns; }

const ColumnReference* column_reference(std::string_view table, std::string_view column) {
  const ColumnReference* general = nullptr;
  for (const ColumnReference& reference : kColumns) {
    if (reference.column != column) continue;
    if (has_id(reference.tables, table)) return &reference;
    if (reference.tables.empty()) general = &reference;
  }
  return general;
}

std::span<const TableReference> table_references() { return kTables; }

const TableReference* table_reference(std::string_view table) {
  for (const TableReference& reference : kTables) {
    if (reference.id == table) return &reference;
  }
  return nullptr;
}

}  // namespace xsp::analysis
