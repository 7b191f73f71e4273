#include "bound/database/measurement_rows.h"

#include <algorithm>
#include <climits>

namespace xsp::bound {
namespace {

constexpr size_t kMostMessageBytes = 4096;
constexpr std::string_view kHot = "hot";
constexpr std::string_view kCold = "cold";

int64_t stored(uint64_t number) { return static_cast<int64_t>(std::min<uint64_t>(number, INT64_MAX)); }

std::string_view shortened(std::string_view message) {
  if (message.size() <= kMostMessageBytes) return message;
  size_t end = kMostMessageBytes;
  while (end > 0 && (static_cast<unsigned char>(message[end]) & 0xc0) == 0x80) --end;
  return message.substr(0, end);
}

}  // namespace

std::optional<MeasurementRow> read_measurement(const Statement& row) {
  MeasurementRow read;
  Measurement& facts = read.facts;
  read.id = row.integer(0);
  facts.library = row.text(1);
  facts.library_version = row.text(2);
  read.library_build = row.text(3);
  facts.backend = row.text(4);
  facts.implementation = row.text(5);
  const auto numerics = numerics_named(row.text(6));
  facts.math_mode = row.text(7);
  facts.layout = row.text(8);
  facts.dtype = row.text(9);
  const int64_t threads = row.integer(10);
  const std::string_view cache = row.text(11);
  const auto status = status_named(row.text(12));
  const int64_t samples_taken = row.integer(13);
  facts.min_ns = row.real(14);
  facts.median_ns = row.real(15);
  facts.p90_ns = row.real(16);
  // The time of one thread says nothing of several.
  if (const double cpu = row.real(17); threads == 1 && cpu > 0) facts.cpu_min_ns = cpu;
  const int64_t workspace = row.integer(18);
  facts.load_average = row.real(19);
  facts.started_at = row.integer(20);
  facts.xsp_version = row.text(21);
  facts.message = row.text(22);
  if (!numerics || !status || (cache != kHot && cache != kCold) || threads < 1 || threads > INT_MAX ||
      samples_taken < 0 || workspace < 0 || facts.min_ns < 0 || facts.median_ns < 0 || facts.p90_ns < 0) {
    return std::nullopt;
  }
  facts.numerics = *numerics;
  facts.status = *status;
  facts.cold = cache == kCold;
  facts.threads = static_cast<int>(threads);
  facts.samples_taken = static_cast<uint64_t>(samples_taken);
  facts.workspace_bytes = static_cast<uint64_t>(workspace);
  // Without a time it is nothing that was measured.
  const bool has_time = facts.status == BenchmarkStatus::kOk || facts.status == BenchmarkStatus::kImported;
  if (has_time && facts.min_ns == 0) return std::nullopt;
  return read;
}

std::string implementation_key(const Measurement& row) {
  std::string key;
  const std::string_view numerics = name_of(row.numerics);
  for (const std::string_view part :
       {std::string_view(row.library), std::string_view(row.library_version), std::string_view(row.backend),
        std::string_view(row.implementation), std::string_view(row.layout), numerics, std::string_view(row.math_mode),
        std::string_view(row.dtype)}) {
    key.append(part).push_back('\0');
  }
  return key;
}

bool insert_measurement(Statement& insert, const MeasurementParents& parents, const Measurement& row) {
  insert.reset();
  insert.bind_integer(1, parents.problem).bind_integer(2, parents.system).bind_integer(3, parents.library);
  insert.bind_text(4, row.backend).bind_text(5, row.implementation).bind_text(6, name_of(row.numerics));
  insert.bind_text(7, row.math_mode).bind_text(8, row.layout).bind_text(9, row.dtype).bind_integer(10, row.threads);
  insert.bind_text(11, row.cold ? kCold : kHot).bind_text(12, name_of(row.status));
  insert.bind_integer(13, stored(row.samples_taken));
  insert.bind_real(14, row.min_ns).bind_real(15, row.median_ns).bind_real(16, row.p90_ns);
  row.cpu_min_ns ? insert.bind_real(17, *row.cpu_min_ns) : insert.bind_null(17);
  insert.bind_integer(18, stored(row.workspace_bytes)).bind_real(19, row.load_average);
  insert.bind_integer(20, row.started_at).bind_text(21, row.xsp_version).bind_text(22, shortened(row.message));
  insert.bind_floats(23, row.samples_ns);
  return insert.run();
}

}  // namespace xsp::bound
