#include "recording.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "fields.h"
#include "symbolic_record.h"

namespace fake {
namespace {

/// Of a recording without readings of CUPTI's clock; test/gpu/recording_lines.py has the same.
constexpr int64_t kDefaultOffset = 1'700'000'000'000'000'000;

std::vector<uint8_t> bytes_of(const std::string& hex) {
  std::vector<uint8_t> bytes;
  for (size_t i = 0; i + 1 < hex.size(); i += 2)
    bytes.push_back(static_cast<uint8_t>(strtoul(hex.substr(i, 2).c_str(), nullptr, 16)));
  return bytes;
}

/// `word`, then key=value; of a record its kind may stand alone.
bool split(const std::string& line, std::string* word, Fields* fields) {
  std::istringstream words(line.substr(0, line.find('#')));
  if (!(words >> *word)) return false;
  for (std::string part; words >> part;) {
    const size_t equals = part.find('=');
    if (equals == std::string::npos)
      (*fields)["kind"] = part;
    else
      (*fields)[part.substr(0, equals)] = part.substr(equals + 1);
  }
  return true;
}

}  // namespace

Recording::Recording(const std::string& path) {
  std::ifstream file(path);
  if (!file) give_up(path + " cannot be read");
  std::vector<std::string> lines;
  // One that a kill has cut off has no end.
  for (std::string line; std::getline(file, line) && !file.eof();) lines.push_back(line);
  // Times in records need the clock, whose readings come later.
  const auto is_record = [](const std::string& line) { return line.compare(0, 7, "record ") == 0; };
  for (const std::string& line : lines)
    if (!is_record(line)) read(line);
  for (const std::string& line : lines)
    if (is_record(line)) read(line);
  std::stable_sort(events.begin(), events.end(), [](const Event& a, const Event& b) { return a.t < b.t; });
}

void Recording::read(const std::string& line) {
  std::string word;
  Fields fields;
  if (!split(line, &word, &fields)) return;
  const auto text = [&](const char* key) {
    const std::string value = fields.count(key) ? fields[key] : "";
    return value[0] == '@' ? texts_[value.substr(1)] : decoded(value);
  };
  const auto of = [&](const char* key) { return static_cast<uint64_t>(number_of(fields, key)); };
  if (word == "text") texts_[fields["id"]] = decoded(fields["is"]);
  if (word == "recording") version = static_cast<uint32_t>(of("cupti_version"));
  if (word == "clock") offsets_[of("t")] = static_cast<int64_t>(of("cupti") - of("t"));
  if (word == "record") {
    RecordedActivity record;
    if (fields.count("hex")) {
      record.kind = static_cast<uint32_t>(of("kind"));
      record.bytes = bytes_of(fields["hex"]);
    } else {
      record = symbolic_record(fields, version, [this](uint64_t t) { return cupti_clock(t); });
    }
    record.name = text("name");
    buffers[static_cast<uint32_t>(of("buffer"))].push_back(record);
  }
  static const std::map<std::string, Event::What> kWords = {
      {"callback", Event::What::kCallback},   {"call", Event::What::kCallback},
      {"resource", Event::What::kResource},   {"state", Event::What::kState},
      {"dropped", Event::What::kDropped},     {"requested", Event::What::kRequested},
      {"completed", Event::What::kCompleted}, {"span", Event::What::kSpan}};
  const auto found = kWords.find(word);
  if (found == kWords.end()) return;
  Event event;
  event.what = found->second;
  event.t = of("t");
  event.thread = static_cast<uint32_t>(of("thread"));
  event.domain = static_cast<int>(of("domain"));
  event.id = static_cast<uint32_t>(of("id"));
  event.enter = fields["site"] == "enter";
  event.correlation = static_cast<uint32_t>(of("correlation"));
  event.context = static_cast<uint32_t>(of("context"));
  event.result = static_cast<int>(of("result"));
  event.has_symbol = fields.count("symbol") != 0;
  event.name = text("name");
  if (event.what == Event::What::kCallback) names[{event.domain, event.id}] = event.name;
  event.symbol = text("symbol");
  event.message = text("message");
  event.node = of("node_id");
  event.original = of("original_id");
  event.node_type = static_cast<int>(of("node_type"));
  event.buffer = static_cast<uint32_t>(of("buffer"));
  event.in_flush = of("flush") != 0;
  event.count = of("count");
  if (!fields.count("until")) return events.push_back(event);
  event.enter = true;
  events.push_back(event);
  event.enter = false;
  event.t = of("until");
  events.push_back(event);
}

int64_t Recording::offset_at(uint64_t t) const {
  if (offsets_.empty()) return kDefaultOffset;
  const auto behind = offsets_.upper_bound(t);
  if (behind == offsets_.begin()) return behind->second;
  const auto before = std::prev(behind);
  if (behind == offsets_.end()) return before->second;
  const double part = static_cast<double>(t - before->first) / static_cast<double>(behind->first - before->first);
  return before->second + static_cast<int64_t>(part * static_cast<double>(behind->second - before->second));
}

}  // namespace fake
