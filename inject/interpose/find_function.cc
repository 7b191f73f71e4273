#include <string.h>

#include "inject/interpose/function_table.h"

#pragma GCC visibility push(hidden)
extern "C" {
extern const uint32_t xsp_name_slot_mask;
extern const uint16_t xsp_name_slots[];
}
#pragma GCC visibility pop

/// FNV-1a over the name, as generate.py lays the slots out; open addressing, at most half full.
uint32_t xsp_find_function(const char* name) {
  uint32_t hash = 0x811c9dc5;
  for (const char* at = name; *at != '\0'; ++at) hash = (hash ^ static_cast<uint8_t>(*at)) * 0x01000193;
  for (uint32_t at = hash & xsp_name_slot_mask;; at = (at + 1) & xsp_name_slot_mask) {
    const uint32_t index = xsp_name_slots[at];
    if (index == 0) return XSP_NO_FUNCTION;
    if (strcmp(xsp_function_name(index - 1), name) == 0) return index - 1;
  }
}
