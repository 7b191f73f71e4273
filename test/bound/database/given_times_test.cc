#include "bound/database/given_times.h"

#include "test/catch.h"
#include "test/contains.h"
#include "test/temporary_folder.h"

namespace xsp::bound {
namespace {

using test::contains;

class TimesFile {
 public:
  explicit TimesFile(const std::string& text) { test::write_file(path(), text); }
  std::string path() const { return folder_ / "times.csv"; }
  GivenTimes times() const {
    GivenTimes times;
    const Status status = read_given_times(path(), &times);
    INFO(status.error);
    REQUIRE(status.ok());
    return times;
  }
  Status failure() const {
    GivenTimes times;
    Status status = read_given_times(path(), &times);
    REQUIRE(!status.ok());
    CHECK(status.exit_code == 3);
    CHECK(contains(status.error, path()));
    return status;
  }

 private:
  test::TemporaryFolder folder_;
};

TEST_CASE("the rows of one layer add up, and their implementations are joined") {
  const GivenTimes times = TimesFile(
                               "layer,latency_ms,implementation\n"
                               "conv1,0.25,IMPLICIT_GEMM\n"
                               "fc,1.5,\n"
                               "conv1,0.5,add_tensor\n")
                               .times();
  REQUIRE(times.size() == 2);
  CHECK(times.at("conv1").latency_ms == 0.75);
  CHECK(times.at("conv1").implementation == "IMPLICIT_GEMM + add_tensor");
  CHECK(times.at("fc").latency_ms == 1.5);
  CHECK(times.at("fc").implementation.empty());
}

TEST_CASE("columns of times come in any order, and others are ignored") {
  const GivenTimes times = TimesFile("flops, latency_ms ,name,layer\n12,3e-1,x,conv1\n").times();
  CHECK(times.at("conv1").latency_ms == 0.3);
}

TEST_CASE("times are read as RFC 4180 has it: quotes, commas and line ends in them, CRLF, a byte order mark") {
  const GivenTimes times = TimesFile(
                               "\xEF\xBB\xBFlayer,latency_ms\r\n"
                               "\"a,b\",1\r\n"
                               "\r\n"
                               "\"say \"\"x\"\"\",2\r\n"
                               "\"two\r\nlines\",\"3\"\r\n"
                               "plain \" quote,4")
                               .times();
  CHECK(times.size() == 4);
  CHECK(times.at("a,b").latency_ms == 1);
  CHECK(times.at("say \"x\"").latency_ms == 2);
  CHECK(times.at("two\r\nlines").latency_ms == 3);
  CHECK(times.at("plain \" quote").latency_ms == 4);
}

TEST_CASE("a time of nought is one") { CHECK(TimesFile("layer,latency_ms\nid,0\n").times().at("id").latency_ms == 0); }

TEST_CASE("a header alone gives no times") { CHECK(TimesFile("layer,latency_ms\n").times().empty()); }

TEST_CASE("what is no file of times is refused with the line") {
  const auto [text, line, why] = GENERATE(table<std::string, std::string, std::string>({
      {"", "line 1", "no header"},
      {"\n\n", "line 2", "no header"},
      {"conv1,0.25\n", "line 1", "no column layer"},
      {"layer,latency\nconv1,1\n", "line 1", "no column latency_ms"},
      {"layer,latency_ms,layer\n", "line 1", "two columns layer"},
      {"layer,latency_ms\nconv1,1\nconv2,fast\n", "line 3", "\"fast\""},
      {"layer,latency_ms\nconv1,\n", "line 2", "latency_ms is no time"},
      {"layer,latency_ms\nconv1\n", "line 2", "latency_ms is no time"},
      {"layer,latency_ms\nconv1,-1\n", "line 2", "\"-1\""},
      {"layer,latency_ms\nconv1,nan\n", "line 2", "\"nan\""},
      {"layer,latency_ms\nconv1,inf\n", "line 2", "\"inf\""},
      {"layer,latency_ms\nconv1,1e999\n", "line 2", "\"1e999\""},
      {"layer,latency_ms\nconv1,1e308\nconv1,1e308\n", "line 3", "too large"},
      {"layer,latency_ms\n,1\n", "line 2", "no layer"},
      {"layer,latency_ms\n\n\"two\nlines\",1\n\"open,1\n\n", "line 5", "does not end"},
      {"layer,latency_ms\n\"a\"b,1\n", "line 2", "text follows a quoted field"},
      {"layer,latency_ms\n\"a\"\rb,1\n", "line 2", "text follows a quoted field"},
  }));
  const std::string error = TimesFile(text).failure().error;
  INFO(error);
  CHECK(contains(error, line + ":"));
  CHECK(contains(error, why));
}

TEST_CASE("memory for one record of times is bounded") {
  CHECK(contains(TimesFile("layer,latency_ms\n" + std::string(17 << 20, 'x')).failure().error, "16 MiB"));
  CHECK(contains(TimesFile("layer,latency_ms\n\"" + std::string(17 << 20, 'x')).failure().error, "16 MiB"));
  CHECK(contains(TimesFile("layer,latency_ms\n" + std::string(17 << 20, ',')).failure().error, "fields"));
}

TEST_CASE("a file of times that is not there, or a folder, is an error") {
  GivenTimes times;
  const test::TemporaryFolder folder;
  Status status = read_given_times(folder / "none.csv", &times);
  CHECK(status.exit_code == 3);
  CHECK(contains(status.error, "none.csv"));
  status = read_given_times(folder.path(), &times);
  CHECK(status.exit_code == 3);
  CHECK(contains(status.error, folder.path()));
}

}  // namespace
}  // namespace xsp::bound
