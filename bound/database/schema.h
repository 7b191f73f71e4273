#pragma once

#include <cstdint>

#include "base/status.h"

namespace xsp::bound {

class Connection;

/// `PRAGMA application_id` of our files: "XSPb".
inline constexpr int32_t kApplicationId = 0x58535062;

/// Makes the tables of an empty database, in one transaction. One that another process has filled meanwhile stays as it
/// is.
Status create_schema(Connection& connection);

/// An error (exit code 3): a later version, or tables and indices that are not exactly those of this one. Tables that
/// others added are ignored.
Status check_schema(Connection& connection);

}  // namespace xsp::bound
