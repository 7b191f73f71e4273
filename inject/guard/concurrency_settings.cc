#include "inject/guard/concurrency_settings.h"

#include <stdlib.h>
#include <string.h>

#include "proto/environment.h"

namespace xsp::guest {
namespace {

constexpr std::string_view kPolicyWord = "apply=";

struct NumberWord {
  std::string_view name;
  uint16_t ConcurrencySettings::*number;
};
constexpr NumberWord kNumberWords[] = {{"cores=", &ConcurrencySettings::cores},
                                       {"interval=", &ConcurrencySettings::interval},
                                       {"sessions-intra=", &ConcurrencySettings::sessions_intra},
                                       {"sessions-inter=", &ConcurrencySettings::sessions_inter}};

void read_policy_word(std::string_view path, ConcurrencySettings* settings) {
  // A path that was cut would name another file.
  if (path.empty() || path.size() >= sizeof settings->policy) return;
  memcpy(settings->policy, path.data(), path.size());
  settings->policy[path.size()] = '\0';
  if (decode_percent(settings->policy)) {
    settings->mode = ConcurrencyMode::kApply;
  } else {
    settings->policy[0] = '\0';
  }
}

void read_word(std::string_view word, ConcurrencySettings* settings) {
  if (word == "measure") settings->mode = ConcurrencyMode::kMeasure;
  if (word == "record") settings->mode = ConcurrencyMode::kRecord;
  if (word == "validate") settings->validate = true;
  if (word.starts_with(kPolicyWord)) read_policy_word(word.substr(kPolicyWord.size()), settings);
  for (const NumberWord& known : kNumberWords) {
    if (word.starts_with(known.name)) settings->*known.number = thread_number(word.substr(known.name.size()));
  }
}

/// -1 for no hexadecimal digit.
int hexadecimal(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
  if (digit >= 'A' && digit <= 'F') return digit - 'A' + 10;
  return -1;
}

}  // namespace

ConcurrencySettings parse_concurrency(std::string_view words) {
  ConcurrencySettings settings{};
  while (!words.empty()) {
    const size_t blank = words.find(' ');
    read_word(words.substr(0, blank), &settings);
    if (blank == std::string_view::npos) break;
    words.remove_prefix(blank + 1);
  }
  return settings;
}

ConcurrencySettings read_concurrency() {
  const char* words = secure_getenv(variable::kConcurrency);
  return parse_concurrency(words == nullptr ? "" : words);
}

uint16_t thread_number(std::string_view digits) {
  uint32_t value = 0;
  for (const char digit : digits) {
    if (digit < '0' || digit > '9') return 0;
    value = value * 10 + static_cast<uint32_t>(digit - '0');
    if (value > kMostThreads) return 0;
  }
  return static_cast<uint16_t>(value);
}

bool decode_percent(char* text) {
  char* to = text;
  for (const char* at = text; *at != '\0'; ++at) {
    char byte = *at;
    if (byte == '%') {
      const int high = hexadecimal(at[1]);
      const int low = high < 0 ? -1 : hexadecimal(at[2]);
      if (low < 0) return false;
      byte = static_cast<char>(high * 16 + low);
      at += 2;
    }
    *to++ = byte;
  }
  *to = '\0';
  return true;
}

}  // namespace xsp::guest
