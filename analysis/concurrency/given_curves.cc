#include "analysis/concurrency/given_curves.h"

#include <cmath>
#include <map>
#include <utility>

#include "base/csv_records.h"
#include "base/number_text.h"
#include "base/units.h"

namespace xsp::analysis {
namespace {

const std::vector<std::string> kHead = {"op", "size", "threads", "ms"};
constexpr const char* kFormat = "curves are CSV with the head op,size,threads,ms";
constexpr uint32_t kMostThreads = 65536;
constexpr double kMostMs = 1e15;
constexpr size_t kMostRows = 1'000'000;

/// Values in ns by operation and size, in order of their first rows, and by number of threads.
struct GivenRows {
  std::vector<std::pair<std::string, std::string>> order;
  std::map<std::pair<std::string, std::string>, std::map<uint32_t, std::vector<double>>> values;
};

Status add_row(const CsvRecords& records, const std::vector<std::string>& fields, GivenRows* rows) {
  const auto bad = [&](const std::string& why) {
    Status status = records.error_here(why);
    status.hint = kFormat;
    return status;
  };
  if (fields.size() != kHead.size()) {
    return bad(std::to_string(fields.size()) + " fields instead of 4 (a size with commas stands in quotes)");
  }
  if (fields[0].empty()) return bad("no name of an operation");
  const auto threads = number_in<uint32_t>(fields[2]);
  if (!threads || *threads == 0 || *threads > kMostThreads) {
    return bad("threads is no whole number from 1 to " + std::to_string(kMostThreads));
  }
  const auto ms = number_in<double>(fields[3]);
  if (!ms || !std::isfinite(*ms) || !(*ms >= 0) || *ms > kMostMs) return bad("ms is no time in milliseconds");
  const auto [found, is_new] = rows->values.try_emplace({fields[0], fields[1]});
  if (is_new) rows->order.push_back(found->first);
  found->second[*threads].push_back(*ms * kNsPerMs);
  return {};
}

Status take_curves(CsvRecords* records, GivenCurves* curves) {
  std::vector<std::string> fields;
  GivenRows rows;
  if (!records->next(&fields) || fields != kHead) {
    if (!records->status().ok()) return records->status();
    Status status = records->error_here("the head is not op,size,threads,ms");
    status.hint = kFormat;
    return status;
  }
  for (size_t count = 0; records->next(&fields); ++count) {
    if (count == kMostRows) return records->error_here("more than " + std::to_string(kMostRows) + " rows");
    if (Status status = add_row(*records, fields, &rows); !status.ok()) return status;
  }
  if (!records->status().ok()) return records->status();
  if (rows.order.empty()) return records->error_here("no rows below the head");
  for (const auto& key : rows.order) {
    GivenCurve& given = curves->emplace_back(GivenCurve{key.first, key.second, {}});
    for (const auto& [threads, values] : rows.values[key]) {
      auto point = curve_point(threads, {values}, {});
      // A single time stands for itself: nothing is known of how it varies.
      if (values.size() == 1) point->values.clear();
      given.curve.push_back(std::move(*point));
    }
  }
  return {};
}

}  // namespace

Status parse_curves(std::string_view text, GivenCurves* curves) {
  CsvRecords records;
  records.take_text(text, "curves");
  return take_curves(&records, curves);
}

Status read_curves(const std::string& path, GivenCurves* curves) {
  CsvRecords records;
  if (Status status = records.open(path); !status.ok()) return status;
  return take_curves(&records, curves);
}

}  // namespace xsp::analysis
