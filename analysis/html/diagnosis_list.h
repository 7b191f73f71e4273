#pragma once

#include "analysis/export/byte_sink.h"
#include "analysis/tables/table.h"

namespace xsp::analysis {

/// What D4 found as a list with its evidence and what to do; nothing of a table that is not D4, or that found nothing.
void write_diagnosis_list(const Table& table, ByteSink* sink);

}  // namespace xsp::analysis
