#include "collector/import/recognition.h"

#include <algorithm>

#include "collector/utf8.h"

namespace xsp {
namespace {

constexpr size_t kHeadBytes = size_t{64} << 10;
constexpr size_t kShownBytes = 48;
constexpr size_t kTarMark = 257;

/// What is no profile that can be read, but can be made one.
struct Foreign {
  size_t at;
  std::string_view bytes;
  const char* what;
};

constexpr Foreign kForeign[] = {
    {0, "\xff\xfe", "the input is text in UTF-16: iconv -f UTF-16 -t UTF-8 makes it one that is read"},
    {0, "\xfe\xff", "the input is text in UTF-16: iconv -f UTF-16 -t UTF-8 makes it one that is read"},
    {0, "\x1f\x8b", "the input was compressed twice: unpack it once"},
    {0, "\x28\xb5\x2f\xfd", "the input was compressed twice: unpack it once"},
    {0,
     "\xfd"
     "7zXZ",
     "the input is an xz file: only gzip and zstd are unpacked here"},
    {0, "BZh", "the input is a bzip2 file: only gzip and zstd are unpacked here"},
    {0, "PK\x03\x04", "the input is a zip archive: unpack the profiles in it"},
    {kTarMark, "ustar", "the input is a tar archive: unpack the profiles in it"},
};

const char* foreign_format(std::string_view head) {
  for (const Foreign& foreign : kForeign) {
    if (head.size() > foreign.at && head.substr(foreign.at).starts_with(foreign.bytes)) return foreign.what;
  }
  return nullptr;
}

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
    const char* const foreign = foreign_format(head);
    *why = foreign != nullptr ? foreign
           : head.empty()
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
