#include "bound/measure/child_protocol.h"

#include <limits>

#include "bound/measure/line_buffer.h"
#include "test/catch.h"

namespace xsp::bound {

TEST_CASE("a request survives its line") {
  const double infinity = std::numeric_limits<double>::infinity();
  const ChildRequest request{
      .item = {.problem = "conv src=1", .model = std::string("\0\xff\n", 3), .flops = 2, .bytes = 3, .of = "of"},
      .library = {.backend = "b", .name = "n", .version = "v", .build = "u\n", .path = "/p"},
      .threads = 3,
      .budget_ms = 12.5,
      .folder = "/f",
      .tried = {{.key = "a"},
                {.key = "b",
                 .cold = true,
                 .numerics = Numerics::kTransform,
                 .best_ns = 7,
                 .has_own_times = true,
                 .has_own_cold = true}},
      .expected = {.elements = 2, .values = {1.5, -infinity}}};
  const std::string line = request_line(request);
  CHECK(line.find('\n') == line.size() - 1);
  const std::optional<ChildRequest> read = read_request(line);
  REQUIRE(read);
  CHECK(read->item.model == request.item.model);
  CHECK(read->library.build == "u\n");
  CHECK(read->library.path == "/p");
  CHECK(read->threads == 3);
  CHECK(read->budget_ms == 12.5);
  CHECK(read->folder == "/f");
  REQUIRE(read->tried.size() == 2);
  CHECK_FALSE(read->tried[0].best_ns);
  CHECK(read->tried[1].cold);
  CHECK(read->tried[1].numerics == Numerics::kTransform);
  CHECK(read->tried[1].best_ns == 7.0);
  CHECK(read->tried[1].has_own_times);
  CHECK(read->tried[1].has_own_cold);
  CHECK_FALSE(read->tried[0].has_own_cold);
  CHECK(read->expected.values == request.expected.values);
}

TEST_CASE("a row survives its line") {
  Measurement row{.implementation = "brgconv",
                  .numerics = Numerics::kReduced,
                  .math_mode = "m",
                  .layout = "l",
                  .dtype = "f32",
                  .cold = true,
                  .status = BenchmarkStatus::kError,
                  .message = "bad \xff bytes",
                  .samples_taken = 2,
                  .min_ns = 1.25,
                  .median_ns = 2,
                  .p90_ns = 3,
                  .cpu_min_ns = 1,
                  .samples_ns = {0.1F, 3e9F},
                  .workspace_bytes = 1ULL << 40,
                  .load_average = 0.5,
                  .started_at = 1'700'000'000};
  const std::optional<ChildMessage> read =
      read_message(message_line({.kind = ChildMessage::Kind::kRow, .row = row, .tried = {.key = "k"}}));
  REQUIRE(read);
  CHECK(read->kind == ChildMessage::Kind::kRow);
  CHECK(read->tried.key == "k");
  CHECK(read->row.numerics == Numerics::kReduced);
  CHECK(read->row.cold);
  CHECK(read->row.status == BenchmarkStatus::kError);
  CHECK(read->row.message.starts_with("bad "));
  CHECK(read->row.cpu_min_ns == 1.0);
  CHECK(read->row.samples_ns == row.samples_ns);
  CHECK(read->row.workspace_bytes == 1ULL << 40);
  CHECK(read->row.started_at == row.started_at);
}

TEST_CASE("what is no message is none") {
  const std::string good = message_line({.kind = ChildMessage::Kind::kBegin});
  REQUIRE(read_message(good));
  for (size_t size = 0; size + 1 < good.size(); ++size) CHECK_FALSE(read_message(good.substr(0, size)));
  const char* const lines[] = {"[]",
                               "{}",
                               R"({"kind": 1})",
                               R"({"kind": "unheard"})",
                               R"({"kind": "row", "row": {"implementation": 1}})",
                               R"({"kind": "expected", "expected": {"elements": -1.5, "values": 2}})"};
  for (const char* line : lines) {
    INFO(line);
    CHECK_FALSE(read_message(line));
  }
  std::string negative = message_line({.kind = ChildMessage::Kind::kRow, .row = {.min_ns = 17}});
  negative.replace(negative.find("17.0"), 4, "-1.0");
  CHECK_FALSE(read_message(negative));
  CHECK_FALSE(read_request("{}"));
  CHECK_FALSE(read_request(good));
}

TEST_CASE("lines are cut out of whatever pieces come") {
  LineBuffer lines;
  CHECK_FALSE(lines.next());
  lines.add("a");
  CHECK_FALSE(lines.next());
  lines.add("b\n\ncd");
  CHECK(lines.next() == "ab");
  CHECK(lines.next() == "");
  CHECK_FALSE(lines.next());
  CHECK(lines.size() == 2);
  lines.add("\n");
  CHECK(lines.next() == "cd");
  CHECK(lines.size() == 0);
}

}  // namespace xsp::bound
