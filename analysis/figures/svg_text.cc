#include "analysis/figures/svg_text.h"

#include "base/text_encoding.h"

namespace xsp::analysis {

std::string svg_text(std::string_view text) {
  std::string escaped;
  for (const char c : valid_utf8(text)) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\'':
        escaped += "&#39;";
        break;
      default:
        if ((static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') || c == 0x7f) {
          escaped += "\xef\xbf\xbd";
        } else {
          escaped += c;
        }
    }
  }
  return escaped;
}

}  // namespace xsp::analysis
