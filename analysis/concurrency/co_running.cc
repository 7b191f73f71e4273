#include "analysis/concurrency/co_running.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <queue>
#include <set>
#include <utility>

namespace xsp::analysis {
namespace {

constexpr size_t kCandidates = 3;        // "an empirical number" (section III-D)
constexpr uint32_t kMostDifference = 2;  // in threads, likewise
/// Of the ready operations only the longest are examined at each event. The paper saw seldom more than five.
constexpr size_t kMostExamined = 512;

bool fits(const ThreadTime& time, uint32_t idle_cores, double remaining_ns) {
  return time.threads <= idle_cores && time.ns <= remaining_ns;
}

class Scheduler {
 public:
  Scheduler(const std::vector<CoRunOperation>& operations, const CoRunOptions& options)
      : operations_(operations),
        options_(options),
        idle_(options.cores),
        waits_for_(operations.size()),
        readers_(operations.size()) {}

  CoRunPlan run() {
    std::vector<uint32_t> ready;
    for (uint32_t i = 0; i < operations_.size(); ++i) {
      if (operations_[i].is_timed()) plan_.serial_ns += operations_[i].own_time().ns;
      waits_for_[i] = operations_[i].after.size();
      for (const uint32_t before : operations_[i].after) readers_[before].push_back(i);
      if (waits_for_[i] == 0) ready.push_back(i);
    }
    add_ready(std::move(ready));
    while (!longest_.empty() || !running_.empty()) {
      while (launch_next()) {
      }
      finish_next();
    }
    plan_.makespan_ns = now_;
    if (events_ > 0) plan_.average_running = static_cast<double>(seen_running_) / static_cast<double>(events_);
    return std::move(plan_);
  }

 private:
  struct Running {
    double end_ns;
    uint32_t operation;
    uint32_t threads;
    bool is_on_siblings;
    bool operator>(const Running& other) const {
      return std::pair(end_ns, operation) > std::pair(other.end_ns, other.operation);
    }
  };

  /// What takes no time is done as soon as it is ready.
  void add_ready(std::vector<uint32_t> ready) {
    while (!ready.empty()) {
      const uint32_t operation = ready.back();
      ready.pop_back();
      if (operations_[operation].is_timed()) {
        longest_.emplace(-operations_[operation].own_time().ns, operation);
        if (const auto serial = operations_[operation].serial_ns()) shortest_.emplace(*serial, operation);
      } else {
        release_readers(operation, &ready);
      }
    }
  }

  void release_readers(uint32_t operation, std::vector<uint32_t>* ready) {
    for (const uint32_t reader : readers_[operation]) {
      if (--waits_for_[reader] == 0) ready->push_back(reader);
    }
  }

  bool launch_next() {
    if (longest_.empty()) return false;
    if (running_.empty()) {
      const uint32_t operation = longest_.begin()->second;
      launch(operation, operations_[operation].own_time(), CoRunStrategy::kAlone);
      return true;
    }
    return idle_ > 0 ? launch_beside() : launch_on_siblings();
  }

  bool launch_beside() {
    const double remaining = last_end_ns_ - now_;
    uint32_t chosen = kNoOperation;
    ThreadTime with;
    size_t examined = 0;
    for (const auto& [negative_ns, operation] : longest_) {
      if (++examined > kMostExamined) break;
      const auto candidate = corun_candidate(operations_[operation], idle_, remaining);
      if (!candidate) continue;
      const ThreadTime& time = operations_[operation].times[*candidate];
      if (chosen != kNoOperation && time.ns <= with.ns) continue;
      chosen = operation;
      with = time;
    }
    if (chosen == kNoOperation) return false;
    launch(chosen, with, CoRunStrategy::kIdleCores);
    return true;
  }

  bool launch_on_siblings() {
    if (!options_.has_siblings || on_siblings_ || last_threads_ != options_.cores || shortest_.empty()) return false;
    const auto [ns, operation] = *shortest_.begin();
    if (ns > last_end_ns_ - now_) return false;
    launch(operation, {1, ns}, CoRunStrategy::kSiblings);
    return true;
  }

