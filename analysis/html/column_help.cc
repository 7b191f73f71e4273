#include "analysis/html/column_help.h"

namespace xsp::analysis {

std::string about(const ColumnReference& reference) {
  std::string text(reference.meaning);
  if (!reference.formula.empty()) text.append("; ").append(reference.formula);
  if (!reference.source.empty()) text.append(" (").append(reference.source).append(")");
  return text;
}

}  // namespace xsp::analysis
