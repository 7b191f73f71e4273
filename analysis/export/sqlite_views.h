#pragma once

#include <span>
#include <string>
#include <string_view>

namespace xsp::analysis {

struct SqliteView {
  std::string_view name;
  std::string_view meaning;
  std::string_view query;  // {spans} and {kernels} stand for the columns of their attributes
};

/// Views for common questions, over the tables of spans.
std::span<const SqliteView> sqlite_views();

/// The query of a view as SQL.
std::string sqlite_query(const SqliteView& view);

}  // namespace xsp::analysis
