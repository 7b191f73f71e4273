#include "base/json_pieces.h"

#include <string>
#include <vector>

#include "test/catch.h"
#include "test/import/memory_input.h"

namespace xsp {
namespace {

using Pieces = std::vector<std::string>;

/// "path=text" of a value, "(path" and ")path" of what opens and closes, and how it ends.
Pieces pieces_of(ProfileInput& input, std::vector<std::string> paths) {
  JsonPieces json(input, std::move(paths));
  Pieces pieces;
  for (;;) {
    const JsonPieces::Piece piece = json.next();
    const std::string path(json.path());
    switch (piece) {
      case JsonPieces::Piece::kValue:
        pieces.push_back(path + "=" + std::string(json.text()));
        break;
      case JsonPieces::Piece::kOpen:
        pieces.push_back("(" + path);
        break;
      case JsonPieces::Piece::kClose:
        pieces.push_back(")" + path);
        break;
      case JsonPieces::Piece::kEnd:
        pieces.push_back("end");
        break;
      case JsonPieces::Piece::kTruncated:
        pieces.push_back("truncated");
        break;
      case JsonPieces::Piece::kMalformed:
        pieces.push_back("malformed " + std::to_string(json.position()));
        break;
    }
    if (piece == JsonPieces::Piece::kEnd || piece == JsonPieces::Piece::kTruncated ||
        piece == JsonPieces::Piece::kMalformed) {
      CHECK(json.next() == piece);
      return pieces;
    }
  }
}

Pieces pieces_of(const std::string& text, std::vector<std::string> paths) {
  test::MemoryInput input(text);
  return pieces_of(input, std::move(paths));
}

const std::vector<std::string> kEvents = {"traceEvents[]", "[]"};

TEST_CASE("elements of an array come one by one, other members whole", "[json_pieces]") {
  CHECK(pieces_of(R"({"schemaVersion": 1, "traceEvents": [{"a":[1,{}]}, 7 ,"x"], "deviceProperties": [{"id":0}]})",
                  kEvents) == Pieces{"schemaVersion=1", R"(traceEvents[]={"a":[1,{}]})", "traceEvents[]=7",
                                     R"(traceEvents[]="x")", R"(deviceProperties=[{"id":0}])", "end"});
}

TEST_CASE("an array may be the document", "[json_pieces]") {
  CHECK(pieces_of("[{}, [1], true]", kEvents) == Pieces{"[]={}", "[]=[1]", "[]=true", "end"});
  CHECK(pieces_of("[]", kEvents) == Pieces{"end"});
}

TEST_CASE("arrays within elements", "[json_pieces]") {
  const std::string text =
      R"({"data": [{"id": "t", "spans": [{"s": 1}, {"s": 2}], "processes": {"p1": {}}}, {"spans": []}, 5], "total": 0})";
  CHECK(pieces_of(text, {"data[].spans[]"}) == Pieces{"(data[]", R"(data[].id="t")", R"(data[].spans[]={"s": 1})",
                                                      R"(data[].spans[]={"s": 2})", R"(data[].processes={"p1": {}})",
                                                      ")data[]", "(data[]", ")data[]", "data[]=5", "total=0", "end"});
}

TEST_CASE("objects on the way to an array are gone through", "[json_pieces]") {
  CHECK(pieces_of(R"({"a": {"b": [1, 2], "c": {}}, "d": null})", {"a.b[]", "d[]"}) ==
        Pieces{"a.b[]=1", "a.b[]=2", "a.c={}", "d=null", "end"});
}

TEST_CASE("brackets and quotes in strings are text", "[json_pieces]") {
  CHECK(pieces_of(R"([{"n": "a]}\"}{["}, "\\", "\\\"]", {"k\"}": "\\"}])", kEvents) ==
        Pieces{R"([]={"n": "a]}\"}{["})", R"([]="\\")", R"([]="\\\"]")", R"([]={"k\"}": "\\"})", "end"});
}

TEST_CASE("a byte order mark and spaces anywhere", "[json_pieces]") {
  CHECK(pieces_of("\xef\xbb\xbf \r\n{\t\"a\" :\n1 ,\"traceEvents\"\n: [ {} , {} ] } \n garbage", kEvents) ==
        Pieces{"a=1", "traceEvents[]={}", "traceEvents[]={}", "end"});
}

TEST_CASE("a key that comes again is read again", "[json_pieces]") {
  CHECK(pieces_of(R"({"traceEvents": [1], "a": 1, "traceEvents": [2], "a": 2})", kEvents) ==
        Pieces{"traceEvents[]=1", "a=1", "traceEvents[]=2", "a=2", "end"});
}

TEST_CASE("a comma before the end is let through", "[json_pieces]") {
  CHECK(pieces_of(R"({"traceEvents": [{},],})", kEvents) == Pieces{"traceEvents[]={}", "end"});
}

