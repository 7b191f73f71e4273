#pragma once

#include <functional>

#include "fields.h"
#include "recording.h"

namespace fake {

/// The bytes of a record written by name, `record kernel correlation=7 start=1ms end=2ms`, as that version of CUPTI
/// lays it out. Times are the recording's and become CUPTI's by `cupti_clock`, but 0 stays 0. `cut=N`: only N bytes of
/// the record lie in its buffer. A number that is not one of CUPTI's kinds makes a record that CUPTI cannot walk over;
/// `size=N` is its size.
RecordedActivity symbolic_record(const Fields& fields, uint32_t version,
                                 const std::function<uint64_t(uint64_t)>& cupti_clock);

}  // namespace fake
