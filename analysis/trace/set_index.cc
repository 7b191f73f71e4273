#include "analysis/trace/set_index.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>

#include "analysis/trace/byte_source.h"
#include "proto/set_index.h"

namespace xsp::analysis {
namespace {

using Json = nlohmann::ordered_json;
namespace names = set_index;

/// The index of ten thousand runs has four MiB.
constexpr size_t kMaxBytes = size_t{8} << 20;
constexpr size_t kMaxRuns = 100'000;

/// A member of an object; null where there is none.
const Json& member(const Json& object, const char* name) {
  static const Json kNull;
  if (!object.is_object()) return kNull;
  const auto found = object.find(name);
  return found == object.end() ? kNull : *found;
}

std::string text_of(const Json& value) { return value.is_string() ? value.get<std::string>() : std::string(); }

std::optional<int64_t> integer_of(const Json& value) {
  if (value.is_number_unsigned()) {
    const auto number = value.get<uint64_t>();
    if (number > INT64_MAX) return {};
    return static_cast<int64_t>(number);
  }
  if (value.is_number_integer()) return value.get<int64_t>();
  return {};
}

/// A file of the folder itself: nothing else is opened.
bool is_plain_name(const std::string& name) {
  return name != "." && name != ".." && name.find('/') == std::string::npos && name.find('\0') == std::string::npos;
}

std::string point_of(const Json& parameters) {
  std::string point;
  if (!parameters.is_object()) return point;
  for (const auto& [name, value] : parameters.items()) {
    const std::string text = value.is_string() ? value.get<std::string>() : value.is_number() ? value.dump() : "?";
    point += (point.empty() ? "" : " ") + name + "=" + text;
  }
  return point;
}

std::string ending_of(const Json& run) {
  const auto signal = integer_of(member(run, names::kSignal));
  if (signal && *signal != 0) return "signal " + std::to_string(*signal);
  const auto status = integer_of(member(run, names::kExitStatus));
  return status && *status != 0 ? "exit status " + std::to_string(*status) : "";
}

IndexedRun read_run(const Json& listed, uint32_t place, std::vector<std::string>* problems) {
  IndexedRun run;
  const auto index = integer_of(member(listed, names::kIndex));
  run.index = index && *index > 0 && *index <= UINT32_MAX ? static_cast<uint32_t>(*index) : place;
  run.state = text_of(member(listed, names::kState));
  run.point = point_of(member(listed, names::kParameters));
  run.ending = ending_of(listed);
  run.trace = text_of(member(listed, names::kTrace));
  if (!run.trace.empty() && !is_plain_name(run.trace)) {
    problems->push_back("run " + std::to_string(run.index) + ": " + run.trace + " is not in the folder, and not read");
    run.trace.clear();
  }
  return run;
}

std::string text_of_file(ByteSource& source, bool* too_long) {
  std::string text;
  std::array<char, 65536> part = {};
  for (;;) {
    const ptrdiff_t got = source.read(part.data(), part.size());
    if (got <= 0) return text;
    text.append(part.data(), static_cast<size_t>(got));
    *too_long = text.size() > kMaxBytes;
    if (*too_long) return {};
  }
}

}  // namespace

Status parse_set_index(std::string_view text, SetIndex* index) {
  const Json whole = Json::parse(text, nullptr, false);
  if (whole.is_discarded()) return {"damaged (no JSON)", ""};
  const auto format = integer_of(member(whole, names::kFormat));
  const Json& runs = member(whole, names::kRuns);
  index->id = text_of(member(whole, names::kSet));
  if (!format || *format < 1 || index->id.empty()) return {"not the index of a set", ""};
  if (*format > names::kFormatVersion) {
    const std::string program = text_of(member(whole, names::kProgram));
    return {"of format " + std::to_string(*format) + " (this xsp-report reads up to " +
                std::to_string(names::kFormatVersion) + "; it was written by " +
                (program.empty() ? "an unknown program" : program) + ")",
            ""};
  }
  if (!runs.is_array()) return {"damaged (no list of runs)", ""};
  if (runs.size() > kMaxRuns) return {"damaged (more than " + std::to_string(kMaxRuns) + " runs)", ""};
  const std::string state = text_of(member(whole, names::kState));
  if (state == names::kSetIsRunning) index->stopped = "still running, or killed";
  if (state == names::kSetIsStopped) {
    const std::string why = text_of(member(whole, names::kStoppedBy));
    index->stopped = why.empty() ? "for a reason that is not told" : why;
  }
  for (const Json& run : runs) {
    index->runs.push_back(read_run(run, static_cast<uint32_t>(index->runs.size() + 1), &index->problems));
  }
  std::stable_sort(index->runs.begin(), index->runs.end(),
                   [](const IndexedRun& a, const IndexedRun& b) { return a.index < b.index; });
  return {};
}

Status read_set_index(const std::string& path, SetIndex* index) {
  Status status;
  const auto source = open_file(path, &status);
  if (source == nullptr) return {"unreadable (" + status.error + ")", ""};
  bool too_long = false;
  const std::string text = text_of_file(*source, &too_long);
  if (too_long) return {"longer than " + std::to_string(kMaxBytes >> 20) + " MiB", ""};
  if (!source->error().empty()) return {"unreadable (" + source->error() + ")", ""};
  return parse_set_index(text, index);
}

}  // namespace xsp::analysis
