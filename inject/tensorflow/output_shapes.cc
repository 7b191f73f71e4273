#include "inject/tensorflow/output_shapes.h"

#include <string.h>

#include <atomic>

#include "inject/guard/errno_guard.h"
#include "inject/guard/safe_copy.h"
#include "inject/record/process.h"
#include "inject/record/shapes.h"

namespace xsp::guest {
namespace {

constexpr uint32_t kLayoutConfirmations = 8;
constexpr uint32_t kMaxLayoutFailures = 64;
constexpr size_t kContextWords = 8;  // in which the pointer is looked for
constexpr size_t kParamsWords = 16;  // in which kernel and device are looked for

/// Of the places of the context (a bit for each word), those that all contexts so far agree with. What lies in the
/// others may be left from a context before.
constinit std::atomic<uint32_t> params_candidates{(1U << kContextWords) - 1};
constinit std::atomic<uint32_t> params_at{0};  // in words, once it is sure; 0: not yet
constinit std::atomic<uint32_t> params_confirmations{0};
constinit std::atomic<uint32_t> params_failures{0};
/// The same for the outputs: bit i stands for the word i + 1 behind the pointer.
constexpr size_t kOutputWords = 24;
constinit std::atomic<uint32_t> outputs_candidates{(1U << kOutputWords) - 1};
constinit std::atomic<uint32_t> outputs_at{0};  // in words behind the pointer, once it is sure
constinit std::atomic<uint32_t> outputs_confirmations{0};
constinit std::atomic<uint32_t> outputs_failures{0};
constinit std::atomic<bool> shapes_off{false};

using Word = uintptr_t;

Word word_of(const void* pointer) { return reinterpret_cast<Word>(pointer); }

bool are_params(Word address, const void* kernel, const void* device, int64_t* step) {
  Word words[kParamsWords];
  if (address % sizeof(Word) != 0 || !copy_safely(reinterpret_cast<const void*>(address), words, sizeof words)) {
    return false;
  }
  for (size_t i = 1; i + 1 < kParamsWords; ++i) {
    if (words[i] != word_of(kernel) || words[i + 1] != word_of(device)) continue;
    *step = static_cast<int64_t>(words[0]);
    return true;
  }
  return false;
}

/// Behind the pointer lies the size of the vector of outputs, which is small.
constexpr Word kMostOutputs = 1024;

__attribute__((noinline, cold)) int64_t find_params(const void* context, const void* kernel, const void* device) {
  if (params_failures.load(std::memory_order_relaxed) >= kMaxLayoutFailures) return kUnknownStep;
  const ErrnoGuard errno_guard;
  Word words[kContextWords + 1];
  int64_t step = kUnknownStep;
  uint32_t matching = 0;
  if (copy_safely(context, words, sizeof words)) {
    for (uint32_t i = 1; i < kContextWords; ++i) {
      if (words[i] < 4096 || words[i + 1] > 2 * kMostOutputs || !are_params(words[i], kernel, device, &step)) continue;
      matching |= 1U << i;
    }
  }
  const uint32_t left = params_candidates.fetch_and(matching == 0 ? UINT32_MAX : matching) & matching;
  if (left != 0) {
    const uint32_t agreed = params_confirmations.fetch_add(1, std::memory_order_relaxed) + 1;
    if (agreed >= kLayoutConfirmations && (left & (left - 1)) == 0) {
      params_at.store(static_cast<uint32_t>(__builtin_ctz(left)), std::memory_order_release);
    }
    return step;
  }
  if (params_failures.fetch_add(1, std::memory_order_relaxed) + 1 == kMaxLayoutFailures) {
    notify(0, "tensorflow",
           "this TensorFlow has another layout: kernels have no shapes, and of calls at the same time it is not known "
           "which one a kernel belongs to");
  }
  return kUnknownStep;
}

bool are_params_known() { return params_at.load(std::memory_order_acquire) != 0; }

/// How a TensorShape keeps its sizes.
enum class Form : uint8_t { kSmall = 0, kMedium = 1, kElsewhere = 2 };

/// tensorflow::TensorShape, the first member of a Tensor.
struct TensorShape {
  union {
    uint16_t small[6];
    uint32_t medium[3];
    const void* elsewhere;  // not read
    uint8_t bytes[16];
  };
  int64_t elements;

  uint8_t rank() const { return bytes[14]; }
  Form form() const { return static_cast<Form>(bytes[15]); }
  uint32_t most_sizes() const { return form() == Form::kSmall ? 6 : form() == Form::kMedium ? 3 : 0; }
  int64_t size(uint32_t dimension) const {
    return form() == Form::kSmall ? int64_t{small[dimension]} : int64_t{medium[dimension]};
  }
};

enum class Outcome : uint8_t { kTaken, kElsewhere, kDisagrees };

/// Adds the tensor's sizes if they agree with its number of elements.
Outcome take(const TensorShape& shape, Shapes* shapes) {
  if (shape.form() == Form::kElsewhere) return Outcome::kElsewhere;
  if (shape.form() > Form::kElsewhere || shape.rank() > shape.most_sizes()) return Outcome::kDisagrees;
  int64_t product = 1;
  for (uint32_t i = 0; i < shape.rank(); ++i) {
    if (__builtin_mul_overflow(product, shape.size(i), &product)) return Outcome::kDisagrees;
  }
  if (product != shape.elements) return Outcome::kDisagrees;
  shapes->sizes[shapes->used++] = shape.rank();
  for (uint32_t i = 0; i < shape.rank(); ++i) shapes->sizes[shapes->used++] = shape.size(i);
  ++shapes->tensors;
  return Outcome::kTaken;
}

/// tensorflow::TensorValue.
struct TensorValue {
  const void* mutex;  // of a variable of the kind before 2.0
  const TensorShape* tensor;
};

/// absl::InlinedVector<TensorValue, 4>, of 2.0 and later.
struct Outputs {
  uint64_t size_and_place;  // twice the size, + 1 if they lie elsewhere
  union {
    TensorValue inside[4];
    const TensorValue* elsewhere;
  };

