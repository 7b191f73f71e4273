// A stand-in for libmxnet: an engine with a thread, to which an executor pushes a piece of work that it keeps, with two
// operators in it, and a cached operator pushes two operators by their names. Words in FAKE_MXNET choose what a version
// or build may have otherwise:
//
//   other-names    an executor's attributes are none that MXNet knows
//   long-names     names that are not as long as they say
//   other-arrays   an executor's arrays are of another size
//   direct         executors that do not run operators by their virtual tables
//   throws         the second operator of an executor throws, which the engine catches; each fourth call fails

#include "test/fake_mxnet/mxnet.h"

#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#define XSP_KEPT __attribute__((noinline, visibility("default")))

namespace {

bool has_word(const char* word) {
  const char* words = std::getenv("FAKE_MXNET");
  return words != nullptr && std::strstr(words, word) != nullptr;
}

std::atomic<uint64_t> sum{0};

}  // namespace

namespace nnvm {

struct Op {
  std::string name;
};

struct NodeAttrs {
  const Op* op;
  std::string name;
};

}  // namespace nnvm

namespace mxnet {

struct Context {
  int type;
  int id;
};
struct RunContext {
  Context context;
  void* stream;
  void* auxiliary;
  bool is_bulk;
};
enum class FnProperty { kNormal };
struct TBlob {};
struct OpContext {};
struct Resource {};
enum OpReqType { kWriteTo };

/// As far as the guest looks: 224 bytes, a shared_ptr, then the shape.
struct NDArray {
  std::shared_ptr<int> chunk = std::make_shared<int>(0);
  int rank = 2;
  int allocated = 0;
  int64_t inside[4] = {4, 8, 0, 0};
  const int64_t* outside = nullptr;
  char rest[160] = {};
};
static_assert(sizeof(NDArray) == 224);

namespace engine {

struct Var {};
struct Opr {
  std::function<void(RunContext, struct CallbackOnComplete)>* work;
};
struct CallbackOnComplete {
  void* words[3];
};

class ThreadedEngine {
 public:
  using Async = std::function<void(RunContext, CallbackOnComplete)>;
  using Sync = std::function<void(RunContext)>;
  using Vars = std::vector<Var*>;

  ThreadedEngine() : thread_([this] { run(); }) {}
  virtual ~ThreadedEngine() {
    PushAsync({}, {}, {}, {}, FnProperty::kNormal, 0, "end", false);
    thread_.join();
  }
  XSP_KEPT virtual Opr* NewOperator(Async work, const Vars& constants, const Vars& variables, FnProperty property,
                                    const char* name, bool wait);
  XSP_KEPT virtual void Push(Opr* opr, Context context, int priority, bool profiling);
  XSP_KEPT virtual void PushAsync(Async work, Context context, const Vars& constants, const Vars& variables,
                                  FnProperty property, int priority, const char* name, bool wait);
  XSP_KEPT virtual void PushSync(Sync work, Context context, const Vars& constants, const Vars& variables,
                                 FnProperty property, int priority, const char* name);

  void wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return queue_.empty() && !is_running_; });
  }

 private:
  void run() {
    for (;;) {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return !queue_.empty(); });
      Async work = std::move(queue_.front());
      queue_.pop_front();
      is_running_ = true;
      lock.unlock();
      if (!work) return;
      try {
        work({}, {});
      } catch (const std::runtime_error&) {
        ++sum;
      }
      work = {};
      lock.lock();
      is_running_ = false;
      changed_.notify_all();
    }
  }
  void enqueue(Async work) {
    const std::lock_guard lock(mutex_);
    queue_.push_back(std::move(work));
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Async> queue_;
  bool is_running_ = false;
  std::thread thread_;
};

/// As MXNet's, it begins with the function.
struct ThreadedOpr {
  ThreadedEngine::Async work;
};

Opr* ThreadedEngine::NewOperator(Async work, const Vars&, const Vars&, FnProperty, const char*, bool) {
  return reinterpret_cast<Opr*>(new ThreadedOpr{std::move(work)});
}
void ThreadedEngine::Push(Opr* opr, Context, int, bool) { enqueue(reinterpret_cast<ThreadedOpr*>(opr)->work); }
void ThreadedEngine::PushAsync(Async work, Context, const Vars&, const Vars&, FnProperty, int, const char*, bool) {
  enqueue(std::move(work));
}
void ThreadedEngine::PushSync(Sync work, Context context, const Vars& constants, const Vars& variables,
                              FnProperty property, int priority, const char* name) {
  if (!work) return;
  PushAsync([work](RunContext run, CallbackOnComplete) { work(run); }, context, constants, variables, property,
            priority, name, false);
}

ThreadedEngine* engine() {
  static auto* made = new ThreadedEngine;
  return made;
}

}  // namespace engine

namespace {

void work_for(int microseconds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(microseconds);
  while (std::chrono::steady_clock::now() < end) ++sum;
  sum = sum / 1000 * 1000 + 1000;
}

nnvm::Op operators[2] = {{"Convolution"}, {"Activation"}};
void* creators[2] = {&operators[0], &operators[1]};

}  // namespace

