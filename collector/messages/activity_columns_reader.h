#pragma once

#include <vector>

#include "base/status.h"
#include "proto/activity_columns.h"
#include "proto/pbf.h"

namespace xsp {

/// A decoded ActivityBatch. The rows' times are those of the batch, not converted; their `queue` is an index into
/// `queues`, which is never empty.
struct ActivityColumns {
  BatchHead head;
  std::vector<ActivityQueue> queues;
  std::vector<ActivityRow> rows;
};

/// Decodes the bytes of an ActivityBatch: the reverse of write_activity_columns(), with the limits and the memory reuse
/// of read_span_columns(). Throws protozero::exception on broken protobuf.
Status read_activity_columns(protozero::data_view bytes, ActivityColumns* columns);

}  // namespace xsp
