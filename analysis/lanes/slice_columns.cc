#include "analysis/lanes/slice_columns.h"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace xsp::analysis {

void SliceColumns::add_lane(const Lane& lane, uint32_t index, int64_t begin) {
  for (uint32_t row = slices_.first_row[index]; row < slices_.first_row[index + 1]; ++row) {
    int64_t last = begin;
    for (size_t slice = slices_.first_of_row[row]; slice < slices_.first_of_row[row + 1]; ++slice) {
      add(lane, static_cast<uint32_t>(slice), last);
      last = analysed_.trace.spans.end[slices_.row[slice]];
    }
  }
}

void SliceColumns::add(const Lane& lane, uint32_t slice, int64_t last) {
  const SpanTable& spans = analysed_.trace.spans;
  const Row row = slices_.row[slice];
  gap_.add(spans.begin[row] - last);
  duration_.add(spans.duration(row));
  const bool is_kernel = spans.kind[row] == Kind::kKernel;
  name_.add(is_kernel ? texts_->of_kernel(spans.name[row]) : texts_->of(analysed_.trace.layer_name(row)));
  kind_.add(static_cast<int64_t>(spans.kind[row]));
  const bool is_call = lane.kind == LaneKind::kLibrary || lane.kind == LaneKind::kRuntime;
  detail_.add(texts_->of(is_call ? spans.type[row] : spans.shape[row]));
  type_.add(lane.kind == LaneKind::kLayer ? texts_->of_type(spans.type[row]) : NumberColumn::kNone);
  const SliceFacets& facets = facets_[slice];
  layer_.add_index(facets.layer);
  execution_.add_index(facets.execution);
  call_.add_index(facets.call);
  evaluation_.add_index(facets.evaluation);
  add_parent(slice);
}

void SliceColumns::add_parent(uint32_t slice) {
  const SpanTable& spans = analysed_.trace.spans;
  const Row row = slices_.row[slice];
  const uint32_t parent = parent_of(row);
  parent_.add(parent == kNoFacet ? 0 : int64_t{slice} - parent);
  const Row launch = analysed_.parents.of[row];
  if (spans.level[row] != Level::kDevice || launch == kNoRow || parent != kNoFacet) return;
  launched_.add(int64_t{slice} - last_launched_);
  launched_ns_.add(spans.begin[row] - spans.begin[launch]);
  last_launched_ = slice;
}

/// The innermost span around one that is drawn singly; of an execution its launch, or nothing.
uint32_t SliceColumns::parent_of(Row row) const {
  const bool of_device = analysed_.trace.spans.level[row] == Level::kDevice;
  Row parent = analysed_.parents.of[row];
  for (int depth = 0; !of_device && parent != kNoRow && !slices_.is_drawn[parent] && depth < kMaxDepth; ++depth) {
    parent = analysed_.parents.of[parent];
  }
  return parent == kNoRow || !slices_.is_drawn[parent] ? kNoFacet : slices_.slice_of_row(parent);
}

std::string SliceColumns::json() const {
  const std::array<std::pair<const char*, const NumberColumn*>, 13> columns = {{{"gap", &gap_},
                                                                                {"duration", &duration_},
                                                                                {"name", &name_},
                                                                                {"parent", &parent_},
                                                                                {"kind", &kind_},
                                                                                {"detail", &detail_},
                                                                                {"type", &type_},
                                                                                {"layer", &layer_},
                                                                                {"execution", &execution_},
                                                                                {"call", &call_},
                                                                                {"evaluation", &evaluation_},
                                                                                {"launched", &launched_},
                                                                                {"launched_ns", &launched_ns_}}};
  std::string out = "{\"count\":" + std::to_string(slices_.size());
  for (const auto& [name, column] : columns) {
    if (column->has_any()) out += fmt::format(",\n\"{}\":{}", name, column->text());
  }
  return out + "}";
}

}  // namespace xsp::analysis
