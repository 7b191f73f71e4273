#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analysis/export/exported_spans.h"

namespace xsp::analysis {

/// The texts of a sequence of Perfetto's packets, each written once: what is asked for the first time goes into
/// added(), which the next packet carries.
class PerfettoTexts {
 public:
  /// `keys`: names of annotations that are always there, with the iids 1, 2, …; categories are levels.
  PerfettoTexts(ExportedSpans* spans, std::vector<std::string_view> keys);

  /// InternedData with what no packet has carried yet.
  const std::string& added() const { return added_; }
  void clear_added() { added_.clear(); }

  static uint64_t category(Level level) { return static_cast<uint64_t>(level) + 1; }
  /// The iid of a span's name; a mangled name that kernels and calls share has one iid for each.
  uint64_t name(Row row, Kind kind);
  /// Of an annotation's text: a string of the trace, or one made of others.
  uint64_t text(uint32_t id);
  uint64_t text(std::string_view derived);
  /// For the name of an argument, which is one of the functions' own.
  uint64_t argument(std::string_view name);

 private:
  /// Looked up without a copy.
  struct TextHash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  using Iids = std::unordered_map<std::string, uint64_t, TextHash, std::equal_to<>>;
  enum Written : uint8_t { kAsName = 1, kAsKernel = 2, kAsText = 4 };

  ExportedSpans& spans_;
  size_t keys_ = 0;
  std::vector<uint8_t> written_;  // by string id: flags of Written
  Iids derived_;
  Iids arguments_;
  std::string added_;
};

}  // namespace xsp::analysis
