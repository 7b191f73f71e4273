// The stream that a handle works on. The library itself is asked: a program may set the stream in ways that are not
// wrapped.
#include "inject/library/capture/passed_object.h"
#include "inject/library/capture/sibling.h"

namespace xsp::guest {
namespace {

using GetStream = int(void* handle, void** stream);
constinit Sibling<GetStream> cublas_get_stream{"cublasGetStream_v2"};
constinit Sibling<GetStream> cudnn_get_stream{"cudnnGetStream"};

uint64_t stream_of(const xsp_call* call, Sibling<GetStream>& sibling, void* handle) {
  if (!is_object(call, handle)) return 0;
  GetStream* get = sibling.of(call);
  void* stream = nullptr;
  if (get == nullptr || get(handle, &stream) != 0) return 0;
  return reinterpret_cast<uint64_t>(stream);
}

}  // namespace
}  // namespace xsp::guest

using namespace xsp::guest;

extern "C" uint64_t xsp_stream_of_cublasHandle_t(const xsp_call* call, void* handle) {
  return stream_of(call, cublas_get_stream, handle);
}

extern "C" uint64_t xsp_stream_of_cudnnHandle_t(const xsp_call* call, void* handle) {
  return stream_of(call, cudnn_get_stream, handle);
}
