#pragma once

#include <map>
#include <memory>
#include <span>
#include <vector>

#include "bound/backends/cudnn_engines.h"
#include "bound/backends/cudnn_legacy.h"
#include "bound/backends/cudnn_process.h"
#include "bound/backends/device_implementation.h"

namespace xsp::bound::cudnn {

using Operands = std::shared_ptr<const std::vector<PlainTensor>>;

/// Tensors on a device: those of the list that are in memory, each in a buffer of its own, then the workspace.
class TensorImplementation : public DeviceImplementation {
 public:
  /// `tensors` live as long as this.
  TensorImplementation(std::shared_ptr<Process> process, Operands operands, const std::vector<GraphTensor>& tensors,
                       uint64_t workspace_bytes);
  uint64_t workspace_bytes() const override { return workspace_bytes_; }

 protected:
  const Process& process() const { return *process_; }
  std::vector<size_t> device_sizes() const override;
  Status fill_device(std::span<const cuda::DevicePointer> buffers) override;
  Status read_device(std::span<const cuda::DevicePointer> buffers, std::vector<float>* result) override;

  /// Tensors that are in memory, in the order of their buffers.
  const std::vector<size_t>& in_memory() const { return in_memory_; }
  static void* pointer(cuda::DevicePointer address) { return reinterpret_cast<void*>(address); }

 private:
  Status fill(const GraphTensor& tensor, cuda::DevicePointer address);

  std::shared_ptr<Process> process_;
  Operands operands_;
  const std::vector<GraphTensor>& tensors_;
  std::vector<size_t> in_memory_;
  uint64_t workspace_bytes_;
};

/// An execution plan.
class PlanImplementation : public TensorImplementation {
 public:
  PlanImplementation(std::shared_ptr<Process> process, Operands operands, std::shared_ptr<const OperationGraph> graph,
                     ExecutionPlan plan);

 protected:
  Status enqueue(std::span<const cuda::DevicePointer> buffers) override;

 private:
  Status make_variant_pack(std::span<const cuda::DevicePointer> buffers, Descriptor* pack);

  std::shared_ptr<const OperationGraph> graph_;
  ExecutionPlan plan_;
  std::vector<float> scalars_;
  std::vector<double> wide_scalars_;
  /// By the address of the first buffer: there is a pack for each copy of the operands.
  std::map<cuda::DevicePointer, Descriptor> packs_;
};

/// A call of the legacy interface.
class LegacyImplementation : public TensorImplementation {
 public:
  LegacyImplementation(std::shared_ptr<Process> process, Operands operands, std::shared_ptr<const LegacyCall> call);

 protected:
  Status enqueue(std::span<const cuda::DevicePointer> buffers) override;

 private:
  std::shared_ptr<const LegacyCall> call_;
};

}  // namespace xsp::bound::cudnn
