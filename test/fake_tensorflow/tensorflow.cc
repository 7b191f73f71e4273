// A stand-in for libtensorflow_framework: a session runs four kernels through the virtual function of a device. With
// FAKE_TENSORFLOW_1 it is one of the kind of 1.15: kernels have functions that return their names, and a context has a
// mutex and allocators in front of its outputs. Words in FAKE_TENSORFLOW choose what a version or build may have
// otherwise:
//
//   absl-views     string_views that begin with the address
//   no-names       kernels without string_views
//   false-names    other texts than TraceString's
//   other-params   parameters that name neither kernel nor device
//   false-sizes    tensors whose sizes are not those of their elements
//   unmapped       output pointers that lead nowhere
//   direct         a device that is not called through its virtual table
//   fails          the session's call fails
//   throws         the third kernel of every fourth call throws, and the call with it
//   callable       the session is run by no function of the C API

#include "test/fake_tensorflow/tensorflow.h"

#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <stdexcept>
#include <string>

struct TF_Status {
  int code;
};

namespace {

bool has_word(const char* word) {
  const char* words = std::getenv("FAKE_TENSORFLOW");
  const char* found = words == nullptr ? nullptr : std::strstr(words, word);
  return found != nullptr;
}

uint64_t sum = 0;

}  // namespace

namespace tensorflow {

class OpKernelContext;

class OpKernel {
 public:
  OpKernel(const char* name, const char* type) : name_(name), type_(type) {
    const bool is_false = has_word("false-names");
    const auto set = [&](uintptr_t* view, const std::string& text) {
      const char* shown = is_false ? "something else" : text.c_str();
      const bool is_address_first = has_word("absl-views");
      view[is_address_first ? 0 : 1] = reinterpret_cast<uintptr_t>(shown);
      view[is_address_first ? 1 : 0] = is_false ? 14 : text.size();
    };
    if (has_word("no-names")) return;
    set(views_, name_);
    set(views_ + 2, type_);
  }
  virtual ~OpKernel() = default;
#ifdef FAKE_TENSORFLOW_1
  const std::string& name() const;
  const std::string& type_string() const;
#else
  std::string TraceString(const OpKernelContext& context, bool with_shapes) const;
#endif
  size_t trace_length() const { return name_.size() + 1 + type_.size(); }

 private:
  uint64_t before_[9] = {};
  uintptr_t views_[4] = {};
  uint64_t after_[60] = {};
  std::string name_;
  std::string type_;
};

struct TensorShape {
  uint16_t sizes[6] = {};
  uint8_t rest[4] = {};  // 13: element type, 14: rank, 15: tag
  int64_t elements = 1;

  void set(std::initializer_list<uint16_t> all) {
    int rank = 0;
    for (const uint16_t size : all) {
      sizes[rank++] = size;
      elements *= size;
    }
    rest[2] = static_cast<uint8_t>(rank);
    if (has_word("false-sizes")) elements += 1;
  }
};
static_assert(sizeof(TensorShape) == 24);

class Device;

struct Params {
  int64_t step;
  int64_t start = 0;
  const void* others[3] = {};
  const OpKernel* kernel = nullptr;
  const Device* device = nullptr;
  const void* more[12] = {};
};

class OpKernelContext {
 public:
  explicit OpKernelContext(Params* params) : params_(params) {}
  virtual ~OpKernelContext() = default;
  void set_output(const TensorShape* shape) {
    outputs_size_ = 1 << 1;
    outputs_[0][1] = has_word("unmapped") ? reinterpret_cast<const void*>(8) : shape;
  }

