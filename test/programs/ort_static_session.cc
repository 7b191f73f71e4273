// ort_static_session MODEL INPUT SIZE,...: a C++ host whose session is destroyed by a static destructor.
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "ort_c_api.h"

namespace {

class Session {
 public:
  Session(const char* model) {
    api_ = OrtGetApiBase()->GetApi(16);
    ORT(api_, kCreateEnv, (int, const char*, Opaque*))(3, "static", &env_);
    Opaque status = ORT(api_, kCreateSession, (Opaque, const char*, Opaque, Opaque*))(env_, model, nullptr, &session_);
    if (status != nullptr) std::exit(3);
  }
  ~Session() {
    ORT_VOID(api_, kReleaseSession)(session_);
    std::puts("released");
  }

  void run(const char* name, const std::vector<int64_t>& shape) {
    size_t elements = 1;
    for (int64_t size : shape) elements *= static_cast<size_t>(size);
    std::vector<float> data(elements, 0.5F);
    Opaque memory, value, output = nullptr, allocator;
    char* output_name;
    ORT(api_, kGetAllocatorWithDefaultOptions, (Opaque*))(&allocator);
    ORT(api_, kCreateCpuMemoryInfo, (int, int, Opaque*))(1, 0, &memory);
    ORT(api_, kCreateTensorWithData, (Opaque, void*, size_t, const int64_t*, size_t, int, Opaque*))
    (memory, data.data(), elements * sizeof(float), shape.data(), shape.size(), 1, &value);
    ORT(api_, kSessionGetOutputName, (Opaque, size_t, Opaque, char**))(session_, 0, allocator, &output_name);
    const char* names[] = {output_name};
    const Opaque inputs[] = {value};
    Opaque status = ORT(
        api_, kRun, (Opaque, Opaque, const char* const*, const Opaque*, size_t, const char* const*, size_t, Opaque*))(
        session_, nullptr, &name, inputs, 1, names, 1, &output);
    std::puts(status == nullptr ? "run" : "failed");
  }

 private:
  const Opaque* api_;
  Opaque env_, session_;
};

}  // namespace

int main(int, char** words) {
  static Session session(words[1]);
  std::vector<int64_t> shape;
  std::istringstream sizes(words[3]);
  for (std::string size; std::getline(sizes, size, ',');) shape.push_back(std::stoll(size));
  for (int i = 0; i < 3; ++i) session.run(words[2], shape);
}
