#include "analysis/concurrency/co_run_pairs.h"

#include <algorithm>
#include <optional>
#include <tuple>

#include "analysis/concurrency/operation_graph.h"

namespace xsp::analysis {
namespace {

double time_with(const CoRunOperation& operation, uint32_t threads) {
  const auto found = std::ranges::find(operation.times, threads, &ThreadTime::threads);
  return found == operation.times.end() ? 0 : found->ns;
}

bool gains_more(const CoRunPair& one, const CoRunPair& other) {
  return std::tuple(-one.gain_ns(), one.a, one.b) < std::tuple(-other.gain_ns(), other.a, other.b);
}

class PairSearch {
 public:
  PairSearch(const std::vector<CoRunOperation>& operations, const CoRunOptions& options, size_t most)
      : operations_(operations), options_(options), most_(most) {
    for (const CoRunOperation& operation : operations) {
      after_.push_back(operation.after);
      if (operation.is_timed()) by_time_.push_back(static_cast<uint32_t>(after_.size() - 1));
    }
    std::ranges::sort(by_time_, [&](uint32_t one, uint32_t other) {
      return std::tuple(-own_ns(one), one) < std::tuple(-own_ns(other), other);
    });
    find_fastest();
  }

  CoRunPairs run() {
    const Independence independence(after_, by_time_);
    CoRunPairs pairs;
    pairs.not_examined = by_time_.size() - independence.known();
    for (size_t i = 0; i < independence.known() && most_ > 0; ++i) {
      const uint32_t first = by_time_[i];
      // Together they take at least as long as the longer one with its best number of threads.
      const double slack = own_ns(first) - *std::ranges::min_element(fastest_[first]);
      independence.each_behind(i, [&](size_t other) {
        const uint32_t second = by_time_[other];
        pairs.has_independent = true;
        if (own_ns(second) + slack <= least_gain()) {
          has_more_ = has_more_ || best_.size() == most_;
          return false;
        }
        consider(first, second);
        return true;
      });
    }
    std::ranges::sort_heap(best_, gains_more);
    pairs.best = std::move(best_);
    pairs.has_more = has_more_;
    return pairs;
  }

 private:
  double own_ns(uint32_t operation) const { return operations_[operation].own_time().ns; }

  /// By operation and number of its times the shortest time with so many threads or fewer.
  void find_fastest() {
    fastest_.resize(operations_.size());
    for (size_t i = 0; i < operations_.size(); ++i) {
      for (const ThreadTime& time : operations_[i].times) {
        fastest_[i].push_back(fastest_[i].empty() ? time.ns : std::min(fastest_[i].back(), time.ns));
      }
    }
  }

  double least_gain() const { return best_.size() < most_ ? 0 : best_.front().gain_ns(); }

  void consider(uint32_t first, uint32_t second) {
    CoRunPair pair;
    pair.serial_ns = own_ns(first) + own_ns(second);
    if (!divide_cores(first, second, &pair) && !use_siblings(first, second, &pair)) return;
    if (best_.size() == most_) {
      has_more_ = true;
      if (!gains_more(pair, best_.front())) return;
      std::ranges::pop_heap(best_, gains_more);
      best_.pop_back();
    }
    best_.push_back(pair);
    std::ranges::push_heap(best_, gains_more);
  }

  bool divide_cores(uint32_t first, uint32_t second, CoRunPair* pair) const {
    const std::vector<ThreadTime>& of_first = operations_[first].times;
    const std::vector<ThreadTime>& of_second = operations_[second].times;
    std::optional<std::pair<ThreadTime, ThreadTime>> best;
    double shortest = pair->serial_ns;
    size_t fitting = of_second.size();
    for (const ThreadTime& time : of_first) {
      while (fitting > 0 && time.threads + of_second[fitting - 1].threads > options_.cores) --fitting;
      if (fitting == 0) break;
      const double together = std::max(time.ns, fastest_[second][fitting - 1]);
      if (!(together < shortest)) continue;
      shortest = together;
      // The fewest threads that do not make it longer.
      const auto enough =
          std::ranges::find_if(of_second, [&](const ThreadTime& other) { return other.ns <= together; });
      best = {time, *enough};
    }
    if (!best) return false;
    const bool is_first_longer = best->first.ns >= best->second.ns;
    const auto& [longer, shorter] = is_first_longer ? *best : std::pair(best->second, best->first);
    pair->a = is_first_longer ? first : second;
    pair->b = is_first_longer ? second : first;
    pair->threads_a = longer.threads;
    pair->threads_b = shorter.threads;
    pair->idle_cores = options_.cores - longer.threads;
    pair->remaining_a_ns = longer.ns;
    pair->latency_b_ns = shorter.ns;
    pair->corun_ns = shortest;
    return true;
  }

  bool use_siblings(uint32_t first, uint32_t second, CoRunPair* pair) const {
    const std::optional<double> serial = operations_[second].serial_ns();
    const ThreadTime& own = operations_[first].own_time();
    if (!options_.has_siblings || own.threads != options_.cores || !serial || *serial > own.ns) return false;
    *pair = {.a = first,
             .b = second,
             .threads_a = own.threads,
             .threads_b = 1,
             .idle_cores = 0,
             .remaining_a_ns = own.ns,
             .latency_b_ns = *serial,
             .strategy = CoRunStrategy::kSiblings,
             .serial_ns = pair->serial_ns,
             .corun_ns = own.ns};
    return true;
  }

  const std::vector<CoRunOperation>& operations_;
  const CoRunOptions& options_;
  const size_t most_;
  std::vector<std::vector<uint32_t>> after_;
  std::vector<uint32_t> by_time_;  // with a time, the longest first
  std::vector<std::vector<double>> fastest_;
  std::vector<CoRunPair> best_;  // a heap, the least gain in front
  bool has_more_ = false;
};

}  // namespace

std::vector<CoRunPair> co_runs_of(const std::vector<CoRunOperation>& operations, const CoRunPlan& plan) {
  std::vector<CoRunPair> pairs;
  for (const CoRunLaunch& launch : plan.launches) {
    if (launch.beside == kNoOperation) continue;
    CoRunPair& pair = pairs.emplace_back();
    pair.a = launch.beside;
    pair.b = launch.operation;
    pair.threads_a = launch.beside_threads;
    pair.threads_b = launch.threads;
    pair.idle_cores = launch.idle_cores;
    pair.remaining_a_ns = launch.remaining_ns;
    pair.latency_b_ns = time_with(operations[launch.operation], launch.threads);
    pair.strategy = launch.strategy;
    pair.serial_ns = launch.remaining_ns + operations[launch.operation].own_time().ns;
    pair.corun_ns = std::max(launch.remaining_ns, pair.latency_b_ns);
  }
  return pairs;
}

CoRunPairs best_pairs(const std::vector<CoRunOperation>& operations, const CoRunOptions& options, size_t most) {
  return PairSearch(operations, options, most).run();
}

}  // namespace xsp::analysis
