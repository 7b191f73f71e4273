#include "inject/guard/settings.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

namespace xsp::guest {
namespace {

uint8_t level_named(const char* name) {
  if (strcmp(name, "model") == 0) return 2;
  if (strcmp(name, "layer") == 0) return 3;
  if (strcmp(name, "library") == 0) return 4;
  return 6;
}

// strtol became a C23 symbol in newer glibc, which older systems lack.
uint64_t parse_number(const char* text, uint64_t most) {
  uint64_t value = 0;
  for (; *text >= '0' && *text <= '9' && value <= most / 10; ++text) {
    value = value * 10 + static_cast<uint64_t>(*text - '0');
  }
  return value;
}

uint64_t number_in_environment(const char* name, uint64_t most) {
  char text[32];
  copy_environment(name, text, sizeof text);
  return parse_number(text, most);
}

uint8_t activities_in_environment() {
  char text[128];
  copy_environment("XSP_ACTIVITIES", text, sizeof text);
  return text[0] == '\0' ? kDefaultActivities : activities_named(text, nullptr);
}

}  // namespace

void copy_environment(const char* name, char* to, size_t capacity) {
  to[0] = '\0';
  const char* value = secure_getenv(name);
  if (value == nullptr) return;
  const size_t length = strlen(value);
  if (length < capacity) memcpy(to, value, length + 1);
}

Settings read_settings() {
  Settings settings{};
  copy_environment("XSP_SOCKET", settings.socket_path, sizeof settings.socket_path);
  copy_environment("XSP_SCRATCH", settings.scratch_dir, sizeof settings.scratch_dir);
  char text[32];
  copy_environment("XSP_LEVEL", text, sizeof text);
  settings.deepest_level = level_named(text);
  copy_environment("XSP_LIBRARY_CALLS", text, sizeof text);
  settings.all_library_calls = strcmp(text, "all") == 0;
  copy_environment("XSP_ON_FULL", text, sizeof text);
  settings.on_full = strcmp(text, "block") == 0 ? OnFull::kBlock : OnFull::kDrop;
  settings.only_pid = static_cast<int>(number_in_environment("XSP_ONLY_PID", INT32_MAX / 2));
  settings.activities = activities_in_environment();
  copy_environment("XSP_CUDA_API", settings.cuda_api, sizeof settings.cuda_api);
  copy_environment("XSP_METRICS", settings.metrics, sizeof settings.metrics);
  if (settings.metrics[0] != '\0') {
    // Under replay times mean nothing; which kernels there were is told by their launches.
    settings.activities = 0;
    memcpy(settings.cuda_api, "launch", sizeof "launch");
  }
  copy_environment("XSP_RANGE", settings.range, sizeof settings.range);
  settings.begin_ns = number_in_environment("XSP_BEGIN_NS", UINT64_MAX / 4);
  settings.duration_ns = number_in_environment("XSP_DURATION_NS", UINT64_MAX / 4);
  return settings;
}

bool wanted(const Settings& settings) {
  return settings.socket_path[0] != '\0' && (settings.only_pid == 0 || settings.only_pid == getpid());
}

}  // namespace xsp::guest
