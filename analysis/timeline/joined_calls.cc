#include "analysis/timeline/joined_calls.h"

#include <algorithm>
#include <array>
#include <limits>

#include "analysis/timeline/majority.h"
#include "analysis/trace/call_arguments.h"
#include "analysis/trace/recorded_levels.h"

namespace xsp::analysis {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

/// The calls of each of some evaluations in order of begin, as indices of LibraryCalls: those of the i-th one are
/// members[first[i]] up to members[first[i + 1]].
struct Sequences {
  std::vector<size_t> first;
  std::vector<uint32_t> members;

  size_t count() const { return first.size() - 1; }
  size_t length(size_t sequence) const { return first[sequence + 1] - first[sequence]; }
  uint32_t call(size_t sequence, size_t place) const { return members[first[sequence] + place]; }
};

Sequences find_sequences(const LibraryCalls& all, const std::vector<uint32_t>& evaluations) {
  const uint32_t last = *std::max_element(evaluations.begin(), evaluations.end());
  std::vector<uint32_t> number(size_t{last} + 1, UINT32_MAX);
  for (uint32_t i = 0; i < evaluations.size(); ++i) number[evaluations[i]] = i;
  const auto sequence_of = [&](const LibraryCall& call) {
    return call.evaluation < number.size() ? number[call.evaluation] : UINT32_MAX;
  };
  Sequences sequences;
  sequences.first.resize(evaluations.size() + 1);
  for (const LibraryCall& call : all.calls) {
    if (const uint32_t sequence = sequence_of(call); sequence != UINT32_MAX) ++sequences.first[sequence + 1];
  }
  for (size_t i = 1; i < sequences.first.size(); ++i) sequences.first[i] += sequences.first[i - 1];
  sequences.members.resize(sequences.first.back());
  std::vector<size_t> next(sequences.first.begin(), sequences.first.end() - 1);
  for (uint32_t i = 0; i < all.calls.size(); ++i) {
    if (const uint32_t sequence = sequence_of(all.calls[i]); sequence != UINT32_MAX) {
      sequences.members[next[sequence]++] = i;
    }
  }
  return sequences;
}

JoinedCall single_call(const Trace& trace, const LibraryCalls& all, uint32_t number) {
  const LibraryCall& call = all.calls[number];
  const bool known = records(trace, trace.process_of(call.row), Level::kDevice);
  return {.call = number,
          .host_ns = static_cast<double>(trace.spans.duration(call.row)),
          .spread_ns = kUnknown,
          .self_ns = static_cast<double>(call.self_ns),
          .kernel_ns = known ? static_cast<double>(all.kernels_of(number).ns) : kUnknown,
          .kernel_count = known ? static_cast<double>(all.kernels_of(number).count) : kUnknown,
          .failed = trace.spans.has_failed(call.row) ? 1.0 : 0.0};
}

/// Joins the calls of the chosen sequences place by place. Each value is read sequence by sequence, in which calls lie
/// together.
class Places {
 public:
  Places(const Trace& trace, const LibraryCalls& all, const Sequences& sequences, const std::vector<size_t>& chosen)
      : trace_(trace), all_(all), sequences_(sequences), chosen_(chosen), count_(sequences.length(chosen.front())) {}

  std::vector<JoinedCall> join(const Statistic& statistic) {
    std::vector<JoinedCall> joined;
    joined.reserve(count_);
    for (size_t place = 0; place < count_; ++place) {
      joined.push_back(single_call(trace_, all_, sequences_.call(chosen_.front(), place)));
    }
    if (chosen_.size() == 1) return joined;
    const auto host_ns = [&](uint32_t call) { return trace_.spans.duration(row(call)); };
    const auto self_ns = [&](uint32_t call) { return all_.calls[call].self_ns; };
    for_each_place(host_ns, [&](size_t place, std::vector<double>& values) {
      joined[place].host_ns = evaluate(statistic, values);
      joined[place].spread_ns = interquartile_range(values);
    });
    for_each_place(self_ns, [&](size_t place, std::vector<double>& values) {
      joined[place].self_ns = evaluate(statistic, values);
    });
    if (all_.has_kernels()) {
      const auto kernel_ns = [&](uint32_t call) { return all_.kernels_of(call).ns; };
      for_each_place(kernel_ns, [&](size_t place, std::vector<double>& values) {
        joined[place].kernel_ns = evaluate(statistic, values);
      });
      set_means(
          &JoinedCall::kernel_count, [&](uint32_t call) { return all_.kernels_of(call).count; }, &joined);
    }
    set_means(
        &JoinedCall::failed, [&](uint32_t call) { return trace_.spans.has_failed(row(call)) ? 1 : 0; }, &joined);
    if (!trace_.spans.arguments.empty()) compare_arguments(&joined);
    return joined;
  }

