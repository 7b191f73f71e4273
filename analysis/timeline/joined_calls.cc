#include "analysis/timeline/joined_calls.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <string>
#include <unordered_map>

#include "analysis/timeline/merged_sequences.h"
#include "analysis/trace/call_arguments.h"
#include "analysis/trace/recorded_levels.h"

namespace xsp::analysis {
namespace {

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
          .spread_ns = kUnknownValue,
          .self_ns = static_cast<double>(call.self_ns),
          .kernel_ns = known ? static_cast<double>(all.kernels_of(number).ns) : kUnknownValue,
          .kernel_count = known ? static_cast<double>(all.kernels_of(number).count) : kUnknownValue,
          .failed = trace.spans.has_failed(call.row) ? 1.0 : 0.0};
}

/// What sequences are compared by, and which are alike.
class MergedCalls {
 public:
  MergedCalls(const Trace& trace, const LibraryCalls& all, const Sequences& sequences, const LayerOfCall& layer_of)
      : trace_(trace), all_(all), sequences_(sequences), layer_of_(layer_of) {
    std::unordered_map<uint64_t, uint32_t> by_hash;
    std::vector<size_t> first;
    std::vector<CountedSequence> counted;
    for (size_t i = 0; i < sequences.count(); ++i) {
      uint64_t hash = 14695981039346656037u;  // FNV-1a
      for (size_t k = 0; k < sequences.length(i); ++k) hash = (hash ^ place(sequences.call(i, k)).key) * 1099511628211u;
      const auto [found, added] = by_hash.try_emplace(hash, static_cast<uint32_t>(counted.size()));
      alike_of.push_back(found->second);
      if (added) {
        first.push_back(i);
        counted.emplace_back();
      }
      ++counted[found->second].count;
    }
    for (size_t alike = 0; alike < counted.size(); ++alike) {
      for (size_t k = 0; k < sequences.length(first[alike]); ++k) {
        counted[alike].places.push_back(place(sequences.call(first[alike], k)));
      }
    }
    merged = merge_sequences(counted, Renamed::kAlternative);
    for (size_t i = 0; i < sequences.count(); ++i) {
      if (merged.left_out[alike_of[i]] == 0) chosen.push_back(i);
    }
    find_first_difference(counted);
  }

  std::vector<uint32_t> alike_of;  // by sequence, in `merged`
  MergedSequences merged;
  std::vector<size_t> chosen;  // sequences that are joined
  size_t first_difference = 0;

 private:
  /// (layer, library, function); another call of the layer may take its place.
  SequencePlace place(uint32_t number) const {
    const LibraryCall& call = all_.calls[number];
    uint64_t hash = 14695981039346656037u;
    const auto mix = [&](uint64_t value) { hash = (hash ^ value) * 1099511628211u; };
    mix(layer_of_ ? layer_of_(call) : call.layer_ordinal);
    const uint64_t kind = hash;
    mix(trace_.spans.name[call.row]);
    mix(trace_.spans.type[call.row]);
    return {hash, kind};
  }

  void find_first_difference(const std::vector<CountedSequence>& counted) {
    size_t other = SIZE_MAX;
    for (size_t i = 0; i < counted.size(); ++i) {
      if (i == merged.reference) continue;
      if (other == SIZE_MAX || (merged.left_out[i] != 0 && merged.left_out[other] == 0)) other = i;
    }
    if (other == SIZE_MAX) return;
    const auto& a = counted[merged.reference].places;
    const auto& b = counted[other].places;
    while (first_difference < std::min(a.size(), b.size()) && a[first_difference].key == b[first_difference].key) {
      ++first_difference;
    }
  }

  const Trace& trace_;
  const LibraryCalls& all_;
  const Sequences& sequences_;
  const LayerOfCall& layer_of_;
};

/// Joins the calls of the chosen sequences place by place. Each value is read sequence by sequence, in which calls lie
/// together.
class CallPlaces {
 public:
  CallPlaces(const Trace& trace, const LibraryCalls& all, const Sequences& sequences, const MergedCalls& merged)
      : trace_(trace),
        all_(all),
        sequences_(sequences),
        merged_(merged),
        chosen_(merged.chosen),
        count_(merged.merged.rows) {}

