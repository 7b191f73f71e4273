#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/trace/byte_source.h"
#include "analysis/trace/recording_parts.h"
#include "base/status.h"

namespace xsp::analysis {

/// Suffix of a recording that still goes on, or was cut off.
inline constexpr std::string_view kPartial = ".partial";

bool is_file(const std::string& path);

/// An input, and which part of which recording it is.
struct PartFile {
  std::string path;
  std::optional<TracePart> part;  // nothing: a folder, standard input, or no part
  int64_t begin_ns = 0;           // of the part, CLOCK_MONOTONIC
};

/// Reads the header at the begin of a file. What cannot be read is no part: whoever loads it tells why.
PartFile describe_part_file(const std::string& path);

/// Opens it. Since the folder was read the part may have been finished, and renamed, or removed: null without an error
/// means it was removed.
std::unique_ptr<ByteSource> open_part(const PartFile& file, Status* status);

/// Sorts the parts of each recording by index, within the places that its parts have.
void sort_parts(std::vector<PartFile>* files);

/// The traces of a folder in the order in which they are loaded: all *.pb by name, the parts of each recording in order
/// of index, and the part that is being written (*.pb.partial); other *.pb.partial files only with `all_partial`.
/// `failure` says why the folder cannot be read.
std::vector<PartFile> list_traces(const std::string& folder, bool all_partial, std::string* failure);

}  // namespace xsp::analysis
