#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace xsp::bound {

/// The machine, as far as times depend on it: its processor, or a GPU of it.
struct SystemFacts {
  std::string device;        // "Intel(R) Xeon(R) Platinum 8370C CPU @ 2.80GHz"
  std::string isa;           // the widest vector extension: "avx512_vnni"; of a GPU "sm_90"
  std::string instructions;  // all known extensions, widest first; empty where only the widest is known
  int cores = 0;             // that this process may use
  uint64_t memory_bytes = 0;
  uint64_t cache_bytes = 0;  // of the last cache
  std::string driver;        // kernel version; of a GPU "CUDA 13.0, NVIDIA 580.65.06"
  std::string clocks;        // governor and largest clock, where told
  std::string host_hash;     // not the name

  bool is_gpu() const { return isa.starts_with("sm_"); }
  /// What makes two rows comparable: "Intel(R) Xeon(R) …, avx512_vnni, 2 cores, 24 GiB", "NVIDIA H100 80GB HBM3, sm_90,
  /// 132 multiprocessors, 80 GiB".
  std::string key() const;
};

/// A library that a back end calls, as it was found on this machine.
struct Library {
  std::string backend;                     // "onednn", "blas", "onnxruntime", "cublas"
  std::string name;                        // "onednn", "openblas", "mkl", "onnxruntime", "cublas"
  std::string version;                     // "3.2.0"
  std::string build;                       // what the library says of its build; may be empty
  std::string path;                        // of the file that is loaded
  std::optional<SystemFacts> device = {};  // the GPU on which it computes; nothing: it computes on the processor

  bool is_same(const Library& other) const { return name == other.name && version == other.version; }
};

/// How results may differ from those of the plain algorithm.
enum class Numerics : uint8_t {
  kExact,
  kTransform,  // Winograd, FFT: other rounding
  kReduced,    // TF32 and the like: fewer bits, never counts as f32
};
std::string_view name_of(Numerics numerics);  // "exact", "transform", "reduced"
std::optional<Numerics> numerics_named(std::string_view name);

enum class BenchmarkStatus : uint8_t { kOk, kUnsupported, kError, kTimeout, kImported };
std::string_view name_of(BenchmarkStatus status);  // "ok", "unsupported", "error", "timeout", "imported"
std::optional<BenchmarkStatus> status_named(std::string_view name);

/// One implementation of a problem: what it is called and what was measured of it. Times are of one call.
struct Measurement {
  std::string problem;
  std::string backend;
  std::string library;
  std::string library_version;
  std::string implementation;  // the library's own name: "brgconv:avx512_core"
  Numerics numerics = Numerics::kExact;
  std::string math_mode;  // empty: the library's default
  std::string layout;     // "plain", "channels_last", "any: aBcd16b"
  std::string dtype;
  int threads = 1;
  bool cold = false;
  BenchmarkStatus status = BenchmarkStatus::kOk;
  std::string message;  // what the library or we say of what failed

  uint64_t samples_taken = 0;
  double min_ns = 0;
  double median_ns = 0;
  double p90_ns = 0;
  std::optional<double> cpu_min_ns;  // thread CPU time, with one thread
  std::vector<float> samples_ns;     // all of them, wall
  uint64_t workspace_bytes = 0;
  double load_average = 0;
  int64_t started_at = 0;  // seconds since 1970
  std::string xsp_version;

  bool is_noisy() const { return median_ns > 1.2 * min_ns; }
  /// What counts for a bound: the least thread CPU time where there is one, else the least wall time.
  double best_ns() const { return cpu_min_ns.value_or(min_ns); }
};

/// Of this machine, from /proc and /sys.
SystemFacts this_system();

}  // namespace xsp::bound
