#include "analysis/study/recorded_processors.h"

#include <fmt/format.h>

#include <optional>

#include "base/processors.h"

namespace xsp::analysis {

uint32_t usable_cores_of(const wire::Processors& told) {
  if (told.cores == 0 && told.allowed == 0) return 0;
  return usable_cores({.allowed = told.allowed,
                       .cores = told.cores,
                       .quota = told.quota > 0 ? std::optional(told.quota) : std::nullopt});
}

std::string restriction_text(const wire::Processors& told) {
  std::string text;
  if (told.allowed != 0 && told.allowed < told.online)
    text = fmt::format("{} of {} processors", told.allowed, told.online);
  const uint32_t allowed = told.allowed != 0 ? told.allowed : told.online;
  if (told.quota > 0 && (allowed == 0 || told.quota < allowed)) {
    text += fmt::format("{}quota {:.4g}", text.empty() ? "" : ", ", told.quota);
  }
  return text;
}

}  // namespace xsp::analysis
