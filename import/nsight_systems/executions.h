#pragma once

#include <map>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "import/nsight_systems/export.h"

namespace xsp::nsight_systems {

/// What devices did: the tables of CUPTI's activities. Read after the calls of the host, so that rows of very old
/// exports, which name no process, find the only one.
class Executions {
 public:
  explicit Executions(Export& exported) : exported_(exported) {}

  Status read();

 private:
  using Context = std::pair<const ImportedProcess*, uint32_t>;

  Status read_kernels();
  void read_memory_kinds();
  void read_copies();
  void read_sets();
  void read_graphs();
  void read_synchronizations();
  void read_memory();
  void read_overhead(std::string_view table);

  /// The next row of an activity with times, filled in except for its kind and kind-specific columns; null: there is
  /// none.
  ExportedProcess* next(Rows& rows, std::string_view what, bool knows_device, ImportedExecution* execution);
  /// Device, context and stream, from the columns starting at `first`. Rows that know their device reveal on which
  /// device that context is.
  ActivityQueue place(ExportedProcess& process, const Rows& rows, int first, bool knows_device);
  /// "Pinned" for a column with a kind of memory; empty if the export lacks it.
  std::string_view memory_kind(const Rows& rows, int column) const;
  void add_node(ImportedExecution* execution, const ExportedProcess& process, const Rows& rows, int node, int graph);

  Export& exported_;
  std::map<Context, uint32_t> device_of_context_;
  std::map<int64_t, std::string> memory_kinds_;  // the labels of ENUM_CUDA_MEM_KIND
  /// Launches of graphs whose nodes are reported individually: process and correlation id.
  std::unordered_set<uint64_t, SeededHash> launches_of_nodes_;
};

}  // namespace xsp::nsight_systems
