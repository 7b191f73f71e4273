/// The columns of A1 that tell what an evaluation allocated and what was live.

#include <algorithm>
#include <cstring>

#include "analysis/tables/table.h"
#include "test/analysis/support/trace_builder.h"
#include "test/catch.h"
#include "test/contains.h"

namespace xsp::test {
namespace {

using analysis::Cell;
using analysis::Table;

std::string bytes_of(std::initializer_list<uint64_t> numbers) {
  std::string bytes;
  for (const uint64_t value : numbers) bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  return bytes;
}

/// A model's call, 10 ms long, that allocated `allocated` bytes (-1: not known).
void add_call(TraceBuilder* builder, uint32_t id, int64_t allocated, const std::string& layout,
              const std::string& values) {
  SpanSpec span{.begin = id * 20'000'000LL, .end = id * 20'000'000LL + 10'000'000, .id = id, .level = LEVEL_MODEL};
  span.kind = KIND_TORCH_ROOT;
  span.name = "Net";
  span.input = "[4,3]";
  span.bytes = allocated;
  span.layout = layout;
  span.values = values;
  builder->add(span);
}

Cell cell_of(const Table& table, const std::string& column) {
  const auto found = std::find_if(table.columns.begin(), table.columns.end(),
                                  [&](const analysis::Column& known) { return known.name == column; });
  return found == table.columns.end() ? Cell(std::string("no column"))
                                      : table.rows[0][static_cast<size_t>(found - table.columns.begin())];
}

constexpr const char* kCpu = "cpu_live:u8 cpu_peak:u8";
constexpr const char* kDevice = "cpu_live:u8 cpu_peak:u8 device_live:u8 device_peak:u8 device_reserved:u8";

TEST_CASE("A1 has what evaluations allocated and what was live, joined as latencies are") {
  TraceBuilder builder;
  builder.add_process(1);
  add_call(&builder, 1, 900'000'000, kCpu, bytes_of({900'000'000, 900'000'000}));  // the warm-up
  add_call(&builder, 2, 1'000'000, kCpu, bytes_of({5'000'000, 6'000'000}));
  add_call(&builder, 3, 3'000'000, kCpu, bytes_of({5'000'000, 8'000'000}));
  const Table a1 = Analysed({builder.bytes()}).table("A1");
  CHECK(number(cell_of(a1, "alloc_mb")) == Approx(2));
  CHECK(number(cell_of(a1, "peak_mb")) == Approx(7));
  CHECK(number(cell_of(a1, "live_mb")) == Approx(5));
  CHECK(text(cell_of(a1, "memory_of")) == "CPU");
}

TEST_CASE("live memory is of the devices where there is any of theirs") {
  TraceBuilder builder;
  builder.add_process(1);
  add_call(&builder, 1, 0, kDevice, bytes_of({9'000'000, 9'000'000, 2'000'000, 4'000'000, 8'000'000}));
  const Table a1 = Analysed({builder.bytes()}).table("A1");
  CHECK(number(cell_of(a1, "alloc_mb")) == 0);
  CHECK(number(cell_of(a1, "peak_mb")) == Approx(4));
  CHECK(number(cell_of(a1, "live_mb")) == Approx(2));
  CHECK(text(cell_of(a1, "memory_of")) == "device");

  TraceBuilder idle;
  idle.add_process(1);
  add_call(&idle, 1, 0, kDevice, bytes_of({9'000'000, 9'000'000, 0, 0, 0}));
  CHECK(text(cell_of(Analysed({idle.bytes()}).table("A1"), "memory_of")) == "CPU");
}

TEST_CASE("where a model's call does not tell what it allocated, its layers do if all of them know") {
  TraceBuilder builder;
  builder.add_process(1);
  builder.add({.begin = 1, .end = 2, .id = 2, .parent = 1, .name = "a", .bytes = 1'000'000});
  builder.add({.begin = 3, .end = 4, .id = 3, .parent = 1, .name = "b", .bytes = 500'000});
  builder.add({.begin = 0, .end = 5, .id = 1, .level = LEVEL_MODEL, .kind = KIND_ORT_RUN, .name = "Net"});
  const Table a1 = Analysed({builder.bytes()}).table("A1");
  CHECK(number(cell_of(a1, "alloc_mb")) == Approx(1.5));
  CHECK(text(cell_of(a1, "peak_mb")) == "no column");

  builder.add({.begin = 11, .end = 12, .id = 5, .parent = 4, .name = "a"});
  builder.add({.begin = 10, .end = 15, .id = 4, .level = LEVEL_MODEL, .kind = KIND_ORT_RUN, .name = "Net"});
  CHECK(text(cell_of(Analysed({builder.bytes()}).table("A1"), "alloc_mb")) == "no column");
}

}  // namespace
}  // namespace xsp::test
