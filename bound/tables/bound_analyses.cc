#include "bound/tables/bound_analyses.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "base/similar_words.h"
#include "bound/tables/bound_tables.h"
#include "bound/tables/groups_table.h"
#include "bound/tables/implementation_table.h"
#include "bound/tables/inefficiency_table.h"
#include "bound/tables/measured_layers_table.h"
#include "bound/tables/what_if_table.h"

namespace xsp::bound {
namespace {

constexpr std::array kAnalyses = {
    BoundAnalysis{&kB1, layers_table},
    BoundAnalysis{&kB1Problems, problems_table},
    BoundAnalysis{&kB2, coverage_table},
    BoundAnalysis{&kB3, sequential_table},
    BoundAnalysis{&kB3Layers, measured_layers_table},
    BoundAnalysis{&kB3Groups, groups_table},
    BoundAnalysis{&kB4, parallel_table},
    BoundAnalysis{&kB5, implementation_table, false},
    BoundAnalysis{&kB6, inefficiency_table, false},
    BoundAnalysis{&kB7, what_if_table},
};

std::string in_capitals(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::toupper(c); });
  return text;
}

}  // namespace

std::span<const BoundAnalysis> bound_analyses() { return kAnalyses; }

Status choose_bound_analyses(const std::vector<std::string>& ids, std::vector<const BoundAnalysis*>* chosen) {
  const auto add = [&](const BoundAnalysis& analysis) {
    if (std::find(chosen->begin(), chosen->end(), &analysis) == chosen->end()) chosen->push_back(&analysis);
  };
  for (const std::string& id : ids.empty() ? std::vector<std::string>{"all"} : ids) {
    const std::string wanted = in_capitals(id);
    const auto found = std::find_if(kAnalyses.begin(), kAnalyses.end(), [&](const BoundAnalysis& known) {
      return in_capitals(std::string(known.definition->id)) == wanted;
    });
    if (wanted == "ALL") {
      for (const BoundAnalysis& analysis : kAnalyses) add(analysis);
    } else if (found != kAnalyses.end()) {
      add(*found);
    } else {
      std::vector<std::string> known;
      for (const BoundAnalysis& analysis : kAnalyses) known.emplace_back(analysis.definition->id);
      return {"unknown table '" + id + "'", choice_hint(id, known, "all")};
    }
  }
  return {};
}

}  // namespace xsp::bound
