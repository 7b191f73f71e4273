#include "bound/measure/benchmark_session.h"

#include <algorithm>
#include <cmath>
#include <ctime>

#include <fmt/format.h>

#include "base/monotonic_clock.h"

namespace xsp::bound {
namespace {

/// An implementation that takes its times itself may take ten times the budget without a word, and some more around it.
constexpr double kSilentBudgets = 12;
constexpr int kTickMs = 1000;
/// No library has as many implementations of a problem.
constexpr size_t kMostRows = 2000;
/// Children that fail one after another before any implementation.
constexpr int kMostIdleFailures = 2;

/// What was measured once more has one row, the last one.
void keep(const ChildMessage& message, ChildRequest* request, std::vector<Measurement>* rows) {
  TriedImplementation tried = message.tried;
  const auto earlier = std::find_if(request->tried.begin(), request->tried.end(), [&](const auto& other) {
    return other.key == tried.key && other.cold == tried.cold && other.row < rows->size();
  });
  if (earlier != request->tried.end()) {
    tried.row = earlier->row;
    (*rows)[tried.row] = message.row;
    *earlier = std::move(tried);
    return;
  }
  tried.row = rows->size();
  rows->push_back(message.row);
  if (!tried.key.empty()) request->tried.push_back(std::move(tried));
}

}  // namespace

Status BenchmarkSession::measure(const Benchmark& benchmark, const std::function<void()>& tick,
                                 std::vector<Measurement>* rows) {
  ChildRequest request{.item = *benchmark.item,
                       .library = *benchmark.library,
                       .threads = options_.threads,
                       .budget_ms = options_.budget_ms};
  int idle_failures = 0;
  while (true) {
    if (process_ == nullptr) {
      const Status started = BenchmarkProcess::start(options_.child_command, &process_);
      if (!started.ok()) return started;
    }
    Attempt attempt;
    Measurement failure;
    const Outcome outcome = follow(tick, &request, &attempt, rows, &failure);
    if (outcome == Outcome::kStopped) return {.error = "interrupted", .exit_code = 128 + stop_->caught()};
    if (outcome == Outcome::kDone) break;
    idle_failures = attempt.has_begun ? 0 : idle_failures + 1;
    if (attempt.is_begun) {
      request.tried.push_back(attempt.tried);
      rows->push_back(std::move(failure));
    } else if (idle_failures == kMostIdleFailures) {
      rows->push_back(std::move(failure));
      break;
    }
  }
  for (Measurement& row : *rows) complete(benchmark, &row);
  return {};
}

BenchmarkSession::Outcome BenchmarkSession::follow(const std::function<void()>& tick, ChildRequest* request,
                                                   Attempt* attempt, std::vector<Measurement>* rows,
                                                   Measurement* failure) {
  const double silence_s = options_.hang_s + kSilentBudgets * options_.budget_ms / 1e3;
  request->folder = process_->folder();
  process_->send(request_line(*request));
  uint64_t heard_ns = monotonic_ns();
  uint64_t ticked_ns = heard_ns;
  BenchmarkStatus status = BenchmarkStatus::kError;
  std::string why;
  while (why.empty()) {
    std::string line;
    const double left_ms = silence_s * 1e3 - static_cast<double>(monotonic_ns() - heard_ns) / 1e6;
    const auto timeout_ms = static_cast<int>(std::clamp(std::ceil(left_ms), 0.0, static_cast<double>(kTickMs)));
    const BenchmarkProcess::Said said = process_->wait(timeout_ms, stop_->descriptor(), &line);
    const uint64_t now_ns = monotonic_ns();
    if (now_ns - ticked_ns >= uint64_t{kTickMs} * 1'000'000) {
      ticked_ns = now_ns;
      tick();
    }
    switch (said) {
      case BenchmarkProcess::Said::kStop:
        if (stop_->caught() != 0) {
          process_.reset();
          return Outcome::kStopped;
        }
        break;
      case BenchmarkProcess::Said::kLine: {
        heard_ns = now_ns;
        bool is_done = false;
        if (!take(line, request, attempt, rows, &is_done)) why = "its process wrote nonsense";
        if (is_done) return Outcome::kDone;
        break;
      }
      case BenchmarkProcess::Said::kNothing:
        if (static_cast<double>(now_ns - heard_ns) < silence_s * 1e9) break;
        status = BenchmarkStatus::kTimeout;
        why = fmt::format("nothing for {:.0f} s", silence_s);
        break;
      case BenchmarkProcess::Said::kNonsense:
        why = "its process wrote nonsense";
        break;
      case BenchmarkProcess::Said::kEnd:
        break;
    }
    if (said == BenchmarkProcess::Said::kEnd) break;
  }
  const bool ended_itself = why.empty();
  const std::string end = process_->end();
  // ^C of a terminal that reaches everybody is no failure of the child.
  if (stop_->caught() != 0) return Outcome::kStopped;
  const char* const where = attempt->is_running ? "running" : attempt->is_begun ? "making" : "starting";
  *failure = attempt->row;
  failure->status = status;
  if (ended_itself) {
    const size_t words = std::min(end.find(": "), end.size());
    failure->message = fmt::format("{} while {}{}", end.substr(0, words), where, end.substr(words));
  } else {
    failure->message = fmt::format("{} while {}{}", why, where, process_->last_words());
  }
  if (failure->started_at == 0) failure->started_at = std::time(nullptr);
  process_.reset();
  return Outcome::kFailed;
}

bool BenchmarkSession::take(const std::string& line, ChildRequest* request, Attempt* attempt,
                            std::vector<Measurement>* rows, bool* is_done) {
  const std::optional<ChildMessage> message = read_message(line);
  if (!message || rows->size() >= kMostRows) return false;
  switch (message->kind) {
    case ChildMessage::Kind::kBegin:
      if (attempt->is_begun) return false;
      *attempt = {.is_begun = true, .has_begun = true, .row = message->row, .tried = message->tried};
      attempt->tried.best_ns.reset();
      return true;
    case ChildMessage::Kind::kRunning:
      if (!attempt->is_begun) return false;
      attempt->is_running = true;
      return true;
    case ChildMessage::Kind::kRow:
      if (attempt->is_begun && message->tried.key != attempt->tried.key) return false;
      attempt->is_begun = attempt->is_running = false;
      attempt->row = {};
      keep(*message, request, rows);
      return true;
    case ChildMessage::Kind::kExpected:
      request->expected = message->expected;
      return true;
    case ChildMessage::Kind::kDone:
      *is_done = true;
      return !attempt->is_begun;
  }
  return false;
}

void BenchmarkSession::complete(const Benchmark& benchmark, Measurement* row) const {
  row->problem = benchmark.item->problem;
  row->backend = benchmark.library->backend;
  row->library = benchmark.library->name;
  row->library_version = benchmark.library->version;
  row->threads = options_.threads;
  row->xsp_version = XSP_VERSION;
}

}  // namespace xsp::bound