 private:
  bool records_ = false;
  void* status_ = nullptr;
  Params* params_;
#ifdef FAKE_TENSORFLOW_1
  uint64_t mutex_[2] = {};
  uint64_t allocators_[9] = {};
#endif
  uint64_t outputs_size_ = 0;
  const void* outputs_[4][2] = {};
};

#ifdef FAKE_TENSORFLOW_1
__attribute__((noinline)) const std::string& OpKernel::name() const { return name_; }
__attribute__((noinline)) const std::string& OpKernel::type_string() const { return type_; }
#else
__attribute__((noinline)) std::string OpKernel::TraceString(const OpKernelContext&, bool) const {
  return name_ + ":" + type_;
}
#endif

class Device {
 public:
  virtual ~Device() = default;
  virtual void Compute(OpKernel* kernel, OpKernelContext* context);
};
void Device::Compute(OpKernel*, OpKernelContext*) { sum += 1000; }

class ThreadPoolDevice : public Device {
 public:
  void Compute(OpKernel* kernel, OpKernelContext* context) override;
  TensorShape shape;
};
__attribute__((noinline)) void ThreadPoolDevice::Compute(OpKernel* kernel, OpKernelContext* context) {
  sum = sum * 31 + kernel->trace_length();
  context->set_output(&shape);
  static int kernels = 0;
  if (has_word("throws") && ++kernels % 16 == 3) throw std::runtime_error("kernel");
}

/// Returned through a hidden pointer, as it has a destructor.
struct Status {
  void* state = nullptr;
  ~Status() { state = nullptr; }
};

struct SessionOptions {};
struct Session {};
/// What a program in C++ calls, and TensorFlow itself wherever it makes a session.
__attribute__((noinline)) Session* NewSession(const SessionOptions&) {
  static Session session;
  return &session;
}

class DirectSession {
 public:
  __attribute__((noinline)) Status RunInternal(int64_t step, const char* options);
};

/// Called through the library's own table, as it is exported.
Status DirectSession::RunInternal(int64_t step, const char*) {
  static ThreadPoolDevice device;
  static OpKernel kernels[] = {{"_arg_input_0_0", "_Arg"},
                               {"net/conv/Conv2D", "Conv2D"},
                               {"net/conv/Relu", "Relu"},
                               {"net/fc/MatMul", "MatMul"}};
  uint16_t rows = 2;
  for (OpKernel& kernel : kernels) {
    Params params{.step = step};
    if (!has_word("other-params")) {
      params.kernel = &kernel;
      params.device = &device;
    }
    OpKernelContext context(&params);
    device.shape = {};
    device.shape.set({rows++, 8});
    Device* volatile as_virtual = &device;
    if (has_word("direct")) {
      device.ThreadPoolDevice::Compute(&kernel, &context);
    } else {
      as_virtual->Compute(&kernel, &context);
    }
  }
  return {};
}

}  // namespace tensorflow

extern "C" {

TF_Status* TF_NewStatus() { return new TF_Status{0}; }
void TF_DeleteStatus(TF_Status* status) { delete status; }
int TF_GetCode(const TF_Status* status) { return status->code; }
int TF_NumDims(const TF_Tensor*) { return 2; }
int64_t TF_Dim(const TF_Tensor*, int dimension) { return dimension == 0 ? 4 : 8; }
const char* TFE_OpGetName(const void*, TF_Status*) { return "Conv2D"; }
int TFE_OpGetFlatInputCount(const void*, TF_Status*) { return 0; }
void* TFE_OpGetFlatInput(const void*, int, TF_Status*) { return nullptr; }
int TFE_TensorHandleDataType(void*) { return 1; }
int TFE_TensorHandleNumDims(void*, TF_Status*) { return 0; }
int64_t TFE_TensorHandleDim(void*, int, TF_Status*) { return 0; }

void fake_tensorflow_make_session() { tensorflow::NewSession({}); }

void fake_tensorflow_run() {
  static int64_t step = 1000;
  tensorflow::DirectSession session;
  session.RunInternal(++step, nullptr);
}

void TF_SessionRun(void*, const void*, const void*, TF_Tensor* const*, int, const void*, TF_Tensor**, int,
                   const void* const*, int, void*, TF_Status* status) {
  static int64_t step = 0;
  tensorflow::DirectSession session;
  session.RunInternal(++step, nullptr);
  status->code = has_word("fails") ? 3 : 0;
}

uint64_t fake_tensorflow_sum() { return sum; }
}
