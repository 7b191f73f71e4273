#include "import/cli/importers.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/text_encoding.h"

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

/// Files of tools that say by their name what they are.
constexpr std::pair<std::string_view, const char*> kExtensions[] = {
    {".nsys-rep", "a report of Nsight Systems: nsys export --type sqlite makes it one that is read"},
    {".qdrep", "a report of Nsight Systems: nsys export --type sqlite makes it one that is read"},
    {".ncu-rep", "a report of Nsight Compute, which is not read"},
};

const char* foreign_format(std::string_view path, std::string_view head) {
  // The first packet of a trace names the program that wrote it.
  if (head.starts_with('\n') && head.substr(0, 32).find("xsp-") != std::string_view::npos) {
    return "the input is a trace already: xsp-report reads it";
  }
  for (const auto& [extension, what] : kExtensions) {
    if (path.ends_with(extension)) return what;
  }
  for (const Foreign& foreign : kForeign) {
    if (head.size() > foreign.at && head.substr(foreign.at).starts_with(foreign.bytes)) return foreign.what;
  }
  return nullptr;
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
    const char* const foreign = foreign_format(input.path(), head);
    *why = foreign != nullptr ? foreign
           : head.empty()
               ? "the input is empty"
               : "none of the formats is known to begin with \"" + message_text(head.substr(0, kShownBytes)) + "\"";
  }
  return surest;
}

std::string format_names() {
  std::string names;
  for (const Importer& importer : importers()) names += (names.empty() ? "" : ", ") + std::string(importer.name);
  return names;
}

}  // namespace xsp
