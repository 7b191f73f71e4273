#include "bound/measure/result_check.h"

#include <cmath>
#include <limits>
#include <set>

#include "bound/measure/available_memory.h"
#include "test/catch.h"
#include "test/temporary_folder.h"

namespace xsp::bound {

TEST_CASE("positions lie all over a result") {
  CHECK(checked_positions(0).empty());
  CHECK(checked_positions(1) == std::vector<size_t>{0});
  for (const size_t elements : {2, 255, 256, 257, 1000, 1'000'003}) {
    INFO(elements);
    const std::vector<size_t> positions = checked_positions(elements);
    CHECK(positions.size() == std::min<size_t>(elements, 256));
    CHECK(positions.front() == 0);
    CHECK(positions.back() == elements - 1);
    CHECK(std::is_sorted(positions.begin(), positions.end()));
    CHECK(std::set<size_t>(positions.begin(), positions.end()).size() == positions.size());
  }
  const std::vector<size_t> many = checked_positions(64 * 1024);
  std::set<size_t> columns;
  for (const size_t position : many) columns.insert(position % 64);
  CHECK(columns.size() > 48);
}

TEST_CASE("a result is compared with the reference") {
  const Problem problem = *Problem::parse("eltwise alg=relu src=2x3 alpha=0 beta=0 dtype=f32");
  const std::vector<PlainTensor> operands = make_operands(problem);
  REQUIRE(operands.size() == 1);
  std::vector<float> right;
  for (const float value : operands[0].values) right.push_back(std::max(value, 0.F));
  ResultCheck check(problem, operands, {});
  CHECK(check.fault_of(right).empty());
  std::vector<float> wrong = right;
  wrong[4] += 1;
  CHECK(check.fault_of(wrong).starts_with("wrong result: "));
  CHECK(check.fault_of(wrong).ends_with(" at 4"));
  wrong[4] = std::numeric_limits<float>::quiet_NaN();
  CHECK(check.fault_of(wrong).starts_with("wrong result: nan instead of "));
  wrong.pop_back();
  CHECK(check.fault_of(wrong) == "wrong result: 5 values instead of 6");
}

TEST_CASE("without a reference the first result is right") {
  const Problem problem = *Problem::parse("Fake in=f32[3] out=f32[3]");
  ResultCheck check(problem, {}, {});
  const float infinity = std::numeric_limits<float>::infinity();
  CHECK(check.fault_of({}).empty());
  CHECK_FALSE(check.expected().is_known());
  CHECK(check.fault_of({1, infinity, std::nanf("")}).empty());
  CHECK(check.fault_of({1, infinity, std::nanf("")}).empty());
  CHECK(check.fault_of({1, -infinity, std::nanf("")}) == "wrong result: -inf instead of inf at 1");
  CHECK(check.fault_of({1, infinity, 0}) == "wrong result: 0 instead of nan at 2");
  // The next process goes on with it.
  ResultCheck next(problem, {}, check.expected());
  CHECK(next.fault_of({2, infinity, std::nanf("")}) == "wrong result: 2 instead of 1 at 0");
}

TEST_CASE("the size of a problem is known without making it") {
  const auto bytes = [](const char* text) { return operand_bytes(*Problem::parse(text)); };
  CHECK(bytes("eltwise alg=relu src=2x3 alpha=0 beta=0 dtype=f32") == 4 * (6 + 6));
  CHECK(bytes("concat axis=1 srcs=2x3,2x5 dtype=f32") == 4 * (6 + 10 + 16));
  CHECK(bytes("Gather in=f32[10,20];i64[3] out=f32[3,20]") == 4 * (200 + 3 + 60));
  CHECK(bytes("eltwise alg=relu src=2000000000x2000000000x2000000000 alpha=0 beta=0 dtype=f32") > 1e20);
  CHECK(bytes("Gather in=f32[") == 0);
}

TEST_CASE("free memory is the least of the machine's and its groups'") {
  const test::TemporaryFolder root;
  const auto file = [&root](const std::string& path, const std::string& text) {
    std::filesystem::create_directories(std::filesystem::path(root / path).parent_path());
    test::write_file(root / path, text);
  };
  CHECK(available_memory(root.path()) == std::numeric_limits<uint64_t>::max());
  file("proc/meminfo", "MemTotal: 9000 kB\nMemAvailable:    5000 kB\n");
  CHECK(available_memory(root.path()) == 5000 << 10);
  file("proc/self/cgroup", "0::/job\n");
  file("sys/fs/cgroup/job/memory.max", "1000000\n");
  file("sys/fs/cgroup/job/memory.current", "900000\n");
  CHECK(available_memory(root.path()) == 100000);
  file("sys/fs/cgroup/job/memory.stat", "anon 1\ninactive_file 300000\n");
  CHECK(available_memory(root.path()) == 400000);
  file("sys/fs/cgroup/job/memory.max", "max\n");
  CHECK(available_memory(root.path()) == 5000 << 10);
  file("proc/self/cgroup", "4:memory:/a/b\n");
  file("sys/fs/cgroup/memory/a/memory.limit_in_bytes", "2000\n");
  file("sys/fs/cgroup/memory/a/memory.usage_in_bytes", "5000\n");
  CHECK(available_memory(root.path()) == 0);
}

}  // namespace xsp::bound
