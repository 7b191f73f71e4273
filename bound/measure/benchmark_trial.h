#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bound/backends/backend.h"
#include "bound/measure/cache_eviction.h"
#include "bound/measure/child_protocol.h"
#include "bound/measure/result_check.h"
#include "bound/measure/sampling.h"

namespace xsp::bound {

/// Measures all implementations of one problem in this process, and tells what it is at and what it found.
class BenchmarkTrial {
 public:
  using Send = std::function<void(const ChildMessage&)>;

  BenchmarkTrial(const ChildRequest& request, Backend* backend, CacheEviction* eviction, Send send)
      : request_(request), backend_(backend), eviction_(eviction), send_(std::move(send)) {}

  /// Hot each; then the best few once more, some time later, because a neighbour on the machine may have slowed one of
  /// them throughout; then cold the quickest exact one, and the quickest with transformed and with reduced numerics
  /// where these are quicker.
  void run();

 private:
  struct Entry {
    std::unique_ptr<Candidate> candidate;
    TriedImplementation outcome;
    bool is_tried = false;
    Samples samples = {};  // of all rounds
  };

  void list_candidates(std::vector<std::unique_ptr<Candidate>> candidates);
  void try_hot(Entry* entry);
  void try_best_again();
  void try_cold(Entry* entry);
  /// Runs a part of a try. What a library throws becomes an error of the row.
  void guarded(const std::function<Status()>& part, Measurement* row);
  /// Makes the implementation and tells so.
  Status make(Candidate* candidate, std::unique_ptr<Implementation>* implementation);
  /// A sign of life, where the last one is some time ago.
  void tell_running();
  Status measure_hot(Entry* entry, Measurement* row);
  Status measure_cold(Entry* entry, Measurement* row);
  Status check(const std::vector<float>& result);
  std::optional<double> best_of(Numerics worst) const;
  Entry* quickest(Numerics numerics);
  SamplingLimits limits();
  void send_row(const Entry& entry, Measurement row);
  void fail_all(BenchmarkStatus status, const std::string& message);

  const ChildRequest& request_;
  Backend* backend_;
  CacheEviction* eviction_;
  Send send_;
  std::vector<PlainTensor> operands_;
  std::unique_ptr<ResultCheck> check_;
  std::vector<Entry> entries_;
  uint64_t told_ns_ = 0;  // when it last said that something runs
};

}  // namespace xsp::bound
