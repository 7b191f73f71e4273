#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "bound/records/work_item.h"

namespace xsp::bound {

/// Reads a work list. Errors (exit code 3) name the line.
Status read_work_list(const std::string& path, std::vector<WorkItem>* items);

/// A work list as text.
std::string work_list_text(const std::vector<WorkItem>& items);

}  // namespace xsp::bound
