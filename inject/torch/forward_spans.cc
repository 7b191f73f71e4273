#include "inject/torch/forward_spans.h"

#include "inject/guard/errno_guard.h"
#include "inject/guard/fork_wiped.h"
#include "inject/torch/torch_thread.h"

namespace xsp::guest {
namespace {

constexpr uint32_t kTables = 64;
constexpr uint64_t kSpans = uint64_t{1} << 17;

/// The span's id, the part of the sequence number that its place does not imply, and the owner that wrote it, in one
/// word: it is read and written at once.
struct Entry {
  uint32_t id;
  uint16_t round;
  uint16_t owner;
};

constexpr uint64_t pack(const Entry& entry) {
  return uint64_t{entry.id} | uint64_t{entry.round} << 32 | uint64_t{entry.owner} << 48;
}

struct Table {
  std::atomic<uint64_t> torch_thread;  // 0: free
  std::atomic<uint32_t> ring;
  std::atomic<uint16_t> owner;  // counts its owners, from 1
  std::atomic<std::atomic<uint64_t>*> spans;
};

struct Tables {
  std::atomic<uint32_t> given_out;
  Table tables[kTables];
};
constinit ForkWiped<Tables> forward_tables;

uint16_t round_of(int64_t sequence) { return static_cast<uint16_t>(static_cast<uint64_t>(sequence) / kSpans); }

Table* table_of(Tables& tables, uint64_t torch_thread) {
  for (Table& table : tables.tables) {
    if (table.torch_thread.load(std::memory_order_acquire) == torch_thread) return &table;
  }
  return nullptr;
}

__attribute__((noinline, cold)) Table* take_table(Thread& thread, uint64_t torch_thread) {
  const ErrnoGuard errno_guard;
  Tables* tables = forward_tables.make();
  if (tables == nullptr) return nullptr;
  Table& table = tables->tables[tables->given_out.fetch_add(1, std::memory_order_relaxed) % kTables];
  // Taken from its thread before it changes: who looked it up for that thread sees the change when it looks again.
  table.torch_thread.store(0, std::memory_order_release);
  table.ring.store(thread.ring_index, std::memory_order_relaxed);
  // Makes the entries of the owner before invalid, without touching a megabyte.
  table.owner.fetch_add(1, std::memory_order_relaxed);
  if (table.spans.load(std::memory_order_relaxed) == nullptr) {
    // Pages are touched only as numbers are kept.
    table.spans.store(static_cast<std::atomic<uint64_t>*>(allocate_fork_wiped(kSpans * sizeof(uint64_t))),
                      std::memory_order_release);
  }
  if (table.spans.load(std::memory_order_relaxed) == nullptr) return nullptr;
  table.torch_thread.store(torch_thread, std::memory_order_release);
  return &table;
}

}  // namespace

void keep_forward_span(Thread& thread, int64_t sequence, uint32_t span) {
  const uint64_t torch_thread = thread.of<TorchThread>().number;
  auto* table = static_cast<Table*>(thread.of<TorchThread>().forward_spans);
  if (__builtin_expect(table == nullptr || table->torch_thread.load(std::memory_order_relaxed) != torch_thread, 0)) {
    table = take_table(thread, torch_thread);
    if (table == nullptr) return;
    thread.of<TorchThread>().forward_spans = table;
  }
  const Entry entry{span, round_of(sequence), table->owner.load(std::memory_order_relaxed)};
  std::atomic<uint64_t>* spans = table->spans.load(std::memory_order_relaxed);
  spans[static_cast<uint64_t>(sequence) % kSpans].store(pack(entry), std::memory_order_release);
}

ForwardSpan forward_span(uint64_t torch_thread, int64_t sequence) {
  Tables* tables = forward_tables.get();
  if (tables == nullptr || torch_thread == 0 || sequence < 0) return {};
  const Table* table = table_of(*tables, torch_thread);
  if (table == nullptr) return {};
  const uint32_t ring = table->ring.load(std::memory_order_relaxed);
  const uint16_t owner = table->owner.load(std::memory_order_relaxed);
  const std::atomic<uint64_t>* spans = table->spans.load(std::memory_order_acquire);
  const uint64_t kept = spans[static_cast<uint64_t>(sequence) % kSpans].load(std::memory_order_acquire);
  const auto id = static_cast<uint32_t>(kept);
  if (id == 0 || kept != pack({id, round_of(sequence), owner})) return {};
  // The table may have been given to another thread meanwhile.
  if (table->torch_thread.load(std::memory_order_acquire) != torch_thread) return {};
  return {ring + 1, id};
}

}  // namespace xsp::guest
