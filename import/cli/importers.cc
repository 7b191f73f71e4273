#include "import/cli/importers.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/file_kind.h"
#include "base/text_encoding.h"

namespace xsp {
namespace {

constexpr size_t kHeadBytes = size_t{64} << 10;
constexpr size_t kShownBytes = 48;

/// Why no importer knows an input, and what to do with it.
Status unknown_format(const std::string& path, std::string_view head) {
  if (head.empty()) return {path + " is empty", "write the profile again: its tool may have been ended too early"};
  FileKind kind = file_kind(path, head);
  if (head.starts_with("\x1f\x8b") || head.starts_with("\x28\xb5\x2f\xfd")) {
    return {path + " was compressed twice", "unpack it once: gzip -d or zstd -d"};
  }
  if (kind.importable || kind.name == "text" || kind.name.empty()) {
    std::string begin = " is in no format that xsp-import knows: it begins with '";
    begin.append(message_text(head.substr(0, kShownBytes))).append("'");
    return {path + begin, "if it is a profile, name its format: --from FORMAT, one of " + format_names()};
  }
  std::string hint = kind.hint.empty() ? "xsp-import --help lists the formats that it reads" : kind.hint;
  if (kind.runnable) hint = "to record it: " + kind.hint;
  return {path + " is " + kind.name + ", which xsp-import does not read", hint};
}

}  // namespace

std::span<const Importer> importers() {
  static const std::vector<Importer> all = {
      // In the order of the help.
      kKinetoImporter, kNsightSystemsImporter, kNvprofImporter, kOnnxRuntimeImporter, kStepStatsImporter,
      kXplaneImporter, kMxnetImporter,         kJaegerImporter, kOtlpImporter,
  };
  return all;
}

const Importer* recognise_format(ProfileInput& input, Status* why) {
  const std::string_view head = input.head(kHeadBytes);
  const Importer* surest = nullptr;
  int sureness = 0;
  for (const Importer& importer : importers()) {
    const int sure = importer.recognise(head);
    if (sure <= sureness) continue;
    surest = &importer;
    sureness = sure;
  }
  if (surest == nullptr) *why = unknown_format(input.path(), head);
  return surest;
}

std::string format_names() {
  std::string names;
  for (const Importer& importer : importers()) names += (names.empty() ? "" : ", ") + std::string(importer.name);
  return names;
}

}  // namespace xsp
