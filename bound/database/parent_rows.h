#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "bound/database/connection.h"
#include "bound/database/statement.h"
#include "bound/records/measurement.h"

namespace xsp::bound {

/// What measurements refer to: their ids, with rows made where there are none. Nothing: see failure(). Within a
/// transaction.
class ParentRows {
 public:
  /// What a row that is there already says otherwise gives way to what is known now; else it stays.
  enum class Known { kReplaced, kKept };

  ParentRows(Connection& connection, Known known);

  std::optional<int64_t> system(std::string_view key, const SystemFacts& facts);
  std::optional<int64_t> library(std::string_view name, std::string_view version, std::string_view build);
  std::optional<int64_t> problem(std::string_view key, double flops, double bytes);

  /// SQLite's code of what failed last.
  int failure() const { return failure_; }

 private:
  std::optional<int64_t> id_of(Statement& insert, Statement& select);

  Statement insert_system_;
  Statement select_system_;
  Statement insert_library_;
  Statement select_library_;
  Statement insert_problem_;
  Statement select_problem_;
  int failure_ = 0;
};

}  // namespace xsp::bound
