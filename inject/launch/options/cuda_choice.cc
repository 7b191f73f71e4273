#include "inject/launch/options/cuda_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

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
      return {fmt::format("--cuda-api: {} is no group and no function of CUDA", word), api_hint()};
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
  if (unknown.data() != nullptr) return {fmt::format("--activities: \"{}\" is no kind of activity", unknown), kHint};
  if (bits == 0) return {"--activities: the list is empty", kHint};
  return {};
}

}  // namespace xsp::launch
