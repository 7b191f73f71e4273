#include "import/frame/profile_input.h"

#include <zlib.h>
#include <zstd.h>

#include "test/catch.h"
#include "test/temporary_folder.h"

namespace xsp::test {
namespace {

std::string gzip(const std::string& text) {
  z_stream stream{};
  REQUIRE(deflateInit2(&stream, 6, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  std::string out(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  REQUIRE(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

std::string zstd(const std::string& text) {
  std::string out(ZSTD_compressBound(text.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3));
  return out;
}

std::string numbers(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += std::to_string(i * 7919) + ",";
  return text;
}

struct Read {
  std::string text;
  Status error;
  uint64_t position;
};

Read read_all(const std::string& bytes, size_t head = 0, size_t step = 1000) {
  TemporaryFolder folder;
  write_file(folder / "profile", bytes);
  std::unique_ptr<ProfileInput> input;
  REQUIRE(open_profile_input(folder / "profile", {}, &input).ok());
  std::string seen(input->head(head));
  Read all;
  std::string buffer(step, '\0');
  while (const size_t got = input->read(buffer.data(), step)) all.text.append(buffer, 0, got);
  CHECK(input->read(buffer.data(), step) == 0);
  CHECK(all.text.starts_with(seen));
  CHECK((seen.size() >= head || seen == all.text));
  all.error = input->error();
  all.position = input->position();
  return all;
}

TEST_CASE("plain, gzip and zstd give the same text, through any head") {
  const std::string text = numbers(100'000);
  for (const std::string& bytes : {text, gzip(text), zstd(text)}) {
    for (const size_t head : {size_t{0}, size_t{100}, size_t{65536}, size_t{10'000'000}}) {
      const Read read = read_all(bytes, head);
      CHECK((read.text == text));
      CHECK(read.error.ok());
      CHECK(read.position == text.size());
    }
  }
}

TEST_CASE("members of a gzip file and frames of a zstd file follow each other") {
  CHECK((read_all(gzip("one ") + gzip("") + gzip("two")).text == "one two"));
  CHECK((read_all(zstd("one ") + zstd("") + zstd("two")).text == "one two"));
  const Read padded = read_all(gzip("one") + std::string(1000, '\0'));
  CHECK((padded.text == "one"));
  CHECK(padded.error.ok());
}

TEST_CASE("an input that is damaged gives what lies before, and says so") {
  const std::string text = numbers(100'000);
  const auto cut = [](std::string bytes) { return bytes.substr(0, bytes.size() / 2); };
  for (const std::string& bytes : {cut(gzip(text)), cut(zstd(text))}) {
    const Read read = read_all(bytes);
    CHECK(read.text.size() > 1000);
    CHECK(text.starts_with(read.text));
    CHECK(read.error.error.find("end early") != std::string::npos);
  }
  std::string flipped = gzip(text);
  flipped[flipped.size() / 2] = static_cast<char>(~flipped[flipped.size() / 2]);
  CHECK(read_all(flipped).error.error.find("damaged gzip") != std::string::npos);
  CHECK(read_all(gzip(text) + "and more").error.error.find("behind the gzip") != std::string::npos);
}

TEST_CASE("a compressed input is a plain file for libraries that need one, as long as it is open") {
  TemporaryFolder folder;
  write_file(folder / "plain", "content");
  write_file(folder / "packed", gzip("content"));
  std::string path;
  {
    std::unique_ptr<ProfileInput> input;
    REQUIRE(open_profile_input(folder / "plain", {}, &input).ok());
    REQUIRE(input->as_file(&path).ok());
    CHECK(path == folder / "plain");
    REQUIRE(open_profile_input(folder / "packed", {}, &input).ok());
    CHECK(input->head(3).substr(0, 3) == "con");
    REQUIRE(input->as_file(&path).ok());
    CHECK(read_file(path) == "content");
  }
  CHECK(!std::filesystem::exists(path));
}

TEST_CASE("what cannot be opened or read says why") {
  TemporaryFolder folder;
  std::unique_ptr<ProfileInput> input;
  CHECK(open_profile_input(folder / "absent", {}, &input).error.find("No such file") != std::string::npos);
  CHECK(open_profile_input(folder.path(), {}, &input).error.find("Is a directory") != std::string::npos);
}

}  // namespace
}  // namespace xsp::test
