#include "import/writing/span_order.h"

#include <algorithm>
#include <numeric>

#include "import/writing/segment.h"

namespace xsp {
namespace {

bool is_before(const ImportedSpan& a, const ImportedSpan& b) {
  if (a.begin_ns != b.begin_ns) return a.begin_ns < b.begin_ns;
  return a.end_ns != b.end_ns ? a.end_ns > b.end_ns : is_python(a) && !is_python(b);
}

bool is_left_out(const ImportedSpan& span) { return span.begin_ns == SegmentTimes::kNowhere || is_node(span); }

/// Among spans that begin together, puts those with a known turn into that order, within the places that they have.
void sort_by_turn(const ImportedProcess::Thread& thread, std::vector<uint32_t>* order) {
  const auto& spans = thread.spans;
  const auto& calls = thread.calls;
  const auto turn_of = [&](uint32_t number) { return number < calls.size() ? calls[number].turn : 0; };
  std::vector<size_t> places;
  std::vector<uint32_t> numbers;
  for (size_t begin = 0, end = 0; begin < order->size(); begin = end) {
    for (end = begin + 1; end < order->size() && spans[(*order)[end]].begin_ns == spans[(*order)[begin]].begin_ns;)
      ++end;
    for (const bool of_python : {false, true}) {
      places.clear();
      numbers.clear();
      for (size_t place = begin; end - begin > 1 && place < end; ++place) {
        const uint32_t number = (*order)[place];
        if (turn_of(number) == 0 || is_python(spans[number]) != of_python) continue;
        places.push_back(place);
        numbers.push_back(number);
      }
      std::sort(numbers.begin(), numbers.end(), [&](uint32_t a, uint32_t b) { return turn_of(a) < turn_of(b); });
      for (size_t i = 0; i < places.size(); ++i) (*order)[places[i]] = numbers[i];
    }
  }
}

}  // namespace

SpanOrder::SpanOrder(const ImportedProcess::Thread& thread)
    : spans_(static_cast<uint32_t>(thread.spans.size())), count_(spans_) {
  const auto& spans = thread.spans;
  const bool is_sorted = std::is_sorted(spans.begin(), spans.end(), is_before);
  const bool is_told = !thread.calls.empty();
  if (is_sorted && !is_told && std::none_of(spans.begin(), spans.end(), is_left_out)) return;
  numbers_.resize(spans.size());
  std::iota(numbers_.begin(), numbers_.end(), 0);
  std::erase_if(numbers_, [&](uint32_t number) { return is_left_out(spans[number]); });
  std::stable_sort(numbers_.begin(), numbers_.end(),
                   [&](uint32_t a, uint32_t b) { return is_before(spans[a], spans[b]); });
  if (is_told) sort_by_turn(thread, &numbers_);
  count_ = static_cast<uint32_t>(numbers_.size());
}

std::vector<uint32_t> SpanOrder::ids() const {
  std::vector<uint32_t> ids(spans_);
  for (uint32_t id = 1; id <= count_; ++id) ids[number_of(id)] = id;
  return ids;
}

}  // namespace xsp
