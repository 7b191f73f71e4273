#include "inject/onnxruntime/ort_sessions.h"

#include <sys/mman.h>
#include <time.h>

namespace xsp::guest {
namespace {

constexpr size_t kMaxSessions = 4096;
static_assert((kMaxSessions & (kMaxSessions - 1)) == 0);

/// Plain memory: a child of a fork also has its parent's sessions. No lock, as another thread might hold it at the
/// fork.
constinit std::atomic<OrtSession*> sessions{nullptr};
/// Entries in use have indices below this.
constinit std::atomic<uint32_t> sessions_used{0};
constinit std::atomic<uint32_t> sessions_made{0};

OrtSession* session_memory() {
  OrtSession* known = sessions.load(std::memory_order_acquire);
  if (known != nullptr) return known;
  void* memory =
      mmap(nullptr, kMaxSessions * sizeof(OrtSession), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  auto* fresh = static_cast<OrtSession*>(memory);
  if (sessions.compare_exchange_strong(known, fresh, std::memory_order_acq_rel)) return fresh;
  munmap(memory, kMaxSessions * sizeof(OrtSession));
  return known;
}

/// Where the session of an address was last found.
constexpr size_t kHints = 256;
constinit std::atomic<uint16_t> hints[kHints]{};

std::atomic<uint16_t>& hint_of(const void* address) {
  return hints[(reinterpret_cast<uintptr_t>(address) >> 6) * 0x9e3779b1U >> 8 & (kHints - 1)];
}

}  // namespace

void OrtSession::enter() {
  while ((runs_open.fetch_add(1, std::memory_order_acquire) & kEnding) != 0) {
    // Not while it waits: the thread that ends the profile needs no run to be open.
    leave();
    const timespec pause{0, 50'000};
    while ((runs_open.load(std::memory_order_acquire) & kEnding) != 0) nanosleep(&pause, nullptr);
  }
}

bool OrtSession::begin_ending(uint32_t own) {
  uint32_t expected = own;
  return runs_open.compare_exchange_strong(expected, own | kEnding, std::memory_order_acq_rel);
}

OrtSession* find_ort_session(const void* address) {
  OrtSession* all = sessions.load(std::memory_order_acquire);
  if (all == nullptr || address == nullptr) return nullptr;
  std::atomic<uint16_t>& hint = hint_of(address);
  OrtSession& hinted = all[hint.load(std::memory_order_relaxed)];
  if (hinted.address.load(std::memory_order_acquire) == address) return &hinted;
  const uint32_t used = sessions_used.load(std::memory_order_acquire);
  for (uint32_t i = 0; i < used; ++i) {
    if (all[i].address.load(std::memory_order_acquire) != address) continue;
    hint.store(static_cast<uint16_t>(i), std::memory_order_relaxed);
    return &all[i];
  }
  return nullptr;
}

OrtSession* add_ort_session() {
  OrtSession* all = session_memory();
  if (all == nullptr) return nullptr;
  for (uint32_t i = 0; i < kMaxSessions; ++i) {
    OrtSession& session = all[i];
    const void* expected = nullptr;
    if (!session.address.compare_exchange_strong(expected, &session, std::memory_order_acq_rel)) continue;
    session.number = sessions_made.fetch_add(1, std::memory_order_relaxed) + 1;
    session.layers.store(OrtLayers::kNone, std::memory_order_relaxed);
    session.runs_open.store(0, std::memory_order_relaxed);
    session.runs_done.store(0, std::memory_order_relaxed);
    session.shortest_ns.store(UINT64_MAX, std::memory_order_relaxed);
    session.profile_cost_ns.store(UINT64_MAX, std::memory_order_relaxed);
    session.runs_profiled.store(0, std::memory_order_relaxed);
    session.credit_ns.store(0, std::memory_order_relaxed);
    session.runs_announced.store(0, std::memory_order_relaxed);
    for (auto& shape : session.shapes) shape.store(0, std::memory_order_relaxed);
    uint32_t used = sessions_used.load(std::memory_order_relaxed);
    while (used <= i && !sessions_used.compare_exchange_weak(used, i + 1, std::memory_order_acq_rel)) {
    }
    return &session;
  }
  return nullptr;
}

void publish_ort_session(OrtSession& session, const void* address) {
  session.address.store(address, std::memory_order_release);
}

void remove_ort_session(OrtSession& session) {
  // If another thread is still in a run of the released session, the entry is never used again, so that its leave()
  // counts in no other session.
  const bool is_running = session.runs_open.load(std::memory_order_acquire) != 0;
  session.address.store(is_running ? &session : nullptr, std::memory_order_release);
}

void visit_ort_sessions(void (*visit)(OrtSession& session)) {
  OrtSession* all = sessions.load(std::memory_order_acquire);
  const uint32_t used = all == nullptr ? 0 : sessions_used.load(std::memory_order_acquire);
  for (uint32_t i = 0; i < used; ++i) {
    const void* address = all[i].address.load(std::memory_order_acquire);
    if (address != nullptr && address != &all[i]) visit(all[i]);
  }
}

}  // namespace xsp::guest
