#include "analysis/html/needed_data.h"

#include <algorithm>
#include <array>

#include "analysis/tables/registry.h"

namespace xsp::analysis {
namespace {

struct Need {
  std::string_view level;  // of TableFacts, the last of several
  std::string_view what;
};

constexpr std::array kNeeds = {
    Need{"M", "calls of a model, which xsp-run -- COMMAND records"},
    Need{"L", "layers, which xsp-run -- COMMAND records"},
    Need{"C", "calls into compute libraries, which xsp-run -- COMMAND records"},
    Need{"G", "kernels of a GPU, which xsp-run -- COMMAND records where there is one"},
    Need{"G+metrics",
         "kernels of a GPU whose flops and bytes are known: xsp-run --metrics roofline -- COMMAND counts them"},
    Need{"a leveled set", "runs at several levels, which xsp-run --leveled -- COMMAND makes"},
};

}  // namespace

std::string needed_data(std::string_view table) {
  const TableDefinition* definition = table_definition(table);
  if (definition == nullptr) return {};
  std::string_view level = definition->level;
  if (const size_t comma = level.rfind(", "); comma != std::string_view::npos) level.remove_prefix(comma + 2);
  const auto need = std::find_if(kNeeds.begin(), kNeeds.end(), [&](const Need& known) { return known.level == level; });
  return need == kNeeds.end() ? "" : std::string(need->what);
}

}  // namespace xsp::analysis
