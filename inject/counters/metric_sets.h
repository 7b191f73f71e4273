#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "inject/guard/fixed_text.h"

namespace xsp::guest {

/// Which of CUPTI's metrics a --metrics list selects on a chip. xsp-run also uses it to announce them.

inline constexpr size_t kMostMetrics = 96;

/// The chosen names, each once, in order. Not copyable: the names point into the object's own text.
class ChosenMetrics {
 public:
  ChosenMetrics() = default;
  ChosenMetrics(const ChosenMetrics&) = delete;
  ChosenMetrics& operator=(const ChosenMetrics&) = delete;

  /// False when there is no room.
  bool add(std::string_view name);
  void remove(size_t index);

  const char* const* names() const { return names_; }
  const char* name(size_t index) const { return names_[index]; }
  size_t count() const { return count_; }

 private:
  const char* names_[kMostMetrics] = {};
  size_t count_ = 0;
  char text_[kMostMetrics * 80] = {};
  size_t used_ = 0;
};

/// Adds what the words of `list` mean on the chip: sets ("roofline", "roofline-bf16") and names of metrics, separated
/// by commas. False when a word is a set that the chip does not have, or there are too many; `what_not` says which.
bool choose_metrics(std::string_view list, std::string_view chip, ChosenMetrics* metrics, FixedText<512>* what_not);

/// Whether a word is meant as a set: every metric of CUPTI has two underscores in its name.
bool is_metric_set(std::string_view word);

}  // namespace xsp::guest
