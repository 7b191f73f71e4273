#include "analysis/figures/roofline_paths.h"

#include <algorithm>
#include <map>
#include <string>

#include "analysis/tables/kernels_by_model.h"
#include "analysis/tables/table_cells.h"
#include "analysis/timeline/evaluations.h"

namespace xsp::analysis {
namespace {

using Path = std::vector<std::pair<double, size_t>>;  // batch size, row
using Paths = std::map<std::vector<std::string>, Path>;

bool has_repeated_batch(const Path& path) {
  return std::adjacent_find(path.begin(), path.end(),
                            [](const auto& a, const auto& b) { return a.first == b.first; }) != path.end();
}

Paths paths_by(const Table& table, const std::vector<RooflineRow>& rows, bool by_process) {
  const TableCells cells(table);
  Paths paths;
  for (const RooflineRow& row : rows) {
    const auto batch = cells.number(row.row, kA15.batch_size);
    if (row.undrawn != Undrawn::kNot || !batch) continue;
    std::vector<std::string> key = {cells.words(row.row, kA15.model),
                                    shapes_of_any_batch(cells.words(row.row, kA15.input)),
                                    cells.words(row.row, kA15.gpu)};
    if (by_process) key.push_back(cells.words(row.row, kA15.process));
    paths[key].emplace_back(*batch, row.row);
  }
  for (auto& [key, path] : paths) std::sort(path.begin(), path.end());
  return paths;
}

}  // namespace

std::vector<std::vector<size_t>> batch_paths(const Table& table, const std::vector<RooflineRow>& rows) {
  // Each run of a sweep is a process; runs with the same batch sizes are told apart by their process.
  Paths paths = paths_by(table, rows, false);
  const auto is_repeated = [](const auto& entry) { return has_repeated_batch(entry.second); };
  if (std::any_of(paths.begin(), paths.end(), is_repeated)) paths = paths_by(table, rows, true);
  std::vector<std::vector<size_t>> found;
  for (const auto& [key, path] : paths) {
    if (path.size() < 2 || has_repeated_batch(path)) continue;
    auto& places = found.emplace_back();
    for (const auto& [batch, row] : path) places.push_back(row);
  }
  return found;
}

}  // namespace xsp::analysis
