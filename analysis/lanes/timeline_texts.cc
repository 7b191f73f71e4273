#include "analysis/lanes/timeline_texts.h"

#include <nlohmann/json.hpp>

#include "base/text_encoding.h"

namespace xsp::analysis {

int64_t TimelineTexts::number(uint32_t id, bool kernel, std::string_view otherwise) {
  const uint64_t key = uint64_t{id} << 1 | (kernel ? 1 : 0);
  const auto [found, added] = numbers_.try_emplace(key, static_cast<uint32_t>(numbers_.size()));
  if (!added) return found->second;
  std::string text(kernel ? std::string_view(kernel_names_.text(id)) : trace_.text(id));
  if (text.empty()) text = otherwise;
  if (text.size() > kCutBytes && elements_.size() + text.size() > kMostBytes) {
    text.resize(kCutBytes);
    text += "…";
    ++cut_;
  }
  if (!elements_.empty()) elements_ += ',';
  elements_ += nlohmann::json(valid_utf8(text)).dump();
  return found->second;
}

}  // namespace xsp::analysis
