#pragma once

#include "analysis/tables/table.h"
#include "bound/tables/bound_subject.h"

namespace xsp::bound {

/// Says below a table where its times come from.
void add_source_notes(const BoundSubject& subject, analysis::Table* table);

/// Whether a GPU was measured: threads of the host only make the calls then.
bool is_of_gpu(const TimesSource& source);

/// "onednn 2.6.3, onednn 3.2.0, openblas 0.3.21".
std::string library_list(const std::vector<Library>& libraries);

}  // namespace xsp::bound
