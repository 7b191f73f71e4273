#include "inject/counters/metric_sets.h"

#include <string.h>

namespace xsp::guest {
namespace {

constexpr size_t kMostSets = 12;

struct MetricSet {
  const char* name;
  uint8_t passes;
  const char* metrics;  // separated by blanks, in addition to those of every set
};

struct ChipMetrics {
  const char* chips;  // separated by blanks
  const char* metrics_of_every_set;
  MetricSet sets[kMostSets];
};

constexpr ChipMetrics kTable[] = {
#include "inject/counters/metric_table.inc"
};

template <typename Visit>
bool each_word(std::string_view text, char separator, Visit&& visit) {
  while (!text.empty()) {
    const size_t end = text.find(separator);
    const std::string_view word = text.substr(0, end);
    if (!word.empty() && !visit(word)) return false;
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return true;
}

const ChipMetrics* metrics_of(std::string_view chip) {
  for (const ChipMetrics& row : kTable) {
    const bool has_it = !each_word(row.chips, ' ', [&](std::string_view name) { return name != chip; });
    if (has_it) return &row;
  }
  return nullptr;
}

const MetricSet* set_named(const ChipMetrics& chip, std::string_view name) {
  for (const MetricSet& set : chip.sets) {
    if (set.name != nullptr && name == set.name) return &set;
  }
  return nullptr;
}

}  // namespace

bool ChosenMetrics::add(std::string_view name) {
  for (size_t i = 0; i < count_; ++i) {
    if (name == names_[i]) return true;
  }
  if (count_ == kMostMetrics || used_ + name.size() + 1 > sizeof text_) return false;
  char* text = text_ + used_;
  memcpy(text, name.data(), name.size());
  text[name.size()] = '\0';
  used_ += name.size() + 1;
  names_[count_++] = text;
  return true;
}

void ChosenMetrics::remove(size_t index) {
  --count_;
  for (size_t i = index; i < count_; ++i) names_[i] = names_[i + 1];
}

bool is_metric_set(std::string_view word) { return word.find("__") == std::string_view::npos; }

bool choose_metrics(std::string_view list, std::string_view chip, ChosenMetrics* metrics, FixedText<512>* what_not) {
  const ChipMetrics* of_chip = metrics_of(chip);
  const auto add = [&](std::string_view name) {
    if (metrics->add(name)) return true;
    what_not->put("more than ").put_number(kMostMetrics).put(" metrics");
    return false;
  };
  return each_word(list, ',', [&](std::string_view word) {
    if (!is_metric_set(word)) return add(word);
    const MetricSet* set = of_chip == nullptr ? nullptr : set_named(*of_chip, word);
    if (set == nullptr) {
      what_not->put(word).put(" is not known for the chip ").put(chip);
      return false;
    }
    return each_word(of_chip->metrics_of_every_set, ' ', add) && each_word(set->metrics, ' ', add);
  });
}

}  // namespace xsp::guest
