#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "collector/formats/ort_event.h"
#include "import/frame/profile_timeline.h"
#include "import/frame/string_pool.h"

namespace xsp {

/// The kernels and copies in ONNX Runtime's profiles (category "Kernel", by its CUDA and ROCm providers), and the host
/// event in which each was launched. No id joins the two: only their positions and the names they carry do.
///
/// - `parent_name` (1.14 on): the kernels of an event follow it directly.
/// - `op_name` alone (before): the kernels of a node stand directly before it.
/// - `ort_event_name` and `ort_correlation_id` (CUDA as a plugin): name and begin of the event, in microseconds since
///   1970; the difference to the profile's own times is the same for all.
///
/// https://github.com/microsoft/onnxruntime: include/onnxruntime/core/common/gpu_profiler_common.h, MergeEvents;
/// onnxruntime/core/providers/cuda/cuda_profiler.cc; onnxruntime/core/providers/cuda/plugin/cuda_profiler_plugin.cc.
class KernelEvents {
 public:
  /// The next event of the file; a kernel if its category says so. `host` is the number of a host event, in any order.
  void add_kernel(const OrtEvent& event, ImportedProcess& process);
  void add_host_event(const OrtEvent& event, size_t host);

  /// Joins what had to wait for the end of the file.
  void finish();

  struct Kernel {
    ImportedExecution execution;
    size_t host = SIZE_MAX;  // event that launched it; SIZE_MAX: unknown
  };
  std::vector<Kernel>& kernels() { return kernels_; }
  const std::vector<Kernel>& kernels() const { return kernels_; }
  /// Begin of the profile in microseconds since 1970, if the kernels tell; else 0.
  int64_t start_us() const { return start_us_; }

 private:
  /// A host event, as far as kernels may refer to it.
  struct Host {
    size_t number = SIZE_MAX;
    int64_t begin_us = 0;
    uint32_t name = 0;
    bool operator<(const Host& other) const {
      return name != other.name ? name < other.name : begin_us < other.begin_us;
    }
  };
  /// A kernel that refers to its event by time.
  struct Named {
    size_t kernel = 0;
    int64_t begin_us = 0;  // since 1970
    uint32_t name = 0;
  };

  const Host* find_host(const Named& named, int64_t start_us) const;

  std::vector<Kernel> kernels_;
  std::vector<Host> hosts_;
  std::vector<Named> named_;
  std::vector<size_t> before_host_;  // kernels that wait for the event after them
  std::string before_op_name_;
  StringPool names_;
  std::string last_name_;
  size_t last_host_ = SIZE_MAX;
  int64_t start_us_ = 0;
};

}  // namespace xsp
