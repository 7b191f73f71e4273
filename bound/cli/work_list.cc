#include "bound/cli/work_list.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "bound/cli/bound_messages.h"

namespace xsp::bound {
namespace {

constexpr size_t kLongestLine = size_t{64} << 20;

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
