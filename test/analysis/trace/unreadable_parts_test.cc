/// Folders of recordings in parts, of which a part has nothing that can be read.

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "analysis/tables/loss_notes.h"
#include "analysis/trace/loader.h"
#include "test/analysis/support/trace_builder.h"
#include "test/catch.h"
#include "test/temporary_folder.h"

namespace xsp::test {
namespace {

/// A folder with parts 1 to `count` of one recording, each with one span.
class NumberedParts {
 public:
  explicit NumberedParts(uint32_t count) {
    TraceBuilder part;
    part.describe_part(1, 1);
    part.add_process(7);
    for (uint32_t index = 1; index <= count; ++index) {
      if (index > 1) part = part.next_part(10 * int64_t{index});
      part.add({.begin = 10 * int64_t{index}, .end = 10 * int64_t{index} + 5, .name = "span"});
      write("00000" + std::to_string(index) + ".pb", part.bytes());
    }
  }

  std::string write(const std::string& name, const std::string& bytes) const {
    return write_file(folder_ / name, bytes);
  }
  const std::string& path() const { return folder_.path(); }

 private:
  TemporaryFolder folder_;
};

/// What closes a trace, without what begins one.
std::string end_without_header() {
  xsp::Trace message;
  auto* loss = message.add_packet()->mutable_loss();
  loss->set_reason(Loss::DISK_FULL);
  loss->set_count(3);
  message.add_packet()->mutable_trace_end()->set_why("the disk was full");
  return message.SerializeAsString();
}

TEST_CASE("a part that cannot be read is left out and told, and the others are read") {
  const NumberedParts folder(4);
  const bool is_last = GENERATE(false, true);
  const bool is_empty = GENERATE(false, true);
  const std::string name = is_last ? "000004.pb" : "000002.pb";
  const std::string path = folder.write(name, is_empty ? "" : end_without_header());
  const std::vector<std::string> given(GENERATE(size_t{1}, size_t{2}), folder.path());
  analysis::Trace trace;
  REQUIRE(analysis::load_paths(given, {}, &trace).ok());
  REQUIRE(trace.segments.size() == 1);
  CHECK(trace.spans.size() == 3);
  CHECK(trace.segments[0].parts->known() == 4);
  CHECK(trace.segments[0].parts->missing_before() == 0);
  CHECK(trace.segments[0].parts->missing_between() == 0);
  CHECK(analysis::is_incomplete(trace));
  const auto warnings = analysis::input_warnings(trace);
  const std::string expected = path + ": part " + (is_last ? "4" : "2") + " cannot be read (" +
                               (is_empty ? "it is empty" : "no header") + "); the other parts are used";
  CHECK(std::count(warnings.begin(), warnings.end(), expected) == 1);
}

TEST_CASE("an unreadable first part is told as that, not as one that was removed") {
  const NumberedParts folder(3);
  folder.write("000001.pb", "");
  analysis::Trace trace;
  REQUIRE(analysis::load_path(folder.path(), &trace).ok());
  CHECK(trace.spans.size() == 2);
  CHECK(trace.segments[0].parts->missing_before() == 0);
  CHECK(trace.segments[0].parts->known() == 3);
}

TEST_CASE("what is named itself, or is no part, or is all there is must be readable") {
  const NumberedParts folder(2);
  analysis::Trace trace;
  SECTION("a file given by name") {
    const std::string path = folder.write("000003.pb", end_without_header());
    CHECK(analysis::load_path(path, &trace).error.find("not an XSP trace") != std::string::npos);
  }
  SECTION("a file of another name") {
    folder.write("other.pb", "");
    CHECK(analysis::load_path(folder.path(), &trace).error.find("other.pb is empty") != std::string::npos);
  }
  SECTION("a folder of unreadable parts") {
    folder.write("000001.pb", "");
    folder.write("000002.pb", "");
    CHECK(analysis::load_path(folder.path(), &trace).error.find("000001.pb is empty") != std::string::npos);
  }
}

}  // namespace
}  // namespace xsp::test
