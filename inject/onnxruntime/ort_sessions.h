#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "inject/onnxruntime/ort_abi.h"

namespace xsp::guest {

/// Where the layers of a session's runs come from.
enum class OrtLayers : uint8_t {
  kNone,            // not recorded, or the session's profile has ended
  kSessionProfile,  // ONNX Runtime's profile of the session, which we have switched on
  kUsersProfile,    // the same, but the program asked for it
  kRunProfiles,     // a profile of each run
};

/// What is known of a session that the program has made. It is found by its address at every run, by any thread.
struct OrtSession {
  static constexpr size_t kShapes = 8;
  static constexpr uint32_t kEnding = uint32_t{1} << 31;  // in `runs_open`: its profile is being ended

  std::atomic<const void*> address;  // null: free; the entry itself: being made, or gone
  const ort::Api* api;
  uint32_t number;  // of the process's sessions, from 1
  uint32_t name;    // these three are string ids
  uint32_t type;
  uint32_t scope;
  int process;  // the process that made it; a forked child only runs it
  std::atomic<OrtLayers> layers;
  std::atomic<uint32_t> runs_open;
  std::atomic<uint32_t> runs_done;
  std::atomic<uint64_t> shortest_ns;      // run without a profile of its own
  std::atomic<uint64_t> profile_cost_ns;  // what the profile of a run adds to it, at least
  std::atomic<uint32_t> runs_profiled;
  std::atomic<uint64_t> credit_ns;        // of runs, against what profiles of runs cost
  std::atomic<int> runs_announced;        // the process that announced profiles of runs
  std::atomic<uint64_t> shapes[kShapes];  // of inputs: hash << 24 | string id

  /// To be called before and after a run. The profile is not ended in between, which would make ONNX Runtime fail the
  /// run.
  void enter();
  void leave() { runs_open.fetch_sub(1, std::memory_order_release); }

  /// Keeps further runs out if exactly `own` are open. False if others are open.
  bool begin_ending(uint32_t own);
  void finish_ending() { runs_open.fetch_and(~kEnding, std::memory_order_release); }
};

/// The session of an address; null: not known.
OrtSession* find_ort_session(const void* address);

/// A new entry, which publish_ort_session() makes known; null when there are too many sessions.
OrtSession* add_ort_session();
void publish_ort_session(OrtSession& session, const void* address);
void remove_ort_session(OrtSession& session);

/// Calls `visit(session)` for each of them.
void visit_ort_sessions(void (*visit)(OrtSession& session));

}  // namespace xsp::guest
