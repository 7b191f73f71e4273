#pragma once

#include "bound/database/connection.h"
#include "bound/database/statement.h"

namespace xsp::bound {

/// What a look-up asks for each problem, prepared once.
struct LookUpStatements {
  explicit LookUpStatements(Connection& connection);

  Statement has;
  Statement find;
};

}  // namespace xsp::bound
