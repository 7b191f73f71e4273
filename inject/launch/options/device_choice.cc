#include "inject/launch/options/device_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <sstream>
#include <string_view>

#include "base/similar_words.h"
#include "inject/counters/metric_sets.h"
#include "proto/activities.h"
#include "proto/api_groups.h"
#include "proto/environment.h"

namespace xsp::launch {
namespace {

std::string api_hint() {
  return fmt::format("groups: {}, all, none; or functions: --cuda-api launch,cudaMalloc*,-cudaLaunchHostFunc",
                     fmt::join(kApiGroupNames, ", "));
}

/// A name or glob of functions. All functions of the runtime begin with "cuda", of the driver with "cu".
bool is_function(std::string_view word) {
  const bool plain = std::all_of(word.begin(), word.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '*' ||
           c == '?';
  });
  const std::string_view literal = word.substr(0, word.find_first_of("*?"));
  return plain &&
         (literal.starts_with("cu") || (literal.size() < word.size() && std::string_view("cu").starts_with(literal)));
}

bool is_group(std::string_view word) {
  return word == "all" || word == "none" ||
         std::find(std::begin(kApiGroupNames), std::end(kApiGroupNames), word) != std::end(kApiGroupNames);
}

constexpr const char* kMetricHint =
    "sets: roofline, roofline-fp32, roofline-fp16, -bf16, -tf32, -fp8, -int8, -fp64, roofline-tensor; or CUPTI's "
    "names, "
    "such as dram__bytes_read.sum";
constexpr std::array<std::string_view, 11> kSets = {"roofline",      "roofline-fp32", "roofline-fp16",  "roofline-bf16",
                                                    "roofline-tf32", "roofline-fp8",  "roofline-int8",  "roofline-int4",
                                                    "roofline-fp64", "roofline-fp4",  "roofline-tensor"};

bool is_named_set(std::string_view word) {
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

Status check_cuda_api(const std::string& list) {
  if (list.size() >= kCudaApiBytes) {
    return {fmt::format("--cuda-api: the list is longer than {} characters", kCudaApiBytes - 1),
            "a glob names many functions: cudaMemcpy*"};
  }
  std::string_view rest = list;
  while (true) {
    const size_t comma = rest.find(',');
    std::string_view word = rest.substr(0, comma);
    if (word.starts_with('-')) word.remove_prefix(1);
    if (word.empty()) return {"--cuda-api: a word of the list is empty", api_hint()};
    if (!is_group(word) && !is_function(word)) {
      std::vector<std::string> groups(std::begin(kApiGroupNames), std::end(kApiGroupNames));
      const std::string meant = nearest_word(word, groups);
      return {fmt::format("--cuda-api: {} is no group and no function of CUDA", word),
              (meant.empty() ? "" : "did you mean " + meant + "? ") + api_hint()};
    }
    if (comma == std::string_view::npos) return {};
    rest.remove_prefix(comma + 1);
  }
}

Status check_activities(const std::string& list) {
  constexpr const char* kHint =
      "--activities takes kernel, memcpy, memset, sync, memory, overhead, separated by commas";
  std::string_view unknown;
  const uint8_t bits = activities_named(list, &unknown);
  if (unknown.data() != nullptr) {
    static const std::vector<std::string> kKinds = {"kernel", "memcpy", "memset", "sync", "memory", "overhead"};
    return {fmt::format("--activities: \"{}\" is no kind of activity", unknown), choice_hint(unknown, kKinds)};
  }
  if (bits == 0) return {"--activities: the list is empty", kHint};
  return {};
}

Status check_metric_list(const std::string& list) {
  if (list.empty()) return {"--metrics: no metric", kMetricHint};
  if (list.back() == ',') return {"--metrics: the list ends with a comma", kMetricHint};
  if (list.size() >= kMetricsBytes) return {"--metrics: the list is too long", kMetricHint};
  std::istringstream words(list);
  size_t count = 0;
  for (std::string word; std::getline(words, word, ',');) {
    if (!is_named_set(word) && !can_be_a_metric(word)) {
      const std::string meant = nearest_word(word, std::vector<std::string>(kSets.begin(), kSets.end()));
      return {fmt::format("--metrics: \"{}\" is neither a set nor a metric", word),
              (meant.empty() ? "" : "did you mean " + meant + "? ") + std::string(kMetricHint)};
    }
    ++count;
  }
  if (count > guest::kMostMetrics) return {fmt::format("--metrics: more than {}", guest::kMostMetrics), kMetricHint};
  return {};
}

}  // namespace xsp::launch
