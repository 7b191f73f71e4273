#include "inject/interpose/binding.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include <atomic>

#include "inject/guard/errno_guard.h"
#include "inject/interpose/bindings.h"
#include "inject/interpose/function_table.h"
#include "inject/interpose/given_pointers.h"
#include "inject/interpose/real_function.h"
#include "inject/interpose/used_libraries.h"

namespace xsp::guest {
namespace {

/// A binding and where it is kept. Nodes are never freed, as a thread may be reading them; a caller that comes back
/// after a drop finds its node again, so that opening and closing a library again and again takes no further memory.
struct Node {
  xsp_binding binding;
  Node* next_known;
  uint32_t function;
  std::atomic<bool> listed;
};

constexpr size_t kBlockBytes = size_t{64} * 1024;
struct Block {
  std::atomic<size_t> used;
  Node nodes[(kBlockBytes - sizeof(size_t)) / sizeof(Node)];
};
static_assert(sizeof(Block) <= kBlockBytes);

constexpr size_t kBuckets = 256;
constexpr uintptr_t kCodePage = 4096;

constinit std::atomic<Block*> current_block{nullptr};
constinit std::atomic<Node*> known_nodes[kBuckets]{};

/// Zeroed; null when there is no memory.
Node* allocate_node() {
  constexpr size_t kNodes = sizeof(Block::nodes) / sizeof(Node);
  while (true) {
    Block* block = current_block.load(std::memory_order_acquire);
    if (block != nullptr) {
      const size_t index = block->used.fetch_add(1, std::memory_order_relaxed);
      // Past the end: the block is full, and `used` keeps counting, which harms nothing.
      if (index < kNodes) return &block->nodes[index];
    }
    void* memory = mmap(nullptr, kBlockBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return nullptr;
    if (!current_block.compare_exchange_strong(block, static_cast<Block*>(memory))) munmap(memory, kBlockBytes);
  }
}

std::atomic<Node*>& bucket_of(uint32_t function, uintptr_t low) {
  return known_nodes[(uintptr_t{function} * 31 + (low >> 12) * 7) % kBuckets];
}

Node* node_for(uint32_t function, uintptr_t low, uintptr_t size, void* real) {
  std::atomic<Node*>& bucket = bucket_of(function, low);
  Node* first = bucket.load(std::memory_order_acquire);
  for (Node* node = first; node != nullptr; node = node->next_known) {
    const xsp_binding& known = node->binding;
    if (node->function == function && known.low == low && known.size == size && known.real == real) return node;
  }
  Node* fresh = allocate_node();
  if (fresh == nullptr) return nullptr;
  fresh->binding = {low, size, real, nullptr};
  fresh->function = function;
  fresh->next_known = first;
  // Two threads may add the same binding twice: a few bytes are lost, and both are right.
  while (!bucket.compare_exchange_weak(fresh->next_known, fresh, std::memory_order_release)) {
  }
  return fresh;
}

void publish(uint32_t function, uintptr_t low, uintptr_t size, void* real) {
  Node* node = node_for(function, low, size, real);
  // `listed` is taken before the node is linked in: whoever takes it is the only one to write the node's `next`. If it
  // is listed already, another thread was faster.
  if (node == nullptr || node->listed.exchange(true, std::memory_order_acq_rel)) return;
  xsp_binding* head = __atomic_load_n(&xsp_bindings[function], __ATOMIC_ACQUIRE);
  do {
    __atomic_store_n(&node->binding.next, head, __ATOMIC_RELAXED);
  } while (!__atomic_compare_exchange_n(&xsp_bindings[function], &head, &node->binding, true, __ATOMIC_RELEASE,
                                        __ATOMIC_ACQUIRE));
  note_used_library(function, real);
}

void* published(uint32_t function, uintptr_t caller) {
  const xsp_binding* binding = __atomic_load_n(&xsp_bindings[function], __ATOMIC_ACQUIRE);
  for (; binding != nullptr; binding = __atomic_load_n(&binding->next, __ATOMIC_ACQUIRE)) {
    if (caller - binding->low < binding->size) return binding->real;
  }
  return nullptr;
}

bool is_loaded(uintptr_t address) {
  dl_find_object object;
  return _dl_find_object(reinterpret_cast<void*>(address), &object) == 0;
}

/// Takes all bindings of the function off, so that all its callers ask again.
void drop(uint32_t function) {
  // A reader may still be in the list that is taken off: its nodes stay as they are, but for `next` once one is listed
  // again, which then leads it to bindings that hold.
  auto* node = reinterpret_cast<Node*>(__atomic_exchange_n(&xsp_bindings[function], nullptr, __ATOMIC_ACQ_REL));
  while (node != nullptr) {
    auto* next = reinterpret_cast<Node*>(__atomic_load_n(&node->binding.next, __ATOMIC_ACQUIRE));
    node->listed.store(false, std::memory_order_release);
    node = next;
  }
}

/// Ends the process as the loader does when it cannot bind a call: same message, same exit code.
[[noreturn]] void end_as_loader_does(uint32_t function, const ElfObject* caller) {
  const char* name = xsp_function_name(function);
  const char* object = caller == nullptr || caller->path[0] == '\0' ? program_invocation_name : caller->path;
  const char* version = caller == nullptr ? nullptr : version_of_reference(*caller, name);
  const char* words[] = {program_invocation_name,
                         ": symbol lookup error: ",
                         object,
                         ": undefined symbol: ",
                         name,
                         version == nullptr ? "" : ", version ",
                         version == nullptr ? "" : version,
                         "\n"};
  constexpr size_t kWords = sizeof words / sizeof words[0];
  iovec parts[kWords];
  for (size_t i = 0; i < kWords; ++i) parts[i] = {const_cast<char*>(words[i]), strlen(words[i])};
  // Nothing can be done if stderr is closed.
  [[maybe_unused]] const ssize_t written = writev(STDERR_FILENO, parts, kWords);
  _exit(127);
}

}  // namespace

void* real_function(uint32_t function, const ElfObject* caller) {
  const char* version = caller == nullptr ? nullptr : version_of_reference(*caller, xsp_function_name(function));
  void* real = find_only_definition(function, version);
  // The order: one definition leaves nothing to choose; then the loader's own rules; then what a lookup by name was
  // given, for callers whose scope does not have the function; last any library of the right name.
  if (real == nullptr) real = find_in_scopes(function, caller);
  if (real == nullptr) real = given_pointer(function);
  return real != nullptr ? real : find_in_any_library(function, version);
}

void bind_caller(uint32_t function, const ElfObject& caller, void* real) {
  publish(function, caller.low, caller.high - caller.low, real);
}

void drop_closed_bindings() {
  for (uint32_t function = 0; function < xsp_function_count; ++function) {
    const xsp_binding* binding = __atomic_load_n(&xsp_bindings[function], __ATOMIC_ACQUIRE);
    bool closed = false;
    for (; binding != nullptr && !closed; binding = __atomic_load_n(&binding->next, __ATOMIC_ACQUIRE)) {
      closed = !is_loaded(binding->low) || !is_loaded(reinterpret_cast<uintptr_t>(binding->real));
    }
    if (closed) drop(function);
  }
}

}  // namespace xsp::guest

void* xsp_bind(uint32_t function, void* caller) {
  using namespace xsp::guest;
  const auto address = reinterpret_cast<uintptr_t>(caller);
  if (void* real = published(function, address)) return real;
  const ErrnoGuard errno_guard;
  ElfObject object;
  if (find_object(address, &object)) {
    void* real = real_function(function, &object);
    if (real == nullptr) end_as_loader_does(function, &object);
    bind_caller(function, object, real);
    return real;
  }
  // Generated code. Its page may hold another caller later, so the binding is kept only where every caller reaches the
  // same function.
  void* real = real_function(function, nullptr);
  if (real == nullptr) end_as_loader_does(function, nullptr);
  if (real == find_only_definition(function, nullptr)) publish(function, address & ~(kCodePage - 1), kCodePage, real);
  return real;
}
