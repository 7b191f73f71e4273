#include <string.h>

#include "inject/library/function_table.h"

uint32_t xsp_function_layout(uint32_t function, char* text) {
  char* end = text;
  for (const char* at = xsp_function_texts + xsp_functions[function].layout; *at != '\0'; ++at) {
    if (*at != XSP_LAYOUT_LIST) {
      *end++ = *at;
      continue;
    }
    ++at;
    const char* values = xsp_function_texts + xsp_value_lists[*at - 1];
    const size_t length = strlen(values);
    memcpy(end, values, length);
    end += length;
  }
  return static_cast<uint32_t>(end - text);
}