TEST_CASE("what is nested otherwise, or no JSON, is malformed where it begins", "[json_pieces]") {
  CHECK(pieces_of("{}", {"[]"}) == Pieces{"malformed 0"});
  CHECK(pieces_of("  text", kEvents) == Pieces{"malformed 2"});
  CHECK(pieces_of("17", kEvents) == Pieces{"malformed 0"});
  CHECK(pieces_of(R"({"traceEvents": {}})", kEvents) == Pieces{"malformed 16"});
  CHECK(pieces_of("[{} {}]", kEvents) == Pieces{"[]={}", "malformed 4"});
  CHECK(pieces_of("[{}}", kEvents) == Pieces{"[]={}", "malformed 3"});
  CHECK(pieces_of(R"([{"a": [1}]}, 2])", kEvents) == Pieces{"malformed 9"});
  CHECK(pieces_of("[,]", kEvents) == Pieces{"malformed 1"});
  CHECK(pieces_of(R"({a: 1})", kEvents) == Pieces{"malformed 1"});
  CHECK(pieces_of(R"({"a" 1})", kEvents) == Pieces{"malformed 5"});
  CHECK(pieces_of(R"({"a": })", kEvents) == Pieces{"malformed 6"});
}

TEST_CASE("brackets within brackets up to the limit", "[json_pieces]") {
  const auto nested = [](size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  const std::string most = nested(JsonPieces::kMaxDepth);
  CHECK(pieces_of("[" + most + "]", kEvents) == Pieces{"[]=" + most, "end"});
  CHECK(pieces_of("[" + nested(JsonPieces::kMaxDepth + 1) + "]", kEvents) ==
        Pieces{"malformed " + std::to_string(JsonPieces::kMaxDepth + 1)});
}

const std::string kDocument =
    "\xef\xbb\xbf"
    R"({"schemaVersion": 1, "k\"]": "v\\", "traceEvents": [{"name": "a}\"{", "args": {"x": [1, [2]]}},
    -1.5e3, {"name": "\\\\", "long": "0123456789012345678901234567890123456789012345678901234567890123456789"}],
    "empty": {}, "last": [{"[": "]"}]}  )";

TEST_CASE("a document is the same wherever its bytes are split", "[json_pieces]") {
  const Pieces whole = pieces_of(kDocument, kEvents);
  REQUIRE(whole.size() == 8);
  REQUIRE(whole.back() == "end");
  for (size_t bytes = 1; bytes < kDocument.size(); ++bytes) {
    test::MemoryInput input(kDocument, bytes);
    REQUIRE(pieces_of(input, kEvents) == whole);
  }
}

TEST_CASE("a document is the same wherever it lies in the buffer", "[json_pieces]") {
  const Pieces whole = pieces_of(kDocument, kEvents);
  constexpr size_t kBuffer = size_t{1} << 20;
  const std::string body = kDocument.substr(4);
  for (size_t at = 0; at <= body.size(); ++at) {
    const std::string spaces(kBuffer - at, ' ');
    REQUIRE(pieces_of(spaces + "{" + body, kEvents) == whole);
  }
}

TEST_CASE("a document cut anywhere is truncated, with the pieces before", "[json_pieces]") {
  const Pieces whole = pieces_of(kDocument, kEvents);
  const size_t length = kDocument.find_last_of('}') + 1;
  for (size_t cut = 0; cut < length; ++cut) {
    const Pieces pieces = pieces_of(kDocument.substr(0, cut), kEvents);
    REQUIRE(pieces.back() == (cut == 1 || cut == 2 ? "malformed 0" : "truncated"));
    REQUIRE(pieces.size() < whole.size() + 1);
    for (size_t i = 0; i + 1 < pieces.size(); ++i) REQUIRE(pieces[i] == whole[i]);
  }
}

TEST_CASE("values larger than the buffer are whole, up to the limit", "[json_pieces]") {
  const std::string large = "{\"a\": \"" + std::string(5'000'000, ']') + "\"}";
  CHECK(pieces_of("[1," + large + "," + large + ",2]", kEvents) ==
        Pieces{"[]=1", "[]=" + large, "[]=" + large, "[]=2", "end"});
  const std::string most = "\"" + std::string(JsonPieces::Limits().value_bytes - 2, 'x') + "\"";
  CHECK(pieces_of("[" + most + "]", kEvents) == Pieces{"[]=" + most, "end"});
  CHECK(pieces_of("[1,\"x" + most.substr(1) + "]", kEvents) == Pieces{"[]=1", "malformed 3"});
  CHECK(pieces_of("[1,[\"" + most.substr(1) + "]]", kEvents) == Pieces{"[]=1", "malformed 3"});
  CHECK(pieces_of("[1,[\"" + most + most, kEvents) == Pieces{"[]=1", "malformed 3"});
}

TEST_CASE("many keys keep their paths", "[json_pieces]") {
  std::string text = "{";
  const size_t count = 3 * JsonPieces::kMaxOtherPaths;
  for (size_t i = 0; i < count; ++i) text += "\"k" + std::to_string(i) + "\":" + std::to_string(i) + ",";
  const Pieces pieces = pieces_of(text + "}", kEvents);
  REQUIRE(pieces.size() == count + 1);
  CHECK(pieces[count - 1] == "k" + std::to_string(count - 1) + "=" + std::to_string(count - 1));
}

TEST_CASE("the bytes behind a value may be read", "[json_pieces]") {
  const std::string document = "[1, \"" + std::string((size_t{1} << 20) - 6, 'x') + "\"]";
  test::MemoryInput input(document);
  JsonPieces json(input, {"[]"});
  while (json.next() == JsonPieces::Piece::kValue) {
    CHECK(json.position() == (json.text() == "1" ? 1 : 4));
    const std::string padded(json.text().data(), json.text().size() + JsonPieces::kPadding);  // AddressSanitizer looks
    CHECK(padded.substr(0, json.text().size()) == json.text());
  }
}

}  // namespace
}  // namespace xsp
