#pragma once

#include <cstdint>
#include <vector>

#include "proto/pbf.h"

namespace xsp {

/// Calls `take(row, value)` for each value of a packed column; an empty column is all zeros. False if there are not as
/// many as rows. Throws protozero::exception on a broken varint.
template <typename Row, typename Take>
bool read_column(protozero::data_view column, std::vector<Row>& rows, Take&& take) {
  if (column.size() == 0) return true;
  const char* at = column.data();
  const char* const end = at + column.size();
  for (Row& row : rows) {
    if (at == end) return false;
    take(row, protozero::decode_varint(&at, end));
  }
  return at == end;
}

}  // namespace xsp
