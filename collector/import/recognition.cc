#include "collector/import/recognition.h"

#include <algorithm>

#include "collector/utf8.h"

namespace xsp {
namespace {

constexpr size_t kHeadBytes = size_t{64} << 10;
constexpr size_t kShownBytes = 48;

}  // namespace

const Importer* recognise_format(ProfileInput& input, std::string* why) {
  const std::string_view head = input.head(kHeadBytes);
  const Importer* surest = nullptr;
  int sureness = 0;
  for (const Importer& importer : importers()) {
    const int sure = importer.recognise(head);
    if (sure <= sureness) continue;
    surest = &importer;
    sureness = sure;
  }
  if (surest == nullptr) {
    *why = head.empty()
               ? "the input is empty"
               : "none of the formats is known to begin with \"" + printable_text(head.substr(0, kShownBytes)) + "\"";
  }
  return surest;
}

std::string format_names() {
  std::string names;
  for (const Importer& importer : importers()) names += (names.empty() ? "" : ", ") + std::string(importer.name);
  return names;
}

std::string printable_text(std::string_view text) {
  std::string shown = valid_utf8(text);
  std::replace_if(
      shown.begin(), shown.end(), [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; }, '?');
  return shown;
}

}  // namespace xsp
