#include "bound/cli/bound_inputs.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <unordered_map>

#include "base/quantity_text.h"
#include "bound/cli/bound_messages.h"
#include "bound/model/layered_model.h"
#include "bound/model/retyped_model.h"

namespace xsp::bound {
namespace {

constexpr size_t kLongestLine = size_t{64} << 20;

WorkItem item_of(const LayeredModel& model, const UniqueLayer& unique) {
  const Layer& layer = model.layers[unique.first];
  WorkItem item;
  item.problem = unique.problem;
  item.model = unique.model;
  item.flops = layer.flops.value_or(0);
  item.bytes = layer.bytes.value_or(0);
  item.of = fmt::format("{}: {}, {}", model.name, layer.type, plural(unique.layers, "layer"));
  return item;
}

/// Models of one name, from different folders, are called by their paths.
void name_apart(std::deque<LayeredModel>* models) {
  std::unordered_map<std::string, size_t> count;
  for (const LayeredModel& model : *models) ++count[model.name];
  for (LayeredModel& model : *models) {
    if (count[model.name] > 1) model.name = model.path;
  }
}

/// A line that is longer than any that --generate writes leaves the stream failed.
bool read_line(std::istream& file, std::string* line) {
  line->clear();
  for (int c = file.get(); c != std::char_traits<char>::eof(); c = file.get()) {
    if (c == '\n') return true;
    if (line->size() == kLongestLine) {
      file.setstate(std::ios::badbit);
      return false;
    }
    line->push_back(static_cast<char>(c));
  }
  return !line->empty();
}

}  // namespace

Status read_models(const BoundOptions& options, std::deque<LayeredModel>* models) {
  for (const std::string& path : options.models) {
    LayeredModel model;
    Status status = take_apart(path, options.shapes, &model);
    if (!status.ok()) {
      if (status.exit_code == 0) status.exit_code = kBadInput;
      // Errors of the graph itself do not know the file.
      if (status.error.find(path) == std::string::npos) status.error = path + ": " + status.error;
      if (options.shapes.batch || !options.shapes.input_shapes.empty()) {
        return with_hint(status, "is it what --shape and --batch say?");
      }
      return with_hint(status, "such a model runs nowhere: export it again; ONNX's checker may say more");
    }
    for (const std::string& dtype : options.dtypes) models->push_back(retyped(model, dtype));
    if (options.dtypes.empty()) models->push_back(std::move(model));
  }
  name_apart(models);
  return {};
}

std::vector<WorkItem> work_items(const std::deque<LayeredModel>& models) {
  std::vector<WorkItem> items;
  std::unordered_map<std::string, size_t> known;
  for (const LayeredModel& model : models) {
    for (const UniqueLayer& unique : model.unique) {
      if (!has_work(model.layers[unique.first].layer_class)) continue;
      const auto [place, is_new] = known.try_emplace(unique.problem, items.size());
      if (is_new) {
        items.push_back(item_of(model, unique));
      } else if (items[place->second].model.empty()) {
        items[place->second].model = unique.model;
      }
    }
  }
  return items;
}

Status read_work_list(const std::string& path, std::vector<WorkItem>* items) {
  std::error_code failure;
  std::ifstream file(path, std::ios::binary);
  if (!file || std::filesystem::is_directory(path, failure)) {
    const char* why = file ? std::strerror(EISDIR) : std::strerror(errno);
    return {"cannot read " + path + " (" + why + ")", "name a work list: xsp-bound MODEL --generate FILE writes one",
            kBadInput};
  }
  std::string line;
  for (size_t number = 1; read_line(file, &line); ++number) {
    if (line.empty() || line == "\r") continue;
    WorkItem item;
    const Status status = parse_work_item(line, &item);
    if (!status.ok()) {
      return {fmt::format("{}:{}: {}", path, number, status.error),
              "is it a work list? xsp-bound MODEL --generate FILE writes one", kBadInput};
    }
    items->push_back(std::move(item));
  }
  if (file.bad()) return {"cannot read " + path + " to its end (a line is too long)", "write it again", kBadInput};
  if (items->empty())
    return {path + " has no problem to measure", "write it again: xsp-bound MODEL --generate FILE", kBadInput};
  return {};
}

std::string work_list_text(const std::vector<WorkItem>& items) {
  std::string text;
  for (const WorkItem& item : items) text += json_line(item) + "\n";
  return text;
}

}  // namespace xsp::bound
