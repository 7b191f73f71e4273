#include "inject/launch/run/concurrency_words.h"

#include <fmt/format.h>

namespace xsp::launch {

std::string percent_encoded(const std::string& text, bool with_blanks) {
  std::string encoded;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f || c == '%' || (with_blanks && c == ' ')) {
      encoded += fmt::format("%{:02X}", byte);
    } else {
      encoded += c;
    }
  }
  return encoded;
}

std::string concurrency_words(const Options& options, const std::string& policy) {
  std::string words;
  if (options.concurrency == Concurrency::kMeasure) {
    words = "measure";
  } else if (options.concurrency == Concurrency::kApply && !policy.empty()) {
    words = "apply=" + percent_encoded(policy, true);
  } else {
    return {};
  }
  if (options.usable_cores != 0) words += fmt::format(" cores={}", options.usable_cores);
  if (options.concurrency == Concurrency::kApply) return words;
  if (options.interval != 0) words += fmt::format(" interval={}", options.interval);
  if (options.validate) words += " validate";
  return words;
}

std::string record_words(const SessionThreads& sessions) {
  std::string words = "record";
  if (sessions.intra != 0) words += fmt::format(" sessions-intra={}", sessions.intra);
  if (sessions.inter != 0) words += fmt::format(" sessions-inter={}", sessions.inter);
  return words;
}

}  // namespace xsp::launch
