#include "bound/backends/cuda_probe.h"

#include "bound/backends/cuda_device.h"
#include "bound/backends/cuda_files.h"

namespace xsp::bound {
namespace {

class CudaDriver : public Backend {
 public:
  explicit CudaDriver(const CudaDevice& device) {
    library_ = {.backend = "cuda",
                .name = "cuda",
                .version = device.cuda_version(),
                .path = device.api().path(),
                .device = device.facts()};
  }

  const Library& library() const override { return library_; }
  Status set_threads(int) override { return {}; }
  Status candidates(const WorkItem&, std::vector<std::unique_ptr<Candidate>>*) override {
    return {"the driver computes nothing itself", ""};
  }

 private:
  Library library_;
};

}  // namespace

std::vector<std::string> cuda_driver_files() { return linker_files("libcuda.so.1"); }

Status load_cuda_driver(const std::string&, std::unique_ptr<Backend>* backend) {
  std::shared_ptr<CudaDevice> device;
  bool is_missing = false;
  const Status status = CudaDevice::look_at(&device, &is_missing);
  if (is_missing) return {};
  if (!status.ok()) return status;
  *backend = std::make_unique<CudaDriver>(*device);
  return {};
}

}  // namespace xsp::bound
