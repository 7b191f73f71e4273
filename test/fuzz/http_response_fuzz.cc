/// Entry for what a receiver of OTLP answers, in reads of the size of the first byte, and for URLs and headers of
/// exports.

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "analysis/export/http_endpoint.h"
#include "analysis/export/http_response_parser.h"
#include "test/fuzz/fuzz_input.h"

using xsp::analysis::HttpResponseParser;

namespace {

void read_response(std::string_view bytes, size_t part) {
  HttpResponseParser parser;
  while (!bytes.empty() && parser.state() != HttpResponseParser::State::kBroken) {
    parser.add(bytes.substr(0, part));
    bytes.remove_prefix(std::min(part, bytes.size()));
  }
  parser.close();
  if (parser.response().body.size() > HttpResponseParser::kMostBodyBytes + (64 << 10)) std::abort();
}

void read_address(std::string_view url, std::string_view headers) {
  xsp::analysis::HttpEndpoint endpoint;
  if (xsp::analysis::parse_http_url(url, "4318", "/v1/traces", &endpoint).ok()) {
    // Nothing of it may add a line to a request.
    const std::string request = endpoint.target + endpoint.authority();
    if (request.find_first_of("\r\n") != std::string::npos) std::abort();
  }
  xsp::analysis::HttpHeaders parsed;
  if (!xsp::analysis::parse_http_headers(headers, &parsed).ok()) return;
  for (const auto& [key, value] : parsed) {
    if ((key + value).find_first_of("\r\n") != std::string::npos) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  xsp::test::FuzzInput input(data, size);
  const uint8_t part = input.byte();
  if (part == 0) {
    const std::string_view url = input.line();
    read_address(url, input.rest());
  } else {
    read_response(input.rest(), part == 255 ? SIZE_MAX : part);
  }
  return 0;
}
