#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "proto/pbf.h"

namespace xsp {

/// A TagBatch or an ArgumentBatch: a thread, a ring, and three columns of varints that have a row for each tag or call.
struct BatchColumns {
  uint32_t thread = 0;
  uint32_t ring = 0;
  std::string_view columns[3];  ///< what is left of them
  std::string_view values;      ///< of an ArgumentBatch

  /// Takes the next row. False where a column has ended. Throws protozero::exception on a broken varint.
  bool next(uint64_t (&row)[3]);
  /// Whether all columns have ended, as those of equal length have when next() returns false.
  bool is_at_end() const;
};

/// Finds the columns; they lie in `bytes`. Throws protozero::exception on broken protobuf.
BatchColumns read_batch_columns(protozero::data_view bytes);

}  // namespace xsp
