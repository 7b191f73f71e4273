#include "analysis/timeline/module_shares.h"

#include <fmt/format.h>

#include <algorithm>

namespace xsp::analysis {
namespace {

constexpr double kSmallShare = 0.05;
constexpr double kFewTimesSmaller = 10;

}  // namespace

void ModuleShares::add(const Module& module, int64_t ns) {
  ns_[module] += ns;
  int64_t& of_class = by_class_[module.class_name()];
  of_class += ns;
  total_ += ns;
  largest_ = std::max(largest_, of_class);
}

ModuleShares::Module ModuleShares::main() const {
  return std::max_element(ns_.begin(), ns_.end(), [](const auto& a, const auto& b) { return a.second < b.second; })
      ->first;
}

double ModuleShares::share_of(const Module& module) const {
  const auto found = ns_.find(module);
  return found == ns_.end() || total_ == 0 ? 0 : static_cast<double>(found->second) / static_cast<double>(total_);
}

bool ModuleShares::is_part(uint32_t class_name) const {
  const auto found = by_class_.find(class_name);
  if (found == by_class_.end()) return false;
  const auto ns = static_cast<double>(found->second);
  return ns < kSmallShare * static_cast<double>(total_) && ns * kFewTimesSmaller <= static_cast<double>(largest_);
}

std::string ModuleShares::listing(const Trace& trace) const {
  constexpr size_t kMost = 4;
  std::vector<std::pair<int64_t, uint32_t>> classes;
  for (const auto& [name, ns] : by_class_) classes.emplace_back(ns, name);
  std::sort(classes.begin(), classes.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::string text;
  for (size_t i = 0; i < std::min(kMost, classes.size()); ++i) {
    const double share = total_ == 0 ? 0 : 100.0 * static_cast<double>(classes[i].first) / static_cast<double>(total_);
    text += fmt::format("{}{} {:.1f} %", i == 0 ? "" : ", ", trace.text(classes[i].second), share);
  }
  if (classes.size() > kMost) text += fmt::format(", {} more", classes.size() - kMost);
  return text;
}

}  // namespace xsp::analysis
