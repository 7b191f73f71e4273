#pragma once

#include <deque>
#include <string>
#include <vector>

#include "base/status.h"
#include "bound/cli/bound_options.h"
#include "bound/model/layer.h"
#include "bound/records/work_item.h"

namespace xsp::bound {

/// Takes the models apart, each once for every --dtype. Errors have the exit code.
Status read_models(const BoundOptions& options, std::deque<LayeredModel>* models);

/// The problems of the models that have work, once each.
std::vector<WorkItem> work_items(const std::deque<LayeredModel>& models);

/// Reads a work list. Errors (exit code 3) name the line.
Status read_work_list(const std::string& path, std::vector<WorkItem>* items);

/// A work list as text.
std::string work_list_text(const std::vector<WorkItem>& items);

}  // namespace xsp::bound
