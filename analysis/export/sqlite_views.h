#pragma once

#include <span>
#include <string_view>

namespace xsp::analysis {

struct SqliteView {
  std::string_view name;
  std::string_view meaning;
  std::string_view query;
};

/// Views for common questions, over the tables of spans.
std::span<const SqliteView> sqlite_views();

}  // namespace xsp::analysis
