#include "analysis/export/http_client.h"
#include "analysis/export/http_endpoint.h"
#include "analysis/export/http_response_parser.h"
#include "analysis/export/otlp_sender.h"
#include "test/catch.h"

namespace xsp::test {
namespace {

using analysis::HttpEndpoint;
using analysis::HttpFailure;
using analysis::HttpHeaders;
using analysis::HttpResponse;
using analysis::HttpResponseParser;
using analysis::OtlpRetry;
using analysis::parse_http_headers;
using analysis::parse_http_url;
using State = HttpResponseParser::State;

HttpEndpoint endpoint(std::string_view url) {
  HttpEndpoint found;
  REQUIRE(parse_http_url(url, "4318", "/v1/traces", &found).ok());
  return found;
}

bool is_refused(std::string_view url) {
  HttpEndpoint found;
  return !parse_http_url(url, "4318", "/v1/traces", &found).ok();
}

HttpResponse response(int status, const std::string& retry_after = "") {
  HttpResponse made;
  made.status = status;
  if (!retry_after.empty()) made.headers.emplace_back("retry-after", retry_after);
  return made;
}

std::optional<double> wait_after(const HttpResponse& answer, int attempt = 1, int64_t now = 0) {
  return OtlpRetry::wait_s(HttpFailure::kNone, answer, attempt, now);
}

}  // namespace

TEST_CASE("a URL has a port and a path of its own or the protocol's", "[export][http]") {
  CHECK(endpoint("http://host").authority() == "host:4318");
  CHECK(endpoint("http://host").target == "/v1/traces");
  CHECK(endpoint("http://host/").target == "/v1/traces");
  CHECK(endpoint("host:80/otlp?project=a#part").target == "/otlp?project=a");
  CHECK(endpoint("http://host?a=b").target == "/v1/traces?a=b");
  CHECK(endpoint("http://[::1]:5000/x").host == "::1");
  CHECK(endpoint("http://[::1]:5000/x").authority() == "[::1]:5000");
}

TEST_CASE("what is no URL of plain HTTP is refused", "[export][http]") {
  for (const char* url : {"", "http://", "https://host", "grpc://host", "http://host:0", "http://host:x", "http://[::1",
                          "http://user@host", "http://host/a b", "http://host/\r\nEvil: 1", "http://host:99999"}) {
    INFO(url);
    CHECK(is_refused(url));
  }
}

TEST_CASE("headers of the environment are decoded, and none adds a line", "[export][http]") {
  HttpHeaders headers;
  REQUIRE(parse_http_headers("a=1, b = x%2Cy%3D ,,c=", &headers).ok());
  CHECK(headers == HttpHeaders{{"a", "1"}, {"b", "x,y="}, {"c", ""}});
  for (const char* text : {"a", "=1", "a b=1", "a=%0d%0aEvil:1", "a=%zz", "a=%4"}) {
    INFO(text);
    CHECK_FALSE(parse_http_headers(text, &headers).ok());
  }
}

TEST_CASE("a response is read whatever its pieces", "[export][http]") {
  const std::string_view text =
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Type: a\r\nTransfer-Encoding: chunked\r\n\r\n"
      "3;x=1\r\nabc\r\nA\r\n0123456789\r\n0\r\nTrailer: 1\r\n\r\n";
  for (size_t piece = 1; piece < text.size(); ++piece) {
    HttpResponseParser parser;
    for (size_t at = 0; at < text.size(); at += piece) parser.add(text.substr(at, piece));
    REQUIRE(parser.state() == State::kDone);
    CHECK(parser.response().status == 200);
    CHECK(parser.response().body == "abc0123456789");
    CHECK(*parser.response().header("content-type") == "a");
    CHECK(parser.keeps_alive());
  }
}

TEST_CASE("a body ends by its length or with the connection", "[export][http]") {
  HttpResponseParser counted;
  CHECK(counted.add("HTTP/1.1 400 Bad\r\nContent-Length: 3\r\nConnection: close\r\n\r\nab") == State::kBody);
  CHECK(counted.add("c") == State::kDone);
  CHECK_FALSE(counted.keeps_alive());
  HttpResponseParser open;
  CHECK(open.add("HTTP/1.0 200 OK\r\n\r\nab") == State::kBody);
  CHECK(open.close() == State::kDone);
  CHECK(open.response().body == "ab");
  HttpResponseParser cut;
  cut.add("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nab");
  CHECK(cut.close() != State::kDone);
}

TEST_CASE("what is no response, or one without end, is given up", "[export][http]") {
  for (const std::string& text :
       {std::string("SSH-2.0-x\r\n"), std::string("HTTP/2 200\r\n\r\n"), std::string("HTTP/1.1 abc\r\n\r\n"),
        std::string("HTTP/1.1 200 OK\r\nno colon\r\n\r\n"),
        std::string("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n"),
        std::string("HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n"),
        std::string("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffff\r\n"),
        std::string("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nab"),
        "HTTP/1.1 200 OK\r\nx: " + std::string(HttpResponseParser::kMostHeadBytes, 'a')}) {
    INFO(text.substr(0, 60));
    HttpResponseParser parser;
    CHECK(parser.add(text) == State::kBroken);
  }
}

TEST_CASE("only a busy receiver is asked again, when it says so", "[export][otlp]") {
  for (const int status : {429, 502, 503, 504}) CHECK(wait_after(response(status)));
  for (const int status : {301, 400, 401, 404, 413, 500, 501}) CHECK_FALSE(wait_after(response(status)));
  CHECK(wait_after(response(503, "7")) == 7.0);
  CHECK(wait_after(response(503, "Sun, 06 Nov 1994 08:49:37 GMT"), 1, 784111777 - 5) == 5.0);
  CHECK(wait_after(response(503, "Sun, 06 Nov 1994 08:49:37 GMT"), 1, 784111777 + 5) == 0.0);
  CHECK_FALSE(wait_after(response(503, "3600")));
  CHECK_FALSE(wait_after(response(503), OtlpRetry::kMostAttempts));
  CHECK(*wait_after(response(503, "soon"), 4) <= 4.0);
  CHECK(*wait_after(response(503), 4) >= 2.0);
  CHECK(OtlpRetry::wait_s(HttpFailure::kDisconnected, {}, 1, 0));
}

}  // namespace xsp::test
