#include "inject/interpose/function_table.h"

namespace {

char* append(char* end, const char* text) {
  while (*text != '\0') *end++ = *text++;
  return end;
}

}  // namespace

uint32_t xsp_function_layout(uint32_t function, char* text) {
  char* end = text;
  for (const char* at = xsp_function_texts + xsp_functions[function].layout; *at != '\0'; ++at) {
    if (*at == XSP_LAYOUT_LIST) {
      ++at;
      end = append(end, xsp_function_texts + xsp_value_lists[*at - 1]);
    } else {
      *end++ = *at;
    }
  }
  return static_cast<uint32_t>(end - text);
}
