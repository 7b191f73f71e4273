// The readers of cuDNN's descriptors, with descriptors that the installed cuDNN made. No device is needed.
#include "test/catch.h"
#include "test/inject/library/capture/capture_stand_in.h"

extern "C" {
uint32_t xsp_describe_cudnnTensorDescriptor_t(const xsp_call*, const void*);
uint32_t xsp_describe_cudnnFilterDescriptor_t(const xsp_call*, const void*);
uint32_t xsp_describe_cudnnConvolutionDescriptor_t(const xsp_call*, const void*);
uint32_t xsp_describe_cudnnPoolingDescriptor_t(const xsp_call*, const void*);
uint32_t xsp_describe_cudnnActivationDescriptor_t(const xsp_call*, const void*);
uint32_t xsp_describe_cudnnRNNDescriptor_t(const xsp_call*, const void*);
uint32_t xsp_describe_cudnnRNNDataDescriptor_t(const xsp_call*, const void*);
uint32_t xsp_describe_cudnnReduceTensorDescriptor_t(const xsp_call*, const void*);
uint32_t xsp_describe_cudnnOpTensorDescriptor_t(const xsp_call*, const void*);
uint32_t xsp_describe_cudnnLRNDescriptor_t(const xsp_call*, const void*);
uint32_t xsp_describe_cudnnSeqDataDescriptor_t(const xsp_call*, const void*);
uint32_t xsp_describe_cudnnAttnDescriptor_t(const xsp_call*, const void*);
uint32_t xsp_describe_cudnnTensorTransformDescriptor_t(const xsp_call*, const void*);
uint64_t xsp_stream_of_cudnnHandle_t(const xsp_call*, void*);
}

