#include "analysis/trace/part_files.h"

#include <algorithm>
#include <filesystem>
#include <map>

#include "analysis/trace/packet_body.h"
#include "analysis/trace/packet_reader.h"
#include "proto/pbf.h"

namespace xsp::analysis {
namespace {

/// Without kPartial.
std::string finished_name(const std::string& path) { return path.substr(0, path.size() - kPartial.size()); }

}  // namespace

bool is_file(const std::string& path) {
  std::error_code failure;
  return std::filesystem::is_regular_file(path, failure);
}

PartFile describe_part_file(const std::string& path) {
  PartFile file{.path = path, .part = {}};
  if (!is_file(path)) return file;
  Status status;
  const auto source = open_file(path, &status);
  if (source == nullptr) return file;
  PacketReader reader(*source);
  std::string_view encoded;
  try {
    Packet packet;
    TraceHeader header;
    if (reader.next(&encoded) && read_envelope(encoded, &packet) && packet.field == PacketField::kHeader &&
        read_header(packet.body, &header)) {
      file.part = std::move(header.part);
      file.begin_ns = static_cast<int64_t>(header.begin_ns);
    }
  } catch (const protozero::exception&) {
  }
  return file;
}

std::unique_ptr<ByteSource> open_part(const PartFile& file, Status* status) {
  auto source = open_file(file.path, status);
  if (source != nullptr || !file.part || is_file(file.path)) return source;
  *status = {};
  if (!file.path.ends_with(kPartial)) return nullptr;
  const std::string finished = finished_name(file.path);
  return is_file(finished) ? open_file(finished, status) : nullptr;
}

void sort_parts(std::vector<PartFile>* files) {
  std::map<std::string, std::vector<size_t>> places;
  for (size_t i = 0; i < files->size(); ++i) {
    const auto& part = (*files)[i].part;
    if (part) places[part->recording].push_back(i);
  }
  for (const auto& [recording, of_recording] : places) {
    std::vector<size_t> in_order = of_recording;
    std::stable_sort(in_order.begin(), in_order.end(),
                     [&](size_t a, size_t b) { return (*files)[a].part->index < (*files)[b].part->index; });
    std::vector<PartFile> parts;
    for (const size_t place : in_order) parts.push_back(std::move((*files)[place]));
    for (size_t i = 0; i < parts.size(); ++i) (*files)[of_recording[i]] = std::move(parts[i]);
  }
}

std::vector<PartFile> list_traces(const std::string& folder, bool all_partial, std::string* failure) {
  std::vector<std::string> whole;
  std::vector<std::string> partial;
  std::error_code error;
  for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const auto& path = at->path();
    if (path.extension() == ".pb") whole.push_back(path.string());
    if (path.extension() == kPartial && path.stem().extension() == ".pb") partial.push_back(path.string());
  }
  if (error) {
    *failure = error.message();
    return {};
  }
  std::vector<PartFile> files;
  for (const std::string& path : whole) files.push_back(describe_part_file(path));
  for (const std::string& path : partial) {
    PartFile file = describe_part_file(path);
    // It may have been finished and renamed since the folder was read.
    const std::string finished = finished_name(path);
    if (!is_file(path) && is_file(finished)) file = describe_part_file(finished);
    const bool is_listed = std::any_of(files.begin(), files.end(), [&](const auto& f) { return f.path == file.path; });
    if ((file.part || all_partial) && !is_listed) files.push_back(std::move(file));
  }
  // A part that was removed meanwhile is absent, like those before it.
  std::erase_if(files, [](const PartFile& file) { return !is_file(file.path); });
  std::sort(files.begin(), files.end(), [](const PartFile& a, const PartFile& b) { return a.path < b.path; });
  sort_parts(&files);
  return files;
}

}  // namespace xsp::analysis
