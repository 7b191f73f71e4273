#include "inject/launch/options/metric_choice.h"

#include <fmt/format.h>

#include <array>
#include <sstream>
#include <string_view>

#include "inject/counters/metric_sets.h"
#include "proto/environment.h"

namespace xsp::launch {
namespace {

constexpr const char* kHint =
    "sets: roofline, roofline-fp32, roofline-fp16, -bf16, -tf32, -fp8, -int8, -fp64, roofline-tensor; or names of "
    "CUPTI, "
    "such as dram__bytes_read.sum";
constexpr std::array<std::string_view, 11> kSets = {"roofline",      "roofline-fp32", "roofline-fp16",  "roofline-bf16",
                                                    "roofline-tf32", "roofline-fp8",  "roofline-int8",  "roofline-int4",
                                                    "roofline-fp64", "roofline-fp4",  "roofline-tensor"};

bool is_set(std::string_view word) {
  for (const std::string_view set : kSets) {
    if (set == word) return true;
  }
  return false;
}

bool can_be_a_metric(std::string_view word) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.";
  return !guest::is_metric_set(word) && word.find_first_not_of(kLetters) == std::string_view::npos;
}

}  // namespace

Status check_metric_list(const std::string& list) {
  if (list.empty()) return {"--metrics: no metric", kHint};
  if (list.back() == ',') return {"--metrics: the list ends with a comma", kHint};
  if (list.size() >= kMetricsBytes) return {"--metrics: the list is too long", kHint};
  std::istringstream words(list);
  size_t count = 0;
  for (std::string word; std::getline(words, word, ',');) {
    if (!is_set(word) && !can_be_a_metric(word)) {
      return {fmt::format("--metrics: \"{}\" is neither a set nor a metric", word), kHint};
    }
    ++count;
  }
  if (count > guest::kMostMetrics) return {fmt::format("--metrics: more than {}", guest::kMostMetrics), kHint};
  return {};
}

}  // namespace xsp::launch