 private:
  Row row(uint32_t call) const { return all_.calls[call].row; }

  template <typename Value, typename Use>
  void for_each_place(Value&& value, Use&& use) {
    matrix_.resize(count_ * chosen_.size());
    for (size_t column = 0; column < chosen_.size(); ++column) {
      for (size_t place = 0; place < count_; ++place) {
        matrix_[place * chosen_.size() + column] = static_cast<double>(value(sequences_.call(chosen_[column], place)));
      }
    }
    std::vector<double> values;
    for (size_t place = 0; place < count_; ++place) {
      const auto begin = matrix_.begin() + static_cast<ptrdiff_t>(place * chosen_.size());
      values.assign(begin, begin + static_cast<ptrdiff_t>(chosen_.size()));
      use(place, values);
    }
  }

  template <typename Value>
  void set_means(double JoinedCall::*to, Value&& value, std::vector<JoinedCall>* joined) {
    for (size_t place = 0; place < count_; ++place) (*joined)[place].*to = 0;
    for (const size_t sequence : chosen_) {
      for (size_t place = 0; place < count_; ++place) {
        (*joined)[place].*to += static_cast<double>(value(sequences_.call(sequence, place)));
      }
    }
    for (size_t place = 0; place < count_; ++place) (*joined)[place].*to /= static_cast<double>(chosen_.size());
  }

  void compare_arguments(std::vector<JoinedCall>* joined) {
    for (size_t place = 0; place < count_; ++place) {
      JoinedCall& call = (*joined)[place];
      const std::string arguments = CallArguments(trace_, row(call.call)).comparable();
      call.arguments_vary = std::any_of(chosen_.begin() + 1, chosen_.end(), [&](size_t sequence) {
        return CallArguments(trace_, row(sequences_.call(sequence, place))).comparable() != arguments;
      });
    }
  }

  const Trace& trace_;
  const LibraryCalls& all_;
  const Sequences& sequences_;
  const std::vector<size_t>& chosen_;
  size_t count_;
  std::vector<double> matrix_;
};

/// Enclosing calls as indices of `calls`.
void link(const LibraryCalls& all, std::vector<JoinedCall>* calls) {
  std::vector<uint32_t> number(all.calls.size(), kNoCall);
  for (uint32_t i = 0; i < calls->size(); ++i) number[(*calls)[i].call] = i;
  for (JoinedCall& call : *calls) {
    const uint32_t enclosing = all.calls[call.call].enclosing;
    if (enclosing != kNoCall) call.enclosing = number[enclosing];
  }
}

}  // namespace

JoinedCalls join_calls(const Trace& trace, const LibraryCalls& all, const std::vector<uint32_t>& evaluations,
                       const Statistic& statistic) {
  JoinedCalls joined;
  if (evaluations.empty()) return joined;
  const Sequences sequences = find_sequences(all, evaluations);
  const Majority majority = find_majority(
      sequences.count(), [&](size_t sequence) { return sequences.length(sequence); },
      [&](size_t sequence, size_t place) {
        const LibraryCall& call = all.calls[sequences.call(sequence, place)];
        return std::array{call.layer_ordinal, trace.spans.name[call.row], trace.spans.type[call.row]};
      });
  joined.diverging = majority.diverging;
  joined.first_difference = majority.first_difference;
  joined.evaluations = majority.chosen.size();
  for (const size_t sequence : majority.chosen) joined.joined.push_back(evaluations[sequence]);
  joined.calls = Places(trace, all, sequences, majority.chosen).join(statistic);
  std::vector<double> kernel_ns;
  for (const size_t sequence : majority.chosen) {
    kernel_ns.push_back(all.has_kernels() ? static_cast<double>(all.kernel_ns_of[evaluations[sequence]]) : 0.0);
  }
  joined.kernel_ns = evaluate(statistic, kernel_ns);
  link(all, &joined.calls);
  return joined;
}

void take_kernels(const JoinedCalls& from, const std::vector<uint32_t>& partners, JoinedCalls* to) {
  to->kernel_ns = from.kernel_ns;
  for (size_t i = 0; i < to->calls.size(); ++i) {
    const bool known = partners[i] < from.calls.size();
    to->calls[i].kernel_ns = known ? from.calls[partners[i]].kernel_ns : kUnknown;
    to->calls[i].kernel_count = known ? from.calls[partners[i]].kernel_count : kUnknown;
  }
}

JoinedCalls single_calls(const Trace& trace, const LibraryCalls& all, const std::vector<bool>& wanted) {
  JoinedCalls joined;
  for (uint32_t i = 0; i < all.calls.size(); ++i) {
    if (wanted[i]) joined.calls.push_back(single_call(trace, all, i));
  }
  link(all, &joined.calls);
  joined.kernel_ns = static_cast<double>(all.kernel_ns);
  return joined;
}

}  // namespace xsp::analysis
