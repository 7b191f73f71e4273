#include "inject/mxnet/operator_names.h"

#include <string.h>

#include <atomic>
#include <iterator>

#include "inject/guard/safe_copy.h"
#include "inject/mxnet/mxnet_library.h"
#include "inject/record/process.h"

namespace xsp::guest {
namespace {

using Word = uintptr_t;
constexpr size_t kLongestName = 512;
constexpr uint32_t kConfirmations = 8;
constexpr uint32_t kMaxFailures = 64;

/// Whether a layout is known, after enough objects have agreed, or given up.
struct Trust {
  std::atomic<uint32_t> confirmations;
  std::atomic<uint32_t> failures;
  const char* lost;  // what a notice says when it is given up

  bool is_sure() const { return confirmations.load(std::memory_order_acquire) >= kConfirmations; }
  bool is_given_up() const { return failures.load(std::memory_order_relaxed) >= kMaxFailures; }
  void agree() { confirmations.fetch_add(1, std::memory_order_release); }
  void disagree() {
    if (failures.fetch_add(1, std::memory_order_relaxed) + 1 == kMaxFailures) notify(0, "mxnet", lost);
  }
};
constinit Trust pushed_names{{}, {}, "this MXNet keeps the names of operators elsewhere: operators are named by type"};
constinit Trust executor_names{{}, {}, "this MXNet has another layout: operators of executors are not recorded"};
constinit Trust executor_arrays{{}, {}, "this MXNet has another layout: operators of executors have no shapes"};

const Word* words_at(const void* address) { return static_cast<const Word*>(address); }

/// A std::string whose first word is this: libstdc++'s new one has its size behind the address, the old one in front of
/// the text. Empty if it is neither.
std::string_view text_if_string(const Word* string, char (&buffer)[kLongestName]) {
  Word words[2];
  Word old_size = 0;
  if (!copy_safely(string, words, sizeof words)) return {};
  const auto* text = reinterpret_cast<const char*>(words[0]);
  if (words[0] < 4096 || !copy_safely(text - 3 * sizeof(Word), &old_size, sizeof old_size)) return {};
  for (const Word size : {words[1], old_size}) {
    if (size == 0 || size + 1 > kLongestName || !copy_safely(text, buffer, size + 1)) continue;
    if (strnlen(buffer, kLongestName) == size) return {buffer, size};
  }
  return {};
}

/// Types are few, and asked for again and again.
constexpr uint32_t kKnownTypes = 1024;
struct KnownType {
  std::atomic<const void*> an_operator;
  std::atomic<uint32_t> id;
};
constinit KnownType known_types[kKnownTypes]{};

uint32_t type_of(const void* an_operator) {
  KnownType& known = known_types[(reinterpret_cast<Word>(an_operator) >> 4) * 0x9e3779b97f4a7c15 >> 54];
  static_assert(kKnownTypes == 1 << (64 - 54));
  const uint32_t id = known.id.load(std::memory_order_relaxed);
  if (known.an_operator.load(std::memory_order_acquire) == an_operator && id != 0) return id;
  const MxnetLibrary* library = mxnet_library();
  const char* name = nullptr;
  if (library == nullptr || library->operator_name(an_operator, &name) != 0 || name == nullptr) return 0;
  const uint32_t fresh = intern(name);
  const void* expected = nullptr;
  if (known.an_operator.compare_exchange_strong(expected, an_operator)) known.id.store(fresh);
  return fresh;
}

/// Autograd numbers the nodes that it records, "node_23" and "node_23_backward", and goes on in the next call: such a
/// name is none.
bool is_number_of_node(std::string_view name) {
  constexpr std::string_view kBegin = "node_";
  return name.starts_with(kBegin) && name.size() > kBegin.size() && name[kBegin.size()] >= '0' &&
         name[kBegin.size()] <= '9';
}

uint32_t intern_name(std::string_view name) { return name.empty() || is_number_of_node(name) ? 0 : intern(name); }

/// The name in a NodeAttrs whose place is sure.
uint32_t name_in(const Word* attributes) {
  const auto* text = reinterpret_cast<const char*>(attributes[1]);
  return intern_name({text, strnlen(text, kLongestName)});
}

bool is_operator(Word address) {
  const MxnetLibrary* library = mxnet_library();
  uint32_t count = 0;
  void** operators = nullptr;
  if (library == nullptr || address == 0 || library->list_operators(&count, &operators) != 0) return false;
  for (uint32_t i = 0; i < count; ++i) {
    if (reinterpret_cast<Word>(operators[i]) == address) return true;
  }
  return false;
}

constexpr uint32_t kExecutorWords = 64;  // in which the attributes are looked for
constinit std::atomic<uint32_t> attributes_at{0};

/// Before 1.9, each class of executors has its NodeAttrs at a place of its own, or none.
bool have_executors_one_place() {
  constexpr int kSince = 10900;
  const MxnetLibrary* library = mxnet_library();
  int version = 0;
  return library != nullptr && library->version(&version) == 0 && version >= kSince;
}

__attribute__((noinline, cold)) OperatorName find_attributes(const void* executor) {
  if (executor_names.is_given_up()) return {};
  if (!have_executors_one_place()) {
    executor_names.disagree();
    return {};
  }
  const uint32_t known = attributes_at.load(std::memory_order_relaxed);
  for (uint32_t at = 1; at < kExecutorWords; ++at) {
    if (known != 0 && at != known) continue;
    Word word = 0;
    char buffer[kLongestName];
    const Word* place = words_at(executor) + at;
    if (!copy_safely(place, &word, sizeof word)) break;
    if (!is_operator(word)) continue;
    const std::string_view text = text_if_string(place + 1, buffer);
    if (text.empty()) continue;
    attributes_at.store(at, std::memory_order_relaxed);
    executor_names.agree();
    return {.name = intern_name(text), .type = type_of(reinterpret_cast<const void*>(word))};
  }
  executor_names.disagree();
  return {};
}

/// Of mshadow's types, in their order: floats of 32, 64 and 16 bits, integers, bool, bfloat16. 0: not known.
uint64_t bytes_of_type(int type) {
  constexpr uint8_t kBytes[] = {4, 8, 2, 1, 4, 1, 8, 1, 2, 2, 4, 8, 2};
  return type >= 0 && static_cast<size_t>(type) < std::size(kBytes) ? kBytes[type] : 0;
}

}  // namespace

void add_array(const void* array, Arrays* arrays) {
  const MxnetLibrary* library = mxnet_library();
  int rank = 0;
  int type = -1;
  const int* sizes = nullptr;
  if (library == nullptr || array == nullptr) return;
  if (library->array_shape(array, &rank, &sizes) != 0 || rank < 0 || rank > Shapes::kMaxRank) return;
  if (library->array_type(array, &type) == 0) {
    uint64_t bytes = bytes_of_type(type);
    for (int i = 0; i < rank; ++i) bytes = sizes[i] < 0 ? 0 : bytes * static_cast<uint64_t>(sizes[i]);
    arrays->bytes += bytes;
  }
  Shapes& shapes = arrays->shapes;
  if (shapes.tensors == Shapes::kMaxTensors) return;
  shapes.sizes[shapes.used++] = rank;
  for (int i = 0; i < rank; ++i) shapes.sizes[shapes.used++] = sizes[i];
  ++shapes.tensors;
}

namespace {

/// mxnet::NDArray: its size, and where its shape lies.
constexpr size_t kArrayBytes = 224;
constexpr size_t kShapeAt = 16;

/// mxnet::TShape, nnvm::Tuple<int64_t>.
struct TupleShape {
  static constexpr int kInside = 4;
  int rank;
  int allocated;
  int64_t inside[kInside];
  const int64_t* outside;
};

struct Vector {
  const char* begin;
  const char* end;
  const char* capacity;
};

/// What add_array() would say of the array, if it is one.
bool agrees(const char* array) {
  TupleShape read;
  if (!copy_safely(array + kShapeAt, &read, sizeof read) || read.rank < 0 || read.rank > Shapes::kMaxRank) return false;
  for (int i = 0; i < read.rank && read.rank <= TupleShape::kInside; ++i) {
    if (read.inside[i] < 0 || read.inside[i] > INT32_MAX) return false;
  }
  Word chunk[2];
  char beginning = 0;
  if (!copy_safely(array, chunk, sizeof chunk) ||
      !copy_safely(reinterpret_cast<const void*>(chunk[0]), &beginning, sizeof beginning)) {
    return false;
  }
  Arrays asked;
  add_array(array, &asked);
  const Shapes& told = asked.shapes;
  if (told.tensors != 1 || told.sizes[0] != read.rank) return false;
  for (int i = 0; i < read.rank && read.rank <= TupleShape::kInside; ++i) {
    if (told.sizes[i + 1] != read.inside[i]) return false;
  }
  return true;
}

bool is_vector_of_arrays(const Vector& vector) {
  const auto bytes = vector.end - vector.begin;
  return bytes >= 0 && bytes % static_cast<ptrdiff_t>(kArrayBytes) == 0 && vector.capacity >= vector.end &&
         bytes / kArrayBytes < 4096;
}

__attribute__((noinline, cold)) bool confirm_arrays(const void* executor) {
  if (executor_arrays.is_given_up()) return false;
  Vector sides[2];
  bool agree = copy_safely(words_at(executor) + 1, sides, sizeof sides) && is_vector_of_arrays(sides[0]) &&
               is_vector_of_arrays(sides[1]) && sides[1].begin != sides[1].end;
  for (const Vector& side : sides) {
    for (const char* array = side.begin; agree && array < side.end; array += kArrayBytes) agree = agrees(array);
  }
  if (agree) {
    executor_arrays.agree();
  } else {
    executor_arrays.disagree();
  }
  return agree;
}

}  // namespace

OperatorName name_of_pushed(const void* an_operator, const void* attributes) {
  if (an_operator == nullptr) return {};
  OperatorName found{.name = 0, .type = type_of(an_operator)};
  const Word* words = words_at(attributes);
  if (__builtin_expect(pushed_names.is_sure(), 1)) {
    if (words[0] == reinterpret_cast<Word>(an_operator)) found.name = name_in(words);
    return found;
  }
  if (pushed_names.is_given_up()) return found;
  Word copy[2];
  char buffer[kLongestName];
  char first = 0;
  // Operators without a name neither agree nor disagree.
  if (!copy_safely(words, copy, sizeof copy) || copy[0] != reinterpret_cast<Word>(an_operator)) {
    pushed_names.disagree();
  } else if (copy_safely(reinterpret_cast<const void*>(copy[1]), &first, 1) && first != '\0') {
    const std::string_view text = text_if_string(words + 1, buffer);
    if (text.empty()) {
      pushed_names.disagree();
    } else {
      pushed_names.agree();
      found.name = intern_name(text);
    }
  }
  return found;
}

OperatorName name_of_executor(const void* executor) {
  if (__builtin_expect(!executor_names.is_sure(), 0)) return find_attributes(executor);
  const Word* attributes = words_at(executor) + attributes_at.load(std::memory_order_relaxed);
  return {.name = name_in(attributes), .type = type_of(reinterpret_cast<const void*>(attributes[0]))};
}

void add_arrays(const void* vector_of_pointers, Arrays* arrays) {
  const auto& vector = *static_cast<const Vector*>(vector_of_pointers);
  for (const char* at = vector.begin; at < vector.end; at += sizeof(Word)) {
    add_array(*reinterpret_cast<void* const*>(at), arrays);
  }
}

void add_executor_arrays(const void* executor, Side side, Arrays* to) {
  if (__builtin_expect(!executor_arrays.is_sure(), 0) && !confirm_arrays(executor)) return;
  const auto* sides = reinterpret_cast<const Vector*>(words_at(executor) + 1);
  const Vector& arrays = sides[side == Side::kInputs ? 0 : 1];
  for (const char* at = arrays.begin; at < arrays.end; at += kArrayBytes) add_array(at, to);
}

}  // namespace xsp::guest
