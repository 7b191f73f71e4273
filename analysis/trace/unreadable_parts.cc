#include "analysis/trace/unreadable_parts.h"

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "analysis/trace/loader.h"

namespace xsp::analysis {
namespace {

/// Index in the name of a part; 0: it is the name of something else.
uint32_t index_in_name(const std::string& path) {
  constexpr size_t kDigits = 6;
  const std::filesystem::path file(path);
  if (file.extension() != ".pb") return 0;
  const std::string digits = file.stem().string();
  uint32_t index = 0;
  const auto [end, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
  const bool is_number = failed == std::errc() && end == digits.data() + digits.size();
  return is_number && digits.size() >= kDigits ? index : 0;
}

bool is_unreadable(const std::string& path) {
  Status status;
  const auto source = open_file(path, &status);
  if (source == nullptr) return is_file(path);  // else it was removed meanwhile
  Trace alone;
  return !load_trace(*source, path, &alone).ok();
}

uint64_t size_of(const std::string& path) {
  std::error_code failure;
  const auto size = std::filesystem::file_size(path, failure);
  return failure ? 0 : size;
}

std::filesystem::path folder_of(const std::string& path) { return std::filesystem::path(path).parent_path(); }

/// The recording in the part's folder that began last before it, else the first one there.
Segment* recording_of(const UnreadablePart& part, Trace* trace) {
  Segment* found = nullptr;
  for (Segment& segment : trace->segments) {
    if (!segment.parts || segment.parts->parts.empty()) continue;
    const LoadedPart& first = segment.parts->parts.front();
    if (folder_of(trace->files[first.file].path) != folder_of(part.path)) continue;
    if (found == nullptr) {
      found = &segment;
      continue;
    }
    const uint32_t begin = found->parts->parts.front().index;
    const bool is_nearer = begin > part.index ? first.index < begin : first.index <= part.index && first.index > begin;
    if (is_nearer) found = &segment;
  }
  return found;
}

}  // namespace

std::vector<UnreadablePart> take_unreadable_parts(size_t from, std::vector<PartFile>* files) {
  std::vector<UnreadablePart> unreadable;
  const auto begin = files->begin() + static_cast<ptrdiff_t>(from);
  if (std::none_of(begin, files->end(), [](const PartFile& file) { return file.part.has_value(); })) return unreadable;
  auto kept = begin;
  for (auto at = begin; at != files->end(); ++at) {
    const uint32_t index = at->part ? 0 : index_in_name(at->path);
    if (index != 0 && is_unreadable(at->path)) {
      unreadable.push_back({.index = index, .path = at->path, .bytes = size_of(at->path)});
    } else {
      std::swap(*kept++, *at);
    }
  }
  files->erase(kept, files->end());
  return unreadable;
}

void add_unreadable_parts(const std::vector<UnreadablePart>& parts, Trace* trace) {
  for (const UnreadablePart& part : parts) {
    Segment* const segment = recording_of(part, trace);
    if (segment == nullptr) continue;
    auto& known = segment->parts->parts;
    const auto at = std::lower_bound(known.begin(), known.end(), part.index,
                                     [](const LoadedPart& a, uint32_t index) { return a.index < index; });
    // A folder may be given twice.
    if (at != known.end() && at->index == part.index) continue;
    if (at == known.begin() && segment->parts->not_asked_for != 0) continue;
    const int64_t next_ns = at == known.end() ? 0 : at->begin_ns;
    known.insert(at, {.index = part.index, .file = static_cast<uint32_t>(trace->files.size()), .begin_ns = next_ns});
    trace->files.push_back({.path = part.path, .bytes = part.bytes});
    segment->complete = false;
  }
}

}  // namespace xsp::analysis
