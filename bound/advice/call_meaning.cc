#include "bound/advice/call_meaning.h"

#include <algorithm>
#include <string>

namespace xsp::bound {
namespace {

constexpr CallRole kCompute = CallRole::kCompute;
constexpr CallRole kLayoutChange = CallRole::kLayoutChange;
constexpr CallRole kSetUp = CallRole::kSetUp;

/// The first entry counts whose library is that of the call and whose text its function begins with, or has in it
/// where `anywhere`.
struct CallEntry {
  std::string_view library;
  std::string_view text;
  CallMeaning meaning;
  bool anywhere = false;
};

constexpr CallEntry kCalls[] = {
    {"onednn", " create", {kSetUp, {}, "a primitive made once"}, true},
    {"onednn", "reorder", {kLayoutChange}},
    {"onednn", "convolution", {kCompute, LayerKind::kConv}},
    {"onednn", "deconvolution", {kCompute, LayerKind::kConv}},
    {"onednn", "inner_product", {kCompute, LayerKind::kProduct}},
    {"onednn", "matmul", {kCompute, LayerKind::kProduct}},
    {"onednn", "batch_normalization", {kCompute, LayerKind::kBatchNormalization}},
    {"onednn", "pooling", {kCompute, LayerKind::kPooling}},
    {"onednn", "softmax", {kCompute, LayerKind::kSoftmax}},
    {"onednn", "", {kCompute}},

    {"cudnn", "cudnnFind", {kSetUp, {}, "a search for an algorithm made once"}},
    {"cudnn", "cudnnGetConvolutionForwardAlgorithm_v7", {kSetUp, {}, "a search for an algorithm made once"}},
    {"cudnn", "cudnnGetConvolutionBackwardDataAlgorithm_v7", {kSetUp, {}, "a search for an algorithm made once"}},
    {"cudnn", "cudnnGetConvolutionBackwardFilterAlgorithm_v7", {kSetUp, {}, "a search for an algorithm made once"}},
    {"cudnn", "cudnnGetConvolutionForwardAlgorithm", {}},  // …MaxCount
    {"cudnn", "cudnnTransform", {kLayoutChange}},
    {"cudnn", "cudnnReorderFilterAndBias", {kLayoutChange}},
    {"cudnn", "cudnnIm2Col", {kLayoutChange}},
    {"cudnn", "cudnnConvolution", {kCompute, LayerKind::kConv}},
    {"cudnn", "cudnnBatchNormalization", {kCompute, LayerKind::kBatchNormalization}},
    {"cudnn", "cudnnNormalization", {kCompute, LayerKind::kBatchNormalization}},
    {"cudnn", "cudnnPooling", {kCompute, LayerKind::kPooling}},
    {"cudnn", "cudnnSoftmax", {kCompute, LayerKind::kSoftmax}},
    {"cudnn", "cudnnBackendExecute", {kCompute}},
    {"cudnn", "cudnnBackendFinalize", {kSetUp, {}, "plans made once"}},
    {"cudnn", "cudnnActivation", {kCompute}},
    {"cudnn", "cudnnAddTensor", {kCompute}},
    {"cudnn", "cudnnOpTensor", {kCompute}},
    {"cudnn", "cudnnReduceTensor", {kCompute}},
    {"cudnn", "cudnnScaleTensor", {kCompute}},
    {"cudnn", "cudnnLRN", {kCompute}},
    {"cudnn", "cudnnRNNForward", {kCompute}},
    {"cudnn", "cudnnMultiHeadAttn", {kCompute}},

    {"cublaslt", "cublasLtMatmulAlgoGetHeuristic", {kSetUp, {}, "a search for an algorithm made once"}},
    {"cublaslt", "cublasLtMatmulAlgo", {}},
    {"cublaslt", "cublasLtMatmulDesc", {}},
    {"cublaslt", "cublasLtMatmulPreference", {}},
    {"cublaslt", "cublasLtMatmul", {kCompute, LayerKind::kProduct}},
    {"cublaslt", "cublasLtMatrixTransform", {kLayoutChange}},

    {"cublas", "geam", {kLayoutChange}, true},
    {"cublas", "gemm", {kCompute, LayerKind::kProduct}, true},
    {"cublas", "Gemm", {kCompute, LayerKind::kProduct}, true},
    {"cublas", "gemv", {kCompute, LayerKind::kProduct}, true},

    {"blas", "omatcopy", {kLayoutChange}, true},
    {"blas", "gemm", {kCompute, LayerKind::kProduct}, true},
    {"blas", "gemv", {kCompute, LayerKind::kProduct}, true},
    {"cblas", "omatcopy", {kLayoutChange}, true},
    {"cblas", "gemm", {kCompute, LayerKind::kProduct}, true},
    {"cblas", "gemv", {kCompute, LayerKind::kProduct}, true},
};

/// Functions whose whole names count, behind which the version of their interface may stand.
struct ExactCall {
  std::string_view function;
  std::string_view instead;
};
constexpr ExactCall kExactCalls[] = {
    {"cudnnCreate", "a handle made once"},
    {"cublasCreate", "a handle made once"},
    {"cublasLtCreate", "a handle made once"},
    {"cudaMalloc", "memory of the device allocated once"},
    {"cudaMallocPitch", "memory of the device allocated once"},
    {"cudaMallocManaged", "memory of the device allocated once"},
    {"cuMemAlloc", "memory of the device allocated once"},
    {"cuMemAllocPitch", "memory of the device allocated once"},
    {"cuMemAllocManaged", "memory of the device allocated once"},
    {"cudaFree", "memory of the device kept"},
    {"cuMemFree", "memory of the device kept"},
    {"cudaMallocHost", "pinned memory allocated once"},
    {"cudaHostAlloc", "pinned memory allocated once"},
    {"cudaHostRegister", "pinned memory allocated once"},
    {"cuMemHostAlloc", "pinned memory allocated once"},
    {"cuMemAllocHost", "pinned memory allocated once"},
    {"cudaStreamCreate", "a stream made once"},
    {"cudaStreamCreateWithFlags", "a stream made once"},
    {"cudaStreamCreateWithPriority", "a stream made once"},
    {"cuStreamCreate", "a stream made once"},
    {"cuModuleLoad", "code loaded once"},
    {"cuModuleLoadData", "code loaded once"},
    {"cuModuleLoadDataEx", "code loaded once"},
    {"cuModuleLoadFatBinary", "code loaded once"},
    {"cuLibraryLoadData", "code loaded once"},
    {"cudaGraphInstantiate", "a graph instantiated once"},
    {"cudaGraphInstantiateWithFlags", "a graph instantiated once"},
    {"cuGraphInstantiate", "a graph instantiated once"},
    {"cuGraphInstantiateWithFlags", "a graph instantiated once"},
};

/// "cublasCreate_v2" as "cublasCreate", "cudaMalloc_ptsz" as "cudaMalloc".
std::string_view without_version(std::string_view function) {
  const size_t end = function.rfind('_');
  if (end == std::string_view::npos) return function;
  const std::string_view behind = function.substr(end + 1);
  const bool is_version = behind == "ptsz" || behind == "ptds" || (behind.size() == 2 && behind.front() == 'v');
  return is_version ? without_version(function.substr(0, end)) : function;
}

CallMeaning exact_meaning(std::string_view function) {
  const std::string_view name = without_version(function);
  for (const ExactCall& entry : kExactCalls) {
    if (entry.function == name) return {kSetUp, {}, entry.instead};
  }
  return {};
}

}  // namespace

CallMeaning meaning_of_call(std::string_view library, std::string_view function) {
  if (const CallMeaning exact = exact_meaning(function); exact.role != CallRole::kOther) return exact;
  for (const CallEntry& entry : kCalls) {
    if (entry.library != library) continue;
    const bool fits =
        entry.anywhere ? function.find(entry.text) != std::string_view::npos : function.starts_with(entry.text);
    if (fits) return entry.meaning;
  }
  return {};
}

CallMeaning meaning_of_runtime_call(std::string_view function) { return exact_meaning(function); }

}  // namespace xsp::bound
