#include "analysis/cli/side_files.h"

#include <filesystem>
#include <memory>
#include <utility>

#include "analysis/concurrency/given_curves.h"
#include "analysis/concurrency/node_graph.h"
#include "base/same_file.h"

namespace xsp::analysis {

Status read_side_files(Options* options) {
  ConcurrencyOptions& concurrency = options->study.concurrency;
  if (!options->graph.empty()) {
    NodeGraph graph;
    if (Status status = read_node_graph(options->graph, &graph); !status.ok()) return status;
    concurrency.graph = std::make_shared<const NodeGraph>(std::move(graph));
    concurrency.graph_file = std::filesystem::path(options->graph).filename().string();
  }
  if (!options->curves.empty()) {
    GivenCurves curves;
    if (Status status = read_curves(options->curves, &curves); !status.ok()) return status;
    concurrency.curves = std::make_shared<const GivenCurves>(std::move(curves));
  }
  return {};
}

Status check_side_files(const Options& options, const std::string& what, const std::string& path) {
  for (const auto& [kind, side] : {std::pair("the bounds", &options.bounds), std::pair("the graph", &options.graph),
                                   std::pair("the curves", &options.curves)}) {
    if (side->empty() || path == "-" || !is_same_file(path, *side)) continue;
    return {what + " would replace " + kind + " " + *side, "name another file: -o FILE"};
  }
  return {};
}

}  // namespace xsp::analysis
