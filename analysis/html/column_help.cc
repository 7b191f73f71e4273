#include "analysis/html/column_help.h"

namespace xsp::analysis {

std::string about(const ColumnFacts& facts) {
  std::string text(facts.meaning);
  if (!facts.formula.empty()) text.append("; ").append(facts.formula);
  if (!facts.source.empty()) text.append(" (").append(facts.source).append(")");
  return text;
}

}  // namespace xsp::analysis
