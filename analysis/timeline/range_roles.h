#pragma once

#include <string>
#include <string_view>

#include "analysis/timeline/parents.h"
#include "analysis/trace/trace.h"

namespace xsp::analysis {

/// What an NVTX or ITT range stands for.
enum class RangeRole : uint8_t {
  kAnnotation,  ///< of the program: a parent, in no table of layers
  kModel,
  kLayer,
  kLibrary,
};

/// A range by the table of domains and patterns (doc/ranges.md), and what of its text is the name and the type of a
/// model, layer or call. Views of `text` or of constants.
struct RangeMeaning {
  RangeRole role = RangeRole::kAnnotation;
  std::string_view name;
  std::string_view type;
};
RangeMeaning range_meaning(std::string_view domain, std::string_view text);

/// Gives ranges the level, name and type of what they stand for. Of nested ranges that could be layers only the
/// outermost below a model or an annotation is one, and none inside a layer that another hook recorded: the inner ones
/// stay annotations. The same for library calls. To be called once, before anything is made of the levels.
void assign_range_roles(const Parents& parents, Trace* trace);

/// True for spans that NVTX or ITT recorded.
inline bool is_range(const SpanTable& spans, Row row) {
  return spans.kind[row] == Kind::kNvtxRange || spans.kind[row] == Kind::kIttTask;
}

}  // namespace xsp::analysis