  uint64_t size() const { return size_and_place >> 1; }
  const TensorValue* first() const { return (size_and_place & 1) != 0 ? elsewhere : inside; }
};

__attribute__((noinline, cold)) void turn_shapes_off() {
  if (!shapes_off.exchange(true)) {
    notify(0, "tensorflow", "this TensorFlow keeps tensors in another way: kernels have no shapes");
  }
}

/// Adds the shapes of the outputs that may lie here, through the system's kernel. False if there are none, or they
/// cannot be outputs.
bool read_safely(const Outputs* outputs, Shapes* shapes) {
  Outputs copy;
  if (!copy_safely(outputs, &copy, sizeof copy) || copy.size() > 64) return false;
  for (uint64_t i = 0; i < copy.size() && shapes->tensors < Shapes::kMaxTensors; ++i) {
    TensorValue value = copy.inside[i % 4];
    if ((copy.size_and_place & 1) != 0 && !copy_safely(copy.elsewhere + i, &value, sizeof value)) return false;
    if ((copy.size_and_place & 1) == 0 && i >= 4) return false;
    if (value.tensor == nullptr) continue;
    TensorShape shape;
    if (!copy_safely(value.tensor, &shape, sizeof shape) || take(shape, shapes) == Outcome::kDisagrees) return false;
  }
  return shapes->tensors != 0;
}

/// Reads the outputs where they may lie. A kernel without outputs cannot be told from a layout that is not known: only
/// many of them in a row are one.
__attribute__((noinline, cold)) bool find_outputs(const void* context, Shapes* shapes) {
  const ErrnoGuard errno_guard;
  const Word* behind = static_cast<const Word*>(context) + params_at.load(std::memory_order_relaxed) + 1;
  uint32_t matching = 0;
  for (uint32_t i = 0; i < kOutputWords; ++i) {
    Shapes read;
    if (!read_safely(reinterpret_cast<const Outputs*>(behind + i), &read)) continue;
    if (matching == 0) *shapes = read;
    matching |= 1U << i;
  }
  const uint32_t left = outputs_candidates.fetch_and(matching == 0 ? UINT32_MAX : matching) & matching;
  if (left == 0) {
    if (outputs_failures.fetch_add(1, std::memory_order_relaxed) + 1 == kMaxLayoutFailures) turn_shapes_off();
    return false;
  }
  outputs_failures.store(0, std::memory_order_relaxed);
  const uint32_t agreed = outputs_confirmations.fetch_add(1, std::memory_order_relaxed) + 1;
  if (agreed >= kLayoutConfirmations && (left & (left - 1)) == 0) {
    outputs_at.store(static_cast<uint32_t>(__builtin_ctz(left)) + 1, std::memory_order_release);
  }
  return true;
}

}  // namespace

int64_t step_of(const void* context, const void* kernel, const void* device) {
  if (__builtin_expect(!are_params_known(), 0)) return find_params(context, kernel, device);
  const auto* params = static_cast<const int64_t* const*>(context)[params_at.load(std::memory_order_relaxed)];
  return *params;
}

bool read_output_shapes(const void* context, Shapes* shapes) {
  if (!are_params_known() || shapes_off.load(std::memory_order_relaxed)) return false;
  const uint32_t at = outputs_at.load(std::memory_order_acquire);
  if (__builtin_expect(at == 0, 0)) return find_outputs(context, shapes);
  const auto* outputs = reinterpret_cast<const Outputs*>(static_cast<const Word*>(context) +
                                                         params_at.load(std::memory_order_relaxed) + at);
  const TensorValue* value = outputs->first();
  for (uint64_t left = outputs->size(); left != 0 && shapes->tensors < Shapes::kMaxTensors; --left, ++value) {
    if (value->tensor == nullptr) continue;
    if (__builtin_expect(take(*value->tensor, shapes) == Outcome::kDisagrees, 0)) {
      turn_shapes_off();
      return false;
    }
  }
  return true;
}

uint32_t output_shapes_of(const void* context) {
  Shapes shapes;
  return read_output_shapes(context, &shapes) ? intern_shapes(shapes) : 0;
}

bool count_elements(const void* shape, int64_t* elements) {
  const auto& read = *static_cast<const TensorShape*>(shape);
  Shapes shapes;
  if (take(read, &shapes) == Outcome::kDisagrees) return false;
  *elements = read.elements;
  return true;
}

}  // namespace xsp::guest