namespace {

using namespace xsp::test;

constexpr const char* kNames[] = {"libcudnn.so.9", "/usr/local/cuda/lib64/libcudnn.so.9", nullptr};
constexpr int kFloat = 0, kHalf = 2, kNchw = 0, kNhwc = 1;

/// A descriptor of the installed cuDNN, empty.
struct Descriptor {
  Descriptor(void* library, const char* kind) : cudnn(library) {
    REQUIRE(function_of<int(void**)>(cudnn, (std::string("cudnnCreate") + kind).c_str())(&object) == 0);
  }
  template <typename... Arguments>
  void set(const char* setter, Arguments... arguments) {
    REQUIRE(function_of<int(void*, Arguments...)>(cudnn, setter)(object, arguments...) == 0);
  }
  void* cudnn;
  void* object = nullptr;
};

TEST_CASE("tensors are text: type, sizes, and the layout when it is not the usual one") {
  void* cudnn = open_library(kNames);
  if (cudnn == nullptr) return;
  const xsp_call call = call_of(cudnn);
  const auto text = [&](const Descriptor& d) { return text_of(xsp_describe_cudnnTensorDescriptor_t(&call, d.object)); };
  Descriptor tensor(cudnn, "TensorDescriptor");
  tensor.set("cudnnSetTensor4dDescriptor", kNchw, kHalf, 8, 64, 56, 56);
  CHECK(text(tensor) == "f16[8,64,56,56]");
  tensor.set("cudnnSetTensor4dDescriptor", kNhwc, kHalf, 8, 64, 56, 56);
  CHECK(text(tensor) == "f16[8,64,56,56]nhwc");  // the same object, changed
  tensor.set("cudnnSetTensor4dDescriptor", kNhwc, kFloat, 1, 1000, 1, 1);
  CHECK(text(tensor) == "f32[1,1000,1,1]");  // both orders at once
  const int sizes[] = {2, 3, 4, 5, 6}, strides[] = {1000, 200, 30, 6, 1}, last[] = {360, 1, 90, 18, 3};
  tensor.set("cudnnSetTensorNdDescriptor", kFloat, 5, +sizes, +strides);
  CHECK(text(tensor) == "f32[2,3,4,5,6]{1000,200,30,6,1}");
  tensor.set("cudnnSetTensorNdDescriptor", kFloat, 5, +sizes, +last);
  CHECK(text(tensor) == "f32[2,3,4,5,6]ndhwc");
  CHECK(xsp_describe_cudnnTensorDescriptor_t(&call, nullptr) == 0);
}

TEST_CASE("filters, convolutions and poolings are text") {
  void* cudnn = open_library(kNames);
  if (cudnn == nullptr) return;
  const xsp_call call = call_of(cudnn);
  Descriptor filter(cudnn, "FilterDescriptor");
  filter.set("cudnnSetFilter4dDescriptor", kHalf, kNhwc, 64, 32, 3, 3);
  CHECK(text_of(xsp_describe_cudnnFilterDescriptor_t(&call, filter.object)) == "f16[64,32,3,3]nhwc");
  Descriptor convolution(cudnn, "ConvolutionDescriptor");
  convolution.set("cudnnSetConvolution2dDescriptor", 1, 1, 2, 2, 1, 1, 1, kFloat);
  convolution.set("cudnnSetConvolutionGroupCount", 4);
  convolution.set("cudnnSetConvolutionMathType", 1);
  CHECK(text_of(xsp_describe_cudnnConvolutionDescriptor_t(&call, convolution.object)) ==
        "pad=[1,1] stride=[2,2] dilation=[1,1] groups=4 mode=CROSS_CORRELATION math=TENSOR_OP_MATH compute=f32");
  Descriptor pooling(cudnn, "PoolingDescriptor");
  pooling.set("cudnnSetPooling2dDescriptor", 0, 0, 3, 3, 1, 1, 2, 2);
  CHECK(text_of(xsp_describe_cudnnPoolingDescriptor_t(&call, pooling.object)) ==
        "mode=MAX window=[3,3] pad=[1,1] stride=[2,2]");
}

TEST_CASE("activations, reductions, element operations and LRN are text") {
  void* cudnn = open_library(kNames);
  if (cudnn == nullptr) return;
  const xsp_call call = call_of(cudnn);
  Descriptor activation(cudnn, "ActivationDescriptor");
  activation.set("cudnnSetActivationDescriptor", 3, 0, 6.5);
  CHECK(text_of(xsp_describe_cudnnActivationDescriptor_t(&call, activation.object)) == "mode=CLIPPED_RELU coef=6.5");
  Descriptor reduction(cudnn, "ReduceTensorDescriptor");
  reduction.set("cudnnSetReduceTensorDescriptor", 5, kFloat, 0, 0, 0);
  CHECK(text_of(xsp_describe_cudnnReduceTensorDescriptor_t(&call, reduction.object)) ==
        "op=AVG compute=f32 indices=NO_INDICES");
  Descriptor operation(cudnn, "OpTensorDescriptor");
  operation.set("cudnnSetOpTensorDescriptor", 1, kFloat, 0);
  CHECK(text_of(xsp_describe_cudnnOpTensorDescriptor_t(&call, operation.object)) == "op=MUL compute=f32");
  Descriptor lrn(cudnn, "LRNDescriptor");
  lrn.set("cudnnSetLRNDescriptor", 5u, 1e-4, 0.75, 2.0);
  CHECK(text_of(xsp_describe_cudnnLRNDescriptor_t(&call, lrn.object)) == "n=5 alpha=0.0001 beta=0.75 k=2");
}

TEST_CASE("recurrent networks, sequences, attention and transforms are text") {
  void* cudnn = open_library(kNames);
  if (cudnn == nullptr) return;
  const xsp_call call = call_of(cudnn);
  Descriptor dropout(cudnn, "DropoutDescriptor");
  Descriptor rnn(cudnn, "RNNDescriptor");
  rnn.set("cudnnSetRNNDescriptor_v8", 0, 2, 2, 1, 0, kHalf, kFloat, 1, 128, 256, 256, 2, dropout.object, 0u);
  CHECK(text_of(xsp_describe_cudnnRNNDescriptor_t(&call, rnn.object)) ==
        "cell=LSTM input=128 hidden=256 projected=256 layers=2 direction=BIDIRECTIONAL bias=DOUBLE_BIAS "
        "input_mode=LINEAR_INPUT type=f16 compute=f32 math=TENSOR_OP_MATH algorithm=STANDARD");
  Descriptor data(cudnn, "RNNDataDescriptor");
  const int lengths[] = {5, 4, 3};
  float fill = 0;
  data.set("cudnnSetRNNDataDescriptor", kFloat, 1, 5, 3, 128, +lengths, static_cast<void*>(&fill));
  CHECK(text_of(xsp_describe_cudnnRNNDataDescriptor_t(&call, data.object)) == "f32[5,3,128] layout=SEQ_MAJOR_PACKED");
  Descriptor sequence(cudnn, "SeqDataDescriptor");
  const int sizes[] = {3, 2, 5, 64}, axes[] = {0, 1, 2, 3};
  int all[10];
  for (int& length : all) length = 3;
  sequence.set("cudnnSetSeqDataDescriptor", kFloat, 4, +sizes, +axes, size_t{10}, +all, static_cast<void*>(&fill));
  const std::string text = text_of(xsp_describe_cudnnSeqDataDescriptor_t(&call, sequence.object));
  CHECK(text.substr(0, 20) == "f32[3,2,5,64] axes=[");
  Descriptor attention(cudnn, "AttnDescriptor");
  attention.set("cudnnSetAttnDescriptor", 0u, 8, 0.125, kFloat, kFloat, 0, nullptr, nullptr, 512, 512, 512, 64, 64, 64,
                512, 128, 130, 16, 1);
  CHECK(text_of(xsp_describe_cudnnAttnDescriptor_t(&call, attention.object)) ==
        "heads=8 scale=0.125 qkv=[512,512,512] projected=[64,64,64,512] longest=[128,130] batch=16 beam=1 type=f32 "
        "compute=f32 math=DEFAULT_MATH");
  Descriptor transform(cudnn, "TensorTransformDescriptor");
  const int32_t before[] = {0, 1, 2, 3}, behind[] = {4, 5, 6, 7};
  const uint32_t fold[] = {1, 1};
  transform.set("cudnnSetTensorTransformDescriptor", 4u, kNhwc, +before, +behind, +fold, 0);
  CHECK(text_of(xsp_describe_cudnnTensorTransformDescriptor_t(&call, transform.object)) ==
        "format=NHWC pad_before=[0,1,2,3] pad_behind=[4,5,6,7]");
}

TEST_CASE("what a failed call was given is not believed to be an object") {
  void* cudnn = open_library(kNames);
  if (cudnn == nullptr) return;
  xsp_call call = call_of(cudnn);
  call.failed = 1;
  auto* nowhere = reinterpret_cast<void*>(uintptr_t{0x123450000});
  CHECK(xsp_describe_cudnnTensorDescriptor_t(&call, nowhere) == 0);
  CHECK(xsp_describe_cudnnConvolutionDescriptor_t(&call, reinterpret_cast<void*>(uintptr_t{1})) == 0);
  CHECK(xsp_stream_of_cudnnHandle_t(&call, nowhere) == 0);
  Descriptor tensor(cudnn, "TensorDescriptor");
  tensor.set("cudnnSetTensor4dDescriptor", kNchw, kHalf, 1, 2, 3, 4);
  CHECK(text_of(xsp_describe_cudnnTensorDescriptor_t(&call, tensor.object)) == "f16[1,2,3,4]");
}

TEST_CASE("reading leaves the error that the program will ask for") {
  void* cudnn = open_library(kNames);
  if (cudnn == nullptr) return;
  const xsp_call call = call_of(cudnn);
  Descriptor tensor(cudnn, "TensorDescriptor");
  Descriptor convolution(cudnn, "ConvolutionDescriptor");  // never set
  tensor.set("cudnnSetTensor4dDescriptor", kNchw, kHalf, 1, 2, 3, 4);
  auto* fail =
      function_of<int(void*, void*, void*, void*, void*, void*, void*, void*)>(cudnn, "cudnnActivationForward");
  auto* last_error = function_of<void(char*, size_t)>(cudnn, "cudnnGetLastErrorString");
  const auto told = [&](bool read) {
    char message[512] = {};
    CHECK(fail(nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr) != 0);
    if (read) {
      xsp_describe_cudnnTensorDescriptor_t(&call, tensor.object);
      xsp_describe_cudnnConvolutionDescriptor_t(&call, convolution.object);
      xsp_stream_of_cudnnHandle_t(&call, nullptr);
    }
    last_error(message, sizeof message);
    return std::string(message);
  };
  const std::string untouched = told(false);
  CHECK_FALSE(untouched.empty());
  CHECK(told(true) == untouched);
}

}  // namespace
