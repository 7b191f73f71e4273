#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "proto/pbf.h"
#include "proto/span_columns.h"

namespace xsp {

/// A decoded SpanBatch. The rows' times are those of the batch, not converted.
struct SpanColumns {
  BatchHead head;
  std::vector<SpanRow> rows;
};

/// Decodes the bytes of a SpanBatch: the reverse of write_span_columns(). Refuses columns of unequal length, too many
/// spans, and times that overflow; memory grows with the bytes present, not with the count they claim. Pass the same
/// `columns` repeatedly to reuse its memory. Throws protozero::exception on broken protobuf.
Status read_span_columns(protozero::data_view bytes, SpanColumns* columns);

}  // namespace xsp
