#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace xsp::analysis {

/// How long an operation takes alone with a number of threads.
struct ThreadTime {
  uint32_t threads = 0;
  double ns = 0;
};

/// An operation of a graph, as strategies 3 and 4 of section III-D need it.
struct CoRunOperation {
  std::vector<ThreadTime> times;  // ascending by threads; empty: it takes no time and only hands on what waits for it
  uint32_t own = 0;               // index of `times`: its number of threads by strategy 2, with which it runs alone
  std::vector<uint32_t> after;    // indices of earlier operations

  bool is_timed() const { return !times.empty(); }
  const ThreadTime& own_time() const { return times[own]; }
  /// Its time with one thread; nothing where that was not measured.
  std::optional<double> serial_ns() const;
};

struct CoRunOptions {
  uint32_t cores = 0;
  bool has_siblings = false;  // cores have several hardware threads: strategy 4 applies
};

enum class CoRunStrategy : uint8_t { kAlone = 0, kIdleCores = 3, kSiblings = 4 };

inline constexpr uint32_t kNoOperation = UINT32_MAX;

/// An operation as it begins.
struct CoRunLaunch {
  uint32_t operation = 0;
  uint32_t threads = 0;
  double begin_ns = 0;
  double end_ns = 0;
  CoRunStrategy strategy = CoRunStrategy::kAlone;
  uint32_t beside = kNoOperation;  // the running operation that ends last
  uint32_t beside_threads = 0;
  uint32_t idle_cores = 0;  // without those that it takes
  double remaining_ns = 0;  // of `beside`
};

/// What comes of the strategies if operations that run together do not slow each other down.
struct CoRunPlan {
  std::vector<CoRunLaunch> launches;  // in order of time
  double makespan_ns = 0;             // never longer than `serial_ns`
  double serial_ns = 0;               // one after another, each with its own number of threads
  /// Operations that run, on average of the moments at which one begins or ends (Figure 4); it counts itself. 0: none.
  double average_running = 0;
};

/// The candidate of strategy 3: of the three numbers of threads with the shortest times that one with the fewest
/// threads which fits into the idle cores and does not run longer than `remaining_ns`. If that differs by more than two
/// threads from the operation's own number, then its own, where that fits as well. An index of `times`; nothing: none
/// fits.
std::optional<size_t> corun_candidate(const CoRunOperation& operation, uint32_t idle_cores, double remaining_ns);

/// Runs the graph by strategies 2 to 4. Beside running operations begins, of those that are ready and have a candidate,
/// the one that ends last. Beside one that holds all cores begins the one of the shortest time with one thread, one at
/// a time, where it does not run longer. Where nothing runs, the longest ready one begins with its own number of
/// threads. All times must be above 0, and numbers of threads at most the number of cores.
CoRunPlan plan_co_running(const std::vector<CoRunOperation>& operations, const CoRunOptions& options);

}  // namespace xsp::analysis
