#include "bound/database/given_times.h"

#include <cmath>
#include <string_view>
#include <vector>

#include "base/csv_records.h"
#include "base/number_text.h"
#include "base/text_encoding.h"

namespace xsp::bound {
namespace {

constexpr const char* kHeaderHint = "the first line is: layer,latency_ms[,implementation]";
constexpr int kUnreadable = 3;  // exit code
constexpr size_t kNoColumn = SIZE_MAX;

struct TimeColumns {
  size_t layer = kNoColumn;
  size_t latency = kNoColumn;
  size_t implementation = kNoColumn;
};

std::string_view without_blanks(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

Status read_header(CsvRecords& records, TimeColumns* columns) {
  std::vector<std::string> names;
  if (!records.next(&names)) {
    return records.status().ok() ? records.error_here("the file has no header") : records.status();
  }
  const std::pair<std::string_view, size_t*> known[] = {
      {"layer", &columns->layer}, {"latency_ms", &columns->latency}, {"implementation", &columns->implementation}};
  for (size_t i = 0; i < names.size(); ++i) {
    for (const auto& [name, column] : known) {
      if (without_blanks(names[i]) != name) continue;
      if (*column != kNoColumn) return records.error_here("two columns " + std::string(name));
      *column = i;
    }
  }
  for (const auto& [name, column] : known) {
    if (*column != kNoColumn || column == &columns->implementation) continue;
    Status status = records.error_here("the header has no column " + std::string(name));
    status.hint = kHeaderHint;
    return status;
  }
  return Status();
}

Status add_time(const CsvRecords& records, const std::vector<std::string>& fields, const TimeColumns& columns,
                GivenTimes* times) {
  const auto field = [&](size_t column) {
    return column < fields.size() ? std::string_view(fields[column]) : std::string_view();
  };
  const std::string_view layer = field(columns.layer);
  if (layer.empty()) return records.error_here("no layer");
  const std::string_view latency = field(columns.latency);
  const auto number = number_in<double>(without_blanks(latency));
  if (!number || !std::isfinite(*number) || *number < 0) {
    return records.error_here("latency_ms is no time: \"" + shorten(message_text(latency), 40) + "\"");
  }
  GivenTime& time = (*times)[std::string(layer)];
  time.latency_ms += *number;
  if (!std::isfinite(time.latency_ms)) return records.error_here("the times of the layer are too large");
  const std::string_view implementation = field(columns.implementation);
  if (implementation.empty()) return Status();
  if (!time.implementation.empty()) time.implementation += " + ";
  time.implementation += implementation;
  return Status();
}

}  // namespace

Status read_given_times(const std::string& path, GivenTimes* times) {
  times->clear();
  CsvRecords records(kUnreadable);
  if (Status status = records.open(path); !status.ok()) return status;
  TimeColumns columns;
  if (Status status = read_header(records, &columns); !status.ok()) return status;
  std::vector<std::string> fields;
  while (records.next(&fields)) {
    if (Status status = add_time(records, fields, columns, times); !status.ok()) return status;
  }
  return records.status();
}

}  // namespace xsp::bound