  void launch(uint32_t operation, const ThreadTime& time, CoRunStrategy strategy) {
    longest_.erase({-operations_[operation].own_time().ns, operation});
    if (const auto serial = operations_[operation].serial_ns()) shortest_.erase({*serial, operation});
    CoRunLaunch& begun = plan_.launches.emplace_back();
    begun.operation = operation;
    begun.threads = time.threads;
    begun.begin_ns = now_;
    begun.end_ns = now_ + time.ns;
    begun.strategy = strategy;
    begun.idle_cores = idle_;
    const bool is_on_siblings = strategy == CoRunStrategy::kSiblings;
    if (strategy == CoRunStrategy::kAlone) {
      last_ = operation;
      last_threads_ = time.threads;
      last_end_ns_ = begun.end_ns;
    } else {
      begun.beside = last_;
      begun.beside_threads = last_threads_;
      begun.remaining_ns = last_end_ns_ - now_;
      begun.end_ns = std::min(begun.end_ns, last_end_ns_);  // but for rounding it is not later
    }
    if (is_on_siblings) {
      on_siblings_ = true;
    } else {
      idle_ -= time.threads;
    }
    running_.push({begun.end_ns, operation, time.threads, is_on_siblings});
    count_event();
  }

  void finish_next() {
    const Running ended = running_.top();
    count_event();
    running_.pop();
    now_ = ended.end_ns;
    if (ended.is_on_siblings) {
      on_siblings_ = false;
    } else {
      idle_ += ended.threads;
    }
    std::vector<uint32_t> ready;
    release_readers(ended.operation, &ready);
    add_ready(std::move(ready));
  }

  void count_event() {
    ++events_;
    seen_running_ += running_.size();
  }

  const std::vector<CoRunOperation>& operations_;
  const CoRunOptions& options_;
  CoRunPlan plan_;
  double now_ = 0;
  uint32_t idle_ = 0;
  bool on_siblings_ = false;

  // What runs beside others never ends after them, so the one that ends last is the one that began alone.
  uint32_t last_ = kNoOperation;
  uint32_t last_threads_ = 0;
  double last_end_ns_ = 0;

  std::vector<size_t> waits_for_;
  std::vector<std::vector<uint32_t>> readers_;
  std::set<std::pair<double, uint32_t>> longest_;   // ready, by their own time, negative
  std::set<std::pair<double, uint32_t>> shortest_;  // ready, by their time with one thread
  std::priority_queue<Running, std::vector<Running>, std::greater<>> running_;
  uint64_t events_ = 0;
  uint64_t seen_running_ = 0;
};

}  // namespace

std::optional<double> CoRunOperation::serial_ns() const {
  if (times.empty() || times.front().threads != 1) return {};
  return times.front().ns;
}

std::optional<size_t> corun_candidate(const CoRunOperation& operation, uint32_t idle_cores, double remaining_ns) {
  const std::vector<ThreadTime>& times = operation.times;
  std::array<size_t, kCandidates> fastest{};
  size_t count = 0;
  for (size_t i = 0; i < times.size(); ++i) {
    size_t at = std::min(count, kCandidates - 1);
    if (count < kCandidates) {
      ++count;
    } else if (times[i].ns >= times[fastest[at]].ns) {
      continue;
    }
    for (; at > 0 && times[i].ns < times[fastest[at - 1]].ns; --at) fastest[at] = fastest[at - 1];
    fastest[at] = i;
  }
  std::optional<size_t> chosen;
  for (size_t i = 0; i < count; ++i) {
    const ThreadTime& time = times[fastest[i]];
    if (!fits(time, idle_cores, remaining_ns)) continue;
    if (!chosen || time.threads < times[*chosen].threads) chosen = fastest[i];
  }
  if (!chosen) return {};
  const uint32_t own = operation.own_time().threads;
  const uint32_t threads = times[*chosen].threads;
  const uint32_t difference = own > threads ? own - threads : threads - own;
  if (difference > kMostDifference && fits(operation.own_time(), idle_cores, remaining_ns)) return operation.own;
  return chosen;
}

CoRunPlan plan_co_running(const std::vector<CoRunOperation>& operations, const CoRunOptions& options) {
  return Scheduler(operations, options).run();
}

}  // namespace xsp::analysis