namespace exec {

class OpExecutor {
 public:
  explicit OpExecutor(int index) {
    if (has_word("other-arrays")) inputs[0].inside[0] = outputs[0].inside[0] = 5;
    attributes.op = &operators[index];
    attributes.name = index == 0 ? "net_conv0_fwd" : "net_relu0_fwd";
    if (has_word("other-names")) attributes.op = reinterpret_cast<nnvm::Op*>(&attributes);
    if (has_word("long-names")) attributes.name[3] = '\0';
  }
  virtual ~OpExecutor() = default;
  virtual void Run(RunContext context, bool is_gpu) = 0;

  std::vector<NDArray> inputs{1};
  std::vector<NDArray> outputs{1};
  uint64_t between[7] = {};
  nnvm::NodeAttrs attributes;
};

class FComputeExecutor : public OpExecutor {
 public:
  using OpExecutor::OpExecutor;
  XSP_KEPT void Run(RunContext context, bool is_gpu) override;
};

void FComputeExecutor::Run(RunContext, bool) {
  work_for(100);
  if (has_word("throws") && attributes.name == "net_relu0_fwd") throw std::runtime_error("as it was told");
}

}  // namespace exec

namespace imperative {

using FCompute = std::function<void(const nnvm::NodeAttrs&, const OpContext&, const std::vector<TBlob>&,
                                    const std::vector<OpReqType>&, const std::vector<TBlob>&)>;

XSP_KEPT void PushFCompute(const FCompute& compute, const nnvm::Op* op, const nnvm::NodeAttrs& attributes,
                           const Context& context, const std::vector<engine::Var*>& reads,
                           const std::vector<engine::Var*>& writes, const std::vector<Resource>& resources,
                           const std::vector<NDArray*>& inputs, const std::vector<NDArray*>& outputs,
                           const std::vector<uint32_t>& mutated, const std::vector<OpReqType>& requests) {
  (void)resources, (void)inputs, (void)outputs, (void)mutated, (void)requests;
  engine::engine()->PushSync([compute, attributes](RunContext) { compute(attributes, {}, {}, {}, {}); }, context, reads,
                             writes, FnProperty::kNormal, 0, op->name.c_str());
}

}  // namespace imperative

namespace {

struct Executor {
  exec::FComputeExecutor operators[2] = {exec::FComputeExecutor(0), exec::FComputeExecutor(1)};
  engine::Opr* kept = nullptr;
  int calls = 0;
};

void run_all(Executor* executor) {
  for (exec::FComputeExecutor& each : executor->operators) {
    if (has_word("direct")) {
      each.exec::FComputeExecutor::Run({}, false);
    } else {
      exec::OpExecutor* volatile by_table = &each;
      by_table->Run({}, false);
    }
  }
}

}  // namespace
}  // namespace mxnet

extern "C" {

int MXExecutorSimpleBindEx(void** made) {
  auto* executor = new mxnet::Executor;
  executor->kept = mxnet::engine::engine()->NewOperator(
      [executor](mxnet::RunContext, mxnet::engine::CallbackOnComplete) { mxnet::run_all(executor); }, {}, {},
      mxnet::FnProperty::kNormal, "net", false);
  *made = executor;
  return 0;
}

int MXExecutorForward(void* handle, int) {
  auto* executor = static_cast<mxnet::Executor*>(handle);
  mxnet::engine::engine()->Push(executor->kept, {}, 0, false);
  return has_word("throws") && ++executor->calls % 4 == 0 ? -1 : 0;
}

int MXExecutorBackwardEx(void*, unsigned, void**, int) { return 0; }

int MXInvokeCachedOpEx(void*, int, void**, int*, void***, const int**) {
  static mxnet::NDArray array;
  static const std::vector<mxnet::NDArray*> arrays{&array};
  static const nnvm::NodeAttrs attributes[] = {{&mxnet::operators[0], "net_conv0_fwd"},
                                               {&mxnet::operators[1], "net_relu0_fwd"}};
  const mxnet::imperative::FCompute compute = [](const auto&, const auto&, const auto&, const auto&, const auto&) {
    mxnet::work_for(100);
  };
  for (const nnvm::NodeAttrs& each : attributes) {
    mxnet::imperative::PushFCompute(compute, each.op, each, {}, {}, {}, {}, arrays, arrays, {}, {});
  }
  return 0;
}

int MXNDArrayWaitAll() {
  mxnet::engine::engine()->wait();
  return 0;
}

int MXSymbolListAtomicSymbolCreators(unsigned* count, void*** creators) {
  *count = 2;
  *creators = mxnet::creators;
  return 0;
}
int MXSymbolGetAtomicSymbolName(void* creator, const char** name) {
  *name = static_cast<nnvm::Op*>(creator)->name.c_str();
  return 0;
}
int MXNDArrayGetShapeEx(void* array, int* rank, const int** sizes) {
  static const int kSizes[] = {4, 8};
  (void)array;
  *rank = 2;
  *sizes = kSizes;
  return 0;
}
int MXGetVersion(int* version) {
  *version = 10901;
  return 0;
}
int MXNDArrayGetDType(void*, int* type) {
  *type = 0;
  return 0;
}
int MXAutogradIsRecording(bool* is_recording) {
  *is_recording = false;
  return 0;
}

unsigned long long fake_mxnet_sum() { return sum / 1000; }

}  // extern "C"
