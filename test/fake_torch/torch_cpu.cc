/// A stand-in for libtorch_cpu: it calls what at::addGlobalCallback was given, with RecordFunctions whose layout is
/// that of PyTorch 2.15 or one of a version that is not known. FAKE_TORCH has words, between commas:
///   shift=N         all members lie N bytes further on
///   arguments=WHAT  the array of inputs and the vector of outputs are as long as they should be, but lie at `unmapped`
///                   pages; or hold `garbage`
///   sequence=N      the sequence number alone lies N bytes further on, and something else in its place
///   tag=N           the tag of tensors; 1 is then that of integers
///   sizes=N         where in a tensor its rank and sizes begin
///   scopes=11       a scope more, which each tenth operator has
///   callback=WHAT   `once`: operators are told of once; `never`; `startless`, `endless`: half of them have one end
///   only name=WHAT       `null`, or `freed`: it is another text by the time that it is called for
/// What it does is the same whatever they say.

#include <sys/mman.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace c10 {
void* alloc_cpu(size_t bytes);
void free_cpu(void* block);
}  // namespace c10

namespace at {

struct Context {
  void* context = nullptr;
  ~Context() {}  // NOLINT(modernize-use-equals-default): returned through a hidden pointer, as a unique_ptr is
};

/// As long as that of a later version.
struct RecordFunctionCallback {
  char bytes[64];
};

class RecordFunction {
 public:
  const char* name() const;
  bool isAsync() const;
  size_t num_inputs() const;
  size_t num_outputs() const;
  static uint64_t currentThreadId();

  char bytes[512];
};

uint64_t addGlobalCallback(RecordFunctionCallback callback);
void removeCallback(uint64_t handle);
void disableCallback(uint64_t handle);
void reenableCallback(uint64_t handle);

namespace sequence_number {
uint64_t peek();
}

}  // namespace at

