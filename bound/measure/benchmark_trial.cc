#include "bound/measure/benchmark_trial.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <map>
#include <new>
#include <utility>

#include <fmt/format.h>

#include "base/monotonic_clock.h"
#include "bound/measure/available_memory.h"
#include "bound/measure/operand_arena.h"

namespace xsp::bound {
namespace {

constexpr char kNoMemory[] = "not enough memory";
/// Of the memory that is free, for plain operands and for buffers each.
constexpr double kMemoryShare = 0.25;
constexpr uint64_t kMostColdCopies = 256;
/// Implementations that are measured twice: so many, and only those that are not much slower than the best.
constexpr size_t kMostRivals = 3;
constexpr double kRival = 1.3;

/// Rarely enough to disturb no sample.
constexpr uint64_t kTellingPeriodNs = 200'000'000;

bool has_room_for(double bytes) { return bytes <= kMemoryShare * static_cast<double>(available_memory()); }

double load_average() {
  double load = 0;
  return getloadavg(&load, 1) == 1 ? load : 0;
}

/// Tells implementations of a benchmark apart: what their rows have in common with no other.
std::string key_of(const Measurement& facts) {
  return fmt::format("{}|{}|{}|{}", facts.implementation, facts.layout, facts.math_mode, facts.dtype);
}

void put_times(const Samples& samples, Measurement* row) {
  row->samples_taken = samples.wall_ns.size();
  row->min_ns = samples.min();
  row->median_ns = samples.median();
  row->p90_ns = samples.p90();
  row->cpu_min_ns = samples.cpu_min();
  row->samples_ns = samples.wall_ns;
}

Status why_no_times(const Implementation& implementation) {
  const Status failure = implementation.failure();
  return failure.ok() ? Status{.error = "no times"} : failure;
}

/// What is known before the first step of a try.
Measurement begun_row(const Candidate& candidate, bool cold) {
  Measurement row = candidate.facts();
  row.cold = cold;
  row.load_average = load_average();
  row.started_at = std::time(nullptr);
  return row;
}

}  // namespace

void BenchmarkTrial::run() {
  const std::optional<Problem> problem = Problem::parse(request_.item.problem);
  if (!problem) return fail_all(BenchmarkStatus::kError, "the problem is not in canonical form");
  if (!has_room_for(operand_bytes(*problem))) return fail_all(BenchmarkStatus::kError, kNoMemory);
  std::vector<std::unique_ptr<Candidate>> candidates;
  Measurement listing;
  guarded(
      [&]() -> Status {
        operands_ = make_operands(*problem);
        check_ = std::make_unique<ResultCheck>(*problem, operands_, request_.expected);
        return {};
      },
      &listing);
  if (listing.status != BenchmarkStatus::kOk) return fail_all(BenchmarkStatus::kError, listing.message);
  guarded([&] { return backend_->candidates(request_.item, &candidates); }, &listing);
  if (listing.status != BenchmarkStatus::kOk) return fail_all(BenchmarkStatus::kUnsupported, listing.message);
  if (candidates.empty()) return fail_all(BenchmarkStatus::kUnsupported, "no implementation");
  list_candidates(std::move(candidates));

  for (Entry& entry : entries_) {
    if (!entry.is_tried) try_hot(&entry);
  }
  try_best_again();
  // With each step down in numerics only what is quicker counts for anybody.
  const Entry* best = nullptr;
  for (const Numerics numerics : {Numerics::kExact, Numerics::kTransform, Numerics::kReduced}) {
    Entry* const entry = quickest(numerics);
    if (entry == nullptr || (best != nullptr && *entry->outcome.best_ns >= *best->outcome.best_ns)) continue;
    try_cold(entry);
    best = entry;
  }
}

void BenchmarkTrial::try_best_again() {
  const std::optional<double> best = best_of(Numerics::kTransform);
  if (!best) return;
  std::vector<Entry*> rivals;
  for (Entry& entry : entries_) {
    const bool is_near = entry.outcome.best_ns && *entry.outcome.best_ns <= kRival * *best;
    if (is_near && !entry.is_tried && !entry.outcome.has_own_times) rivals.push_back(&entry);
  }
  std::sort(rivals.begin(), rivals.end(),
            [](const Entry* a, const Entry* b) { return *a->outcome.best_ns < *b->outcome.best_ns; });
  if (rivals.size() > kMostRivals) rivals.resize(kMostRivals);
  for (Entry* rival : rivals) try_hot(rival);
}

void BenchmarkTrial::list_candidates(std::vector<std::unique_ptr<Candidate>> candidates) {
  std::map<std::string, int> seen;
  for (std::unique_ptr<Candidate>& candidate : candidates) {
    const Measurement facts = candidate->facts();
    std::string key = key_of(facts);
    if (const int count = ++seen[key]; count > 1) key += fmt::format("|{}", count);
    Entry entry{.candidate = std::move(candidate), .outcome = {.key = std::move(key), .numerics = facts.numerics}};
    for (const TriedImplementation& tried : request_.tried) {
      if (tried.cold || tried.key != entry.outcome.key) continue;
      entry.outcome = tried;
      entry.is_tried = true;
    }
    entries_.push_back(std::move(entry));
  }
}

void BenchmarkTrial::guarded(const std::function<Status()>& part, Measurement* row) {
  Status status;
  try {
    status = part();
  } catch (const std::bad_alloc&) {
    status.error = kNoMemory;
  } catch (const std::exception& exception) {
    status.error = exception.what();
    if (status.error.empty()) status.error = "an exception without a text";
  } catch (...) {
    status.error = "an exception of the library's own";
  }
  if (status.ok()) return;
  row->status = BenchmarkStatus::kError;
  row->message = status.error;
}

void BenchmarkTrial::try_hot(Entry* entry) {
  Measurement row = begun_row(*entry->candidate, false);
  send_({.kind = ChildMessage::Kind::kBegin, .row = row, .tried = entry->outcome});
  guarded([&] { return measure_hot(entry, &row); }, &row);
  if (row.status == BenchmarkStatus::kOk) entry->outcome.best_ns = row.best_ns();
  send_row(*entry, std::move(row));
}

Status BenchmarkTrial::make(Candidate* candidate, std::unique_ptr<Implementation>* implementation) {
  const Status made = candidate->make(implementation);
  if (!made.ok()) return made;
  if (*implementation == nullptr) return {.error = "nothing was made"};
  told_ns_ = 0;
  tell_running();
  return {};
}

void BenchmarkTrial::tell_running() {
  const uint64_t now_ns = monotonic_ns();
  if (now_ns - told_ns_ < kTellingPeriodNs) return;
  told_ns_ = now_ns;
  send_({.kind = ChildMessage::Kind::kRunning});
}

Status BenchmarkTrial::measure_hot(Entry* entry, Measurement* row) {
  std::unique_ptr<Implementation> implementation;
  const Status made = make(entry->candidate.get(), &implementation);
  if (!made.ok()) return made;
  const SamplingLimits sampling = limits();
  if (std::optional<std::vector<float>> own = implementation->own_samples(sampling.budget_ns)) {
    entry->outcome.has_own_times = true;
    entry->outcome.has_own_cold = implementation->has_own_cold_samples();
    if (own->empty()) return why_no_times(*implementation);
    if (const std::vector<float> result = implementation->result({}); !result.empty()) {
      const Status right = check(result);
      if (!right.ok()) return right;
    }
    row->workspace_bytes = implementation->workspace_bytes();
    put_times({.wall_ns = std::move(*own)}, row);
    return {};
  }

  const std::vector<size_t> sizes = implementation->buffer_sizes();
  const std::optional<size_t> bytes = OperandArena::copy_bytes(sizes);
  OperandArena arena;
  if (!bytes || !has_room_for(static_cast<double>(*bytes)) || !arena.allocate(sizes, 1)) return {.error = kNoMemory};
  const std::vector<void*> buffers = arena.buffers(0);
  const Status filled = implementation->fill(operands_, buffers);
  if (!filled.ok()) return filled;
  const std::unique_ptr<BoundCall> call = implementation->bind(buffers);
  if (call == nullptr) return {.error = "the arguments do not fit the call"};
  const auto run = [&call] { call->run(); };
  const bool one_thread = request_.threads == 1;
  const Samples first = take_one_sample(run, one_thread);
  tell_running();
  const Status right = check(implementation->result(buffers));
  if (!right.ok()) return right;

  SamplingLimits with_rival = sampling;
  with_rival.to_beat_ns = best_of(entry->outcome.numerics);
  row->workspace_bytes = implementation->workspace_bytes();
  // What takes all the time that samples may take has been sampled by its first call.
  const bool is_sampled = first.min() >= kMostBudgets * sampling.budget_ns;
  entry->samples.append(is_sampled ? first : take_samples(run, one_thread, with_rival));
  put_times(entry->samples, row);
  return {};
}

void BenchmarkTrial::try_cold(Entry* entry) {
  if (entry->outcome.has_own_times && !entry->outcome.has_own_cold) return;
  const auto is_same = [entry](const TriedImplementation& tried) {
    return tried.cold && tried.key == entry->outcome.key;
  };
  if (std::any_of(request_.tried.begin(), request_.tried.end(), is_same)) return;
  Measurement row = begun_row(*entry->candidate, true);
  Entry cold{.candidate = nullptr, .outcome = entry->outcome};
  cold.outcome.cold = true;
  send_({.kind = ChildMessage::Kind::kBegin, .row = row, .tried = cold.outcome});
  guarded([&] { return measure_cold(entry, &row); }, &row);
  cold.outcome.best_ns = row.status == BenchmarkStatus::kOk ? std::optional(row.best_ns()) : std::nullopt;
  send_row(cold, std::move(row));
}

Status BenchmarkTrial::measure_cold(Entry* entry, Measurement* row) {
  std::unique_ptr<Implementation> implementation;
  const Status made = make(entry->candidate.get(), &implementation);
  if (!made.ok()) return made;
  const SamplingLimits sampling = limits();
  if (entry->outcome.has_own_times) {
    std::optional<std::vector<float>> own = implementation->own_cold_samples(sampling.budget_ns);
    if (!own || own->empty()) return why_no_times(*implementation);
    row->workspace_bytes = implementation->workspace_bytes();
    put_times({.wall_ns = std::move(*own)}, row);
    return {};
  }
  const std::vector<size_t> sizes = implementation->buffer_sizes();
  const std::optional<size_t> bytes = OperandArena::copy_bytes(sizes);
  if (!bytes || *bytes == 0) return {.error = kNoMemory};
  const double room = kMemoryShare * static_cast<double>(available_memory()) / static_cast<double>(*bytes);
  const double wanted = std::ceil(sampling.sample_ns / std::max(*entry->outcome.best_ns, 1.0));
  const double most = std::min({wanted, room, static_cast<double>(kMostColdCopies)});
  const size_t copies = std::max<size_t>(static_cast<size_t>(most), 1);
  OperandArena arena;
  if (room < 1 || !arena.allocate(sizes, copies)) return {.error = kNoMemory};
  const Status filled = implementation->fill(operands_, arena.buffers(0));
  if (!filled.ok()) return filled;
  arena.repeat_first();

  std::vector<std::unique_ptr<BoundCall>> bound;
  std::vector<std::function<void()>> calls;
  for (size_t copy = 0; copy < copies; ++copy) {
    bound.push_back(implementation->bind(arena.buffers(copy)));
    if (bound.back() == nullptr) return {.error = "the arguments do not fit the call"};
    calls.emplace_back([call = bound.back().get()] { call->run(); });
  }
  const auto evict = [this, &arena] { (*eviction_)(arena.memory()); };
  row->workspace_bytes = implementation->workspace_bytes();
  put_times(take_cold_samples(calls, evict, request_.threads == 1, sampling), row);
  return {};
}

Status BenchmarkTrial::check(const std::vector<float>& result) {
  const bool was_known = check_->expected().is_known();
  const std::string fault = check_->fault_of(result);
  if (!was_known && check_->expected().is_known()) {
    send_({.kind = ChildMessage::Kind::kExpected, .expected = check_->expected()});
  }
  return {.error = fault};
}

std::optional<double> BenchmarkTrial::best_of(Numerics worst) const {
  std::optional<double> best;
  for (const Entry& entry : entries_) {
    if (!entry.outcome.best_ns || entry.outcome.numerics > worst) continue;
    best = std::min(best.value_or(*entry.outcome.best_ns), *entry.outcome.best_ns);
  }
  return best;
}

BenchmarkTrial::Entry* BenchmarkTrial::quickest(Numerics numerics) {
  Entry* best = nullptr;
  for (Entry& entry : entries_) {
    if (!entry.outcome.best_ns || entry.outcome.numerics != numerics) continue;
    if (best == nullptr || *entry.outcome.best_ns < *best->outcome.best_ns) best = &entry;
  }
  return best;
}

SamplingLimits BenchmarkTrial::limits() {
  return {.budget_ns = request_.budget_ms * 1e6, .between = [this] { tell_running(); }};
}

void BenchmarkTrial::send_row(const Entry& entry, Measurement row) {
  send_({.kind = ChildMessage::Kind::kRow, .row = std::move(row), .tried = entry.outcome});
}

void BenchmarkTrial::fail_all(BenchmarkStatus status, const std::string& message) {
  Measurement row{.status = status, .message = message};
  row.load_average = load_average();
  row.started_at = std::time(nullptr);
  send_({.kind = ChildMessage::Kind::kRow, .row = std::move(row)});
}

}  // namespace xsp::bound