  std::vector<JoinedCall> join(const Statistic& statistic) {
    std::vector<uint32_t> first(count_, kNoCall);
    for_each([&](size_t, uint32_t place, uint32_t call) {
      if (first[place] == kNoCall) first[place] = call;
    });
    std::vector<JoinedCall> joined;
    joined.reserve(count_);
    for (size_t place = 0; place < count_; ++place) {
      joined.push_back(single_call(trace_, all_, first[place]));
      joined.back().n = static_cast<uint32_t>(merged_.merged.n[place]);
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

  /// Calls `use(column, place, call)` for all of each chosen sequence.
  template <typename Use>
  void for_each(Use&& use) const {
    for (size_t column = 0; column < chosen_.size(); ++column) {
      const auto& slots = merged_.merged.slots[merged_.alike_of[chosen_[column]]];
      for (size_t k = 0; k < slots.size(); ++k) {
        if (slots[k] < count_) use(column, slots[k], sequences_.call(chosen_[column], k));
      }
    }
  }

  template <typename Value, typename Use>
  void for_each_place(Value&& value, Use&& use) {
    matrix_.assign(count_ * chosen_.size(), kAbsent);
    for_each([&](size_t column, uint32_t place, uint32_t call) {
      matrix_[place * chosen_.size() + column] = static_cast<double>(value(call));
    });
    std::vector<double> values;
    for (size_t place = 0; place < count_; ++place) {
      const auto begin = matrix_.begin() + static_cast<ptrdiff_t>(place * chosen_.size());
      values.clear();
      std::copy_if(begin, begin + static_cast<ptrdiff_t>(chosen_.size()), std::back_inserter(values),
                   [](double one) { return one != kAbsent; });
      use(place, values);
    }
  }

  template <typename Value>
  void set_means(double JoinedCall::*to, Value&& value, std::vector<JoinedCall>* joined) {
    for (size_t place = 0; place < count_; ++place) (*joined)[place].*to = 0;
    for_each([&](size_t, uint32_t place, uint32_t call) { (*joined)[place].*to += static_cast<double>(value(call)); });
    for (size_t place = 0; place < count_; ++place) (*joined)[place].*to /= static_cast<double>((*joined)[place].n);
  }

  void compare_arguments(std::vector<JoinedCall>* joined) {
    std::vector<std::string> arguments;
    for (const JoinedCall& call : *joined) {
      arguments.push_back(std::string(CallArguments(trace_, row(call.call)).comparable()));
    }
    for_each([&](size_t, uint32_t place, uint32_t call) {
      JoinedCall& own = (*joined)[place];
      if (own.arguments_vary || own.call == call) return;
      own.arguments_vary = CallArguments(trace_, row(call)).comparable() != arguments[place];
    });
  }

  const Trace& trace_;
  const LibraryCalls& all_;
  const Sequences& sequences_;
  const MergedCalls& merged_;
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

/// The same of joined ones, of which each may be the first in another evaluation.
void link(const LibraryCalls& all, const Sequences& sequences, JoinedCalls* joined, const std::vector<size_t>& chosen) {
  if (joined->rows.size() == 1) return link(all, &joined->calls);
  std::vector<uint32_t> number(all.calls.size(), kNoCall);
  for (size_t i = 0; i < chosen.size(); ++i) {
    const auto& rows = joined->rows_of(i);
    for (size_t k = 0; k < rows.size(); ++k) {
      if (rows[k] != kNoPlace) number[sequences.call(chosen[i], k)] = rows[k];
    }
  }
  for (JoinedCall& call : joined->calls) {
    const uint32_t enclosing = all.calls[call.call].enclosing;
    if (enclosing != kNoCall) call.enclosing = number[enclosing];
  }
}

}  // namespace

JoinedCalls join_calls(const Trace& trace, const LibraryCalls& all, const std::vector<uint32_t>& evaluations,
                       const Statistic& statistic, const LayerOfCall& layer_of) {
  JoinedCalls joined;
  if (evaluations.empty()) return joined;
  const Sequences sequences = find_sequences(all, evaluations);
  const MergedCalls merged(trace, all, sequences, layer_of);
  joined.diverging = sequences.count() - merged.chosen.size();
  joined.first_difference = merged.first_difference;
  joined.evaluations = merged.chosen.size();
  std::vector<double> kernel_ns;
  for (const size_t sequence : merged.chosen) {
    joined.joined.push_back(evaluations[sequence]);
    joined.sequence_of.push_back(merged.alike_of[sequence]);
    if (merged.alike_of[sequence] == merged.merged.reference) joined.same.push_back(evaluations[sequence]);
    kernel_ns.push_back(all.has_kernels() ? static_cast<double>(all.kernel_ns_of[evaluations[sequence]]) : 0.0);
    const auto& slots = merged.merged.slots[merged.alike_of[sequence]];
    for (size_t k = 0; k < slots.size(); ++k) {
      if (slots[k] < merged.merged.rows) continue;
      joined.left_out_ns += static_cast<double>(all.calls[sequences.call(sequence, k)].self_ns) /
                            static_cast<double>(merged.chosen.size());
    }
  }
  joined.calls = CallPlaces(trace, all, sequences, merged).join(statistic);
  joined.kernel_ns = evaluate(statistic, kernel_ns);
  joined.rows = merged.merged.slots;
  for (auto& rows : joined.rows) {
    for (uint32_t& row : rows) row = row < joined.calls.size() ? row : kNoPlace;
  }
  joined.left_out = merged.merged.n.size() - merged.merged.rows;
  link(all, sequences, &joined, merged.chosen);
  return joined;
}

void take_kernels(const JoinedCalls& from, const std::vector<uint32_t>& partners, JoinedCalls* to) {
  to->kernel_ns = from.kernel_ns;
  for (size_t i = 0; i < to->calls.size(); ++i) {
    const bool known = partners[i] < from.calls.size();
    to->calls[i].kernel_ns = known ? from.calls[partners[i]].kernel_ns : kUnknownValue;
    to->calls[i].kernel_count = known ? from.calls[partners[i]].kernel_count : kUnknownValue;
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
