#include "inject/launch/concurrency/policy.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/quantity_text.h"
#include "inject/launch/run/concurrency_words.h"
#include "proto/report_columns.h"

namespace xsp::launch {
namespace {

using Json = nlohmann::json;
namespace columns = report_columns::thread_advice;

constexpr uint64_t kMostThreads = 4096;
constexpr size_t kShownTypes = 3;

/// 0 for what is no number of threads.
uint32_t threads_in(const Json& value) {
  if (!value.is_number_unsigned()) return 0;
  const auto number = value.get<uint64_t>();
  return number <= kMostThreads ? static_cast<uint32_t>(number) : 0;
}

}  // namespace

Policy policy_of(const ReportTable& advice) {
  Policy policy;
  policy.own = threads_in(advice.beside(columns::kOwn));
  const Json chosen = advice.extra(columns::kPolicy);
  if (!chosen.is_object()) return policy;
  const Json rule = chosen.value(columns::kRule, Json());
  if (rule == Json(columns::kOfWholeRun)) policy.whole = threads_in(chosen.value(columns::kPolicyThreads, Json()));
  const Json types = advice.extra(columns::kPolicyTypes);
  if (rule != Json(columns::kOfType) || !types.is_object()) return policy;
  for (const auto& [type, threads] : types.items()) {
    if (threads_in(threads) != 0 && !type.empty()) policy.types.emplace_back(type, threads_in(threads));
  }
  return policy;
}

std::string policy_text(const Policy& policy) {
  std::string text = "xsp-threads\t1\n";
  if (policy.own != 0) text += fmt::format("own\t{}\n", policy.own);
  text += fmt::format("whole\t{}\n", policy.whole);
  for (const auto& [type, threads] : policy.types) {
    text += fmt::format("type\t{}\t{}\n", percent_encoded(type, false), threads);
  }
  return text;
}

std::string text_of(const Policy& policy) {
  if (policy.whole != 0) return fmt::format("{} to the whole model", plural(policy.whole, "thread"));
  std::vector<std::string> parts;
  for (size_t i = 0; i < std::min(policy.types.size(), kShownTypes); ++i) {
    parts.push_back(fmt::format("{} to {}", plural(policy.types[i].second, "thread"), policy.types[i].first));
  }
  if (policy.types.size() > kShownTypes) {
    parts.push_back(fmt::format("and so on to {}", plural(policy.types.size() - kShownTypes, "further type")));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace xsp::launch
