#pragma once

#include <string>
#include <vector>

#include "analysis/lanes/number_column.h"
#include "analysis/lanes/slice_facets.h"
#include "analysis/lanes/timeline_slices.h"
#include "analysis/lanes/timeline_texts.h"

namespace xsp::analysis {

/// The slices as columns, one value each, in the order of TimelineSlices; a column without any value is left out. Times
/// are stored as small differences: from the end of the previous slice in the row, or from the begin of the part.
class SliceColumns {
 public:
  SliceColumns(const AnalysedTrace& analysed, const TimelineSlices& slices, TimelineTexts* texts)
      : analysed_(analysed), slices_(slices), facets_(find_facets(analysed, slices)), texts_(texts) {}

  /// Adds all slices of a lane, whose part begins at a time.
  void add_lane(const Lane& lane, uint32_t index, int64_t begin);

  /// `{"count":…,"gap":[…],…}`, once all lanes are added.
  std::string json() const;

 private:
  void add(const Lane& lane, uint32_t slice, int64_t last);
  void add_parent(uint32_t slice);
  uint32_t parent_of(Row row) const;

  const AnalysedTrace& analysed_;
  const TimelineSlices& slices_;
  std::vector<SliceFacets> facets_;
  TimelineTexts* texts_;

  NumberColumn gap_;
  NumberColumn duration_;
  NumberColumn name_;
  NumberColumn parent_;  // how many slices before; 0: none
  NumberColumn kind_;
  NumberColumn detail_;  // launch configuration or shape; of calls the library
  NumberColumn type_;
  NumberColumn layer_;
  NumberColumn execution_;
  NumberColumn call_;
  NumberColumn evaluation_;
  NumberColumn launched_;     // executions whose launch is not drawn singly: how many slices behind the one before
  NumberColumn launched_ns_;  // how long before it the launch began
  uint32_t last_launched_ = 0;
};

}  // namespace xsp::analysis
