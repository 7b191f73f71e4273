#include "collector/profile/profile_files.h"

#include <set>

#include "collector/messages/peer_limits.h"
#include "test/catch.h"
#include "test/collector/fake_guest.h"
#include "test/collector/memory_file.h"
#include "test/temporary_folder.h"

namespace xsp::test {
namespace {

namespace fs = std::filesystem;

const std::string kOneNode =
    R"([{"cat":"Node","tid":1,"dur":1,"ts":1,"name":"a_kernel_time","args":{"op_name":"Relu"}}])";

struct Bench {
  void work() {
    while (files.work()) {
    }
  }
  LossTable::Entry lost() const { return losses.total(LossReason::kProfileFile); }
  static ProfileSource source(const std::string& path, bool complete, bool keep = false) {
    ProfileSource source;
    source.format = 1;
    source.path = path;
    source.complete = complete;
    source.keep = keep;
    return source;
  }

  TemporaryFolder folder;
  MemoryFile file;
  TraceWriter writer{file};
  Recording recording{writer, ScratchFolder(folder.path())};
  LossTable losses;
  ProfileFiles files{recording, 1, losses};
};

TEST_CASE("a complete profile is converted and removed, or kept when asked to") {
  for (const bool keep : {false, true}) {
    Bench bench;
    const std::string path = bench.folder / "p_1.json";
    write_file(path, kOneNode);
    bench.files.receive(Bench::source(bench.folder / "p", false));
    bench.files.receive(Bench::source(path, true, keep));
    bench.work();
    bench.files.process_ended();
    bench.work();
    CHECK(bench.files.spans() == 1);
    CHECK(bench.lost().count == 0);
    CHECK(fs::exists(path) == keep);
  }
}

TEST_CASE("an announced profile of a dead program is converted if it is whole") {
  Bench bench;
  write_file(bench.folder / "p1_1.json", kOneNode);
  write_file(bench.folder / "p10_1.json", kOneNode);
  bench.files.receive(Bench::source(bench.folder / "p1", false));
  bench.files.process_ended();
  bench.work();
  CHECK(bench.files.spans() == 1);
  CHECK(bench.lost().count == 0);
  CHECK_FALSE(fs::exists(bench.folder / "p1_1.json"));
  CHECK(fs::exists(bench.folder / "p10_1.json"));
}

ProfileSource profile_of_run(const std::string& path, bool complete, uint64_t start) {
  ProfileSource source = Bench::source(path, complete);
  source.of_runs = true;
  source.origin.start_realtime_ns = start;
  return source;
}

TEST_CASE("profiles of single runs are converted as they come") {
  Bench bench;
  bench.files.receive(profile_of_run(bench.folder / "p-run", false, 7));
  for (const std::string start : {"1000", "2000"}) {
    write_file(bench.folder / ("p-run_" + start + "_now.json"), kOneNode);
    bench.files.receive(profile_of_run(bench.folder / ("p-run_" + start), true, std::stoull(start)));
    bench.work();
    CHECK_FALSE(fs::exists(bench.folder / ("p-run_" + start + "_now.json")));
  }
  CHECK(bench.files.spans() == 2);
  bench.files.process_ended();
  bench.work();
  CHECK(bench.lost().count == 0);
}

TEST_CASE(
    "profiles of a killed program's runs are found by the announced prefix, and their names say when they began") {
  Bench bench;
  bench.files.receive(profile_of_run(bench.folder / "p-run", false, 7));
  write_file(bench.folder / "p-run_5000000_now.json", kOneNode);
  write_file(bench.folder / "p-run_6000000_now.json", std::string(kOneNode).substr(0, 30));  // it was on its way
  bench.files.process_ended();
  bench.work();
  bench.writer.flush();
  const auto spans = read_spans(parse_trace(bench.file.bytes));
  REQUIRE(spans.size() == 1);
  CHECK(spans[0].begin == 5'000'000 + 1000);
  CHECK(bench.lost().count == 0);
  CHECK_FALSE(fs::exists(bench.folder / "p-run_6000000_now.json"));
}

TEST_CASE("an announced profile that was never written is a loss") {
  Bench bench;
  write_file(bench.folder / "p_1.json", "");
  bench.files.receive(Bench::source(bench.folder / "p", false));
  bench.files.process_ended();
  bench.work();
  CHECK(bench.lost().count == 1);
  CHECK(bench.lost().detail == "the program ended before ONNX Runtime wrote its profile");
}

TEST_CASE("rings of many profiles are none of other calls") {
  MemoryFile file;
  TraceWriter writer(file);
  Recording recording(writer);
  ProfileSpans spans(recording, 1);
  SpanRow row;
  row.begin = 1;
  row.end = 2;
  constexpr size_t kFiles = kApiCallRingBase - kProfileRingBase + 3;
  for (size_t i = 0; i < kFiles; ++i) {
    REQUIRE(spans.add(1, row));
    spans.end_file();
  }
  writer.flush();
  std::set<uint32_t> rings;
  for (const auto& span : read_spans(parse_trace(file.bytes))) {
    rings.insert(span.ring);
    CHECK((span.ring <= kApiCallRingBase || span.ring > kExecutionRing));
  }
  CHECK(rings.size() == kFiles);
}

TEST_CASE("links, folders and relative paths are not read") {
  Bench bench;
  write_file(bench.folder / "target.json", kOneNode);
  fs::create_symlink(bench.folder / "target.json", bench.folder / "link.json");
  for (const std::string& path : {bench.folder / "link.json", bench.folder.path(), std::string("p.json")}) {
    bench.files.receive(Bench::source(path, true));
  }
  bench.work();
  CHECK(bench.files.spans() == 0);
  CHECK(bench.lost().count == 3);
  CHECK(fs::exists(bench.folder / "target.json"));
}

TEST_CASE("what lies outside the scratch folder is neither removed nor looked for") {
  Bench bench;
  const TemporaryFolder elsewhere;
  const std::string inside = bench.folder / "inside";
  fs::create_directory(inside);
  fs::create_directory_symlink(elsewhere.path(), bench.folder / "link");
  for (const std::string& folder : {elsewhere.path(), inside, bench.folder / "link", bench.folder / "../"}) {
    write_file(folder + "/p-run_1_now.json", std::string(kOneNode).substr(0, 30));
    write_file(folder + "/mine.json", kOneNode);
    write_file(folder + "/text", "not a profile");
    bench.files.receive(Bench::source(folder + "/mine.json", true));
    bench.files.receive(Bench::source(folder + "/text", true));
    bench.files.receive(Bench::source(folder + "/", false));
    bench.files.receive(profile_of_run(folder + "/p-run", false, 1));
    bench.work();
  }
  bench.files.process_ended();
  bench.work();
  for (const std::string& folder : {elsewhere.path(), inside, bench.folder / "../"}) {
    CHECK(fs::exists(folder + "/mine.json"));
    CHECK(fs::exists(folder + "/text"));
    CHECK(fs::exists(folder + "/p-run_1_now.json"));
    for (const char* name : {"/mine.json", "/text", "/p-run_1_now.json"}) fs::remove(folder + name);
  }
}

TEST_CASE("without a scratch folder nothing is removed") {
  Bench bench;
  bench.recording.scratch = ScratchFolder();
  write_file(bench.folder / "p_1.json", kOneNode);
  bench.files.receive(Bench::source(bench.folder / "p_1.json", true));
  bench.work();
  CHECK(bench.files.spans() == 1);
  CHECK(fs::exists(bench.folder / "p_1.json"));
}

TEST_CASE("profiles beyond those that may wait are a loss, and later ones are taken again") {
  Bench bench;
  write_file(bench.folder / "p_1.json", kOneNode);
  for (size_t i = 0; i < kMaxProfileFiles + 20; ++i) bench.files.receive(Bench::source("/nowhere/p", false));
  CHECK(bench.lost().count == 20);
  CHECK(bench.lost().detail == "too many profile files at once");
  bench.files.process_ended();
  bench.files.receive(Bench::source(bench.folder / "p_1.json", true));
  bench.work();
  CHECK(bench.files.spans() == 1);
  CHECK(bench.lost().count == 20);
}

}  // namespace
}  // namespace xsp::test
