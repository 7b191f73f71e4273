#include "conditions.h"

#include <cstdlib>
#include <cstring>

namespace fake {
namespace {

constexpr uint32_t kCuda126 = 24, kCuda128 = 26, kCuda129 = 27;

}  // namespace

bool misbehaves(const char* word, uint64_t* value) {
  const char* list = getenv("FAKE_CUPTI");
  const size_t length = strlen(word);
  while (list != nullptr && *list != 0) {
    const size_t entry = strcspn(list, ",");
    if (strncmp(list, word, length) == 0 && (entry == length || list[length] == '=')) {
      if (value != nullptr && list[length] == '=') *value = strtoull(list + length + 1, nullptr, 10);
      return true;
    }
    list += entry + (list[entry] == ',');
  }
  return false;
}

uint32_t cupti_version() {
  const char* const wanted = getenv("FAKE_CUPTI_VERSION");
  return wanted != nullptr ? static_cast<uint32_t>(atoi(wanted)) : CUDA_MAJOR == 13 ? 130001 : kCuda128;
}

bool graph_ids_are_wrong(uint32_t session) { return session > 1 && cupti_version() < 130101; }
bool timestamp_callback_spoils_kernels() { return cupti_version() >= kCuda126 && cupti_version() < 130100; }
bool foreign_flush_crashes() { return cupti_version() < kCuda128; }
bool refused_buffer_is_told() { return cupti_version() >= kCuda129; }

}  // namespace fake