namespace {

using at::RecordFunction;

using Start = at::Context (*)(const RecordFunction&);
using End = void (*)(const RecordFunction&, void*);

struct Value {
  const void* payload;
  uint32_t tag;
  uint32_t padding;
};

constexpr size_t kSequence = 200, kInputs = 208, kOutputs = 224, kForwardThread = 304;
constexpr uint32_t kFunctionScope = 0, kBackwardScope = 1, kLaterScope = 10;
constexpr int kMaxInputs = 8;
constexpr int kMaxRank = 5;

char word[64];

/// What follows `key=` in FAKE_TORCH; null without it.
const char* setting(const char* key) {
  const char* text = getenv("FAKE_TORCH");
  const size_t length = strlen(key);
  while (text != nullptr && *text != 0) {
    if (strncmp(text, key, length) == 0 && text[length] == '=') {
      snprintf(word, sizeof word, "%s", text + length + 1);
      if (char* comma = strchr(word, ',')) *comma = 0;
      return word;
    }
    text = strchr(text, ',');
    if (text != nullptr) ++text;
  }
  return nullptr;
}

size_t number(const char* key, size_t without) {
  const char* text = setting(key);
  return text == nullptr ? without : strtoul(text, nullptr, 0);
}

bool is(const char* key, const char* value) {
  const char* text = setting(key);
  return text != nullptr && strcmp(text, value) == 0;
}

struct Layout {
  size_t shift = number("shift", 0);
  size_t sequence_shift = number("sequence", 0);
  size_t sizes = number("sizes", 56);
  uint32_t tensor_tag = static_cast<uint32_t>(number("tag", 1));
  uint32_t scopes = static_cast<uint32_t>(number("scopes", 10));
  bool unmapped = is("arguments", "unmapped");
  bool garbage = is("arguments", "garbage");
  bool once = is("callback", "once");
  bool never = is("callback", "never");
  bool startless = is("callback", "startless");
  bool endless = is("callback", "endless");
  bool null_name = is("name", "null");
  bool freed_name = is("name", "freed");
  char* no_pages = static_cast<char*>(mmap(nullptr, 65536, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
};

const Layout& layout() {
  static const Layout known;
  return known;
}

struct Callback {
  Start start;
  End end;
  bool scopes[16];
  bool needs_inputs;
  bool needs_outputs;
  bool is_enabled;
};
Callback callbacks[8];
int callback_count;

struct Truth {
  const char* name;
  size_t inputs;
  size_t outputs;
};

const Truth* truth_of(const RecordFunction* function) {
  const Truth* truth;
  memcpy(&truth, function->bytes, sizeof truth);
  return truth;
}

uint64_t next_sequence;
uint64_t told;

template <typename Member>
void put(RecordFunction& function, size_t offset, const Member& member) {
  memcpy(function.bytes + layout().shift + offset, &member, sizeof member);
}

void tell(RecordFunction& function, uint32_t scope, bool is_begin) {
  const Layout& at = layout();
  if (at.never || (at.once && told > 1)) return;
  if (at.startless && is_begin && told % 4 == 1) return;
  if (at.endless && !is_begin && told % 4 == 1) return;
  for (int i = 0; i < callback_count; ++i) {
    if (!callbacks[i].is_enabled || !callbacks[i].scopes[scope]) continue;
    if (is_begin) {
      callbacks[i].start(function);
    } else {
      callbacks[i].end(function, nullptr);
    }
  }
}

bool any_needs(bool Callback::*what, uint32_t scope) {
  for (int i = 0; i < callback_count; ++i) {
    if (callbacks[i].is_enabled && callbacks[i].scopes[scope] && callbacks[i].*what) return true;
  }
  return false;
}

void put_inputs(RecordFunction& function, const Value* values, size_t count) {
  if (layout().unmapped) values = reinterpret_cast<const Value*>(layout().no_pages);
  put(function, kInputs, values);
  put(function, kInputs + 8, count);
}

void put_outputs(RecordFunction& function, const Value* values, size_t count) {
  if (layout().unmapped) values = reinterpret_cast<const Value*>(layout().no_pages + 4096);
  const Value* end = values + count;
  put(function, kOutputs, values);
  put(function, kOutputs + 8, end);
  put(function, kOutputs + 16, end);
}

}  // namespace

namespace at {

const char* RecordFunction::name() const {
  if (layout().null_name) return nullptr;
  if (!layout().freed_name) return truth_of(this)->name;
  static char* text;
  if (text == nullptr) text = static_cast<char*>(malloc(256));
  strcpy(text, truth_of(this)->name);
  char* freed = text;
  text = static_cast<char*>(malloc(256));
  free(freed);
  return freed;
}

bool RecordFunction::isAsync() const { return false; }
size_t RecordFunction::num_inputs() const { return truth_of(this)->inputs; }
size_t RecordFunction::num_outputs() const { return truth_of(this)->outputs; }
uint64_t RecordFunction::currentThreadId() { return 1; }

uint64_t addGlobalCallback(RecordFunctionCallback callback) {
  Callback& added = callbacks[callback_count++];
  memcpy(&added.start, callback.bytes, 8);
  memcpy(&added.end, callback.bytes + 8, 8);
  const size_t scopes = layout().scopes;
  memcpy(added.scopes, callback.bytes + 24, scopes);
  added.needs_inputs = callback.bytes[24 + scopes] != 0;
  added.needs_outputs = callback.bytes[25 + scopes] != 0;
  added.is_enabled = true;
  return static_cast<uint64_t>(callback_count);
}

void removeCallback(uint64_t handle) { callbacks[handle - 1] = {}; }
void disableCallback(uint64_t handle) { callbacks[handle - 1].is_enabled = false; }
void reenableCallback(uint64_t handle) { callbacks[handle - 1].is_enabled = true; }

uint64_t sequence_number::peek() { return next_sequence; }

}  // namespace at

/// What the hosts call.
extern "C" {

struct FakeTensor {
  char bytes[512];
  void* data;
};

int fake_enabled_callbacks() {
  int enabled = 0;
  for (const Callback& callback : callbacks) enabled += callback.is_enabled ? 1 : 0;
  return enabled;
}

FakeTensor* fake_tensor(int rank, const int64_t* sizes) {
  auto* tensor = static_cast<FakeTensor*>(calloc(1, sizeof(FakeTensor)));
  char* part = tensor->bytes + layout().sizes;
  int64_t elements = 1;
  for (int i = rank; i-- > 0;) {
    memcpy(part + 8 + 8 * i, &sizes[i], 8);
    memcpy(part + 8 + 8 * (kMaxRank + i), &elements, 8);
    elements *= sizes[i];
  }
  const auto wide = static_cast<uint64_t>(rank);
  memcpy(part, &wide, 8);
  memcpy(part + 96, &elements, 8);
  tensor->data = c10::alloc_cpu(64);
  return tensor;
}

void fake_release(FakeTensor* tensor) {
  c10::free_cpu(tensor->data);
  free(tensor);
}

/// An operator of `inputs` tensors and one integer. Returns its sequence number.
int64_t fake_operator(const char* name, int inputs, FakeTensor* const* tensors, FakeTensor* result) {
  const Layout& at = layout();
  ++told;
  const uint32_t scope = at.scopes > kLaterScope && next_sequence % 10 == 9 ? kLaterScope : kFunctionScope;
  const Truth truth{name, static_cast<size_t>(inputs) + 1, 1};
  const Truth* truth_address = &truth;
  RecordFunction function;
  memset(function.bytes, at.garbage ? 0x5a : 0, sizeof function.bytes);
  memcpy(function.bytes, &truth_address, sizeof truth_address);
  Value values[kMaxInputs + 1];
  for (int i = 0; i < inputs; ++i) values[i] = {tensors[i], at.tensor_tag, 0};
  values[inputs] = {reinterpret_cast<const void*>(uintptr_t{12345}), at.tensor_tag == 1 ? 4U : 1U, 0};
  const Value output{result, at.tensor_tag, 0};
  const auto sequence = static_cast<int64_t>(next_sequence);
  if (at.sequence_shift != 0) put(function, kSequence, int64_t{7});
  put(function, kSequence + at.sequence_shift, sequence);
  if (!at.garbage && any_needs(&Callback::needs_inputs, scope)) put_inputs(function, values, truth.inputs);
  tell(function, scope, true);
  next_sequence++;
  if (!at.garbage && any_needs(&Callback::needs_outputs, scope)) put_outputs(function, &output, 1);
  tell(function, scope, false);
  return sequence;
}

void fake_backward(const char* name, int64_t sequence) {
  const Truth truth{name, 0, 0};
  const Truth* truth_address = &truth;
  RecordFunction function;
  memset(function.bytes, 0, sizeof function.bytes);
  memcpy(function.bytes, &truth_address, sizeof truth_address);
  ++told;
  if (layout().sequence_shift != 0) put(function, kSequence, int64_t{7});
  put(function, kSequence + layout().sequence_shift, sequence);
  put(function, kForwardThread, uint64_t{1});
  tell(function, kBackwardScope, true);
  tell(function, kBackwardScope, false);
}
}
