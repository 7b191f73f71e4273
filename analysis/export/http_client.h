#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "analysis/export/http_endpoint.h"

namespace xsp::analysis {

struct HttpResponse {
  int status = 0;
  HttpHeaders headers;  // names in lower case
  std::string body;

  /// The value of a header by its name in lower case, or null.
  const std::string* header(std::string_view name) const;
};

/// Why there is no response.
enum class HttpFailure : uint8_t {
  kNone,
  kUnknownHost,
  kUnreachable,   // refused, no route
  kTimeout,       // nobody answered in time
  kDisconnected,  // closed before the response was whole
  kNotHttp,       // something else speaks there
};

/// Requests over HTTP/1.1 to one server, one after another over one connection. No TLS, no proxy, no redirects.
class HttpClient {
 public:
  HttpClient(HttpEndpoint endpoint, std::chrono::milliseconds timeout);
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  /// Sends `body` and waits for the response, all in the timeout. Connects first where no connection is open.
  HttpFailure post(const HttpHeaders& headers, std::string_view body, HttpResponse* response);

  /// What went wrong last, for a user: "cannot connect to localhost:4318 (Connection refused)".
  const std::string& error() const;

 private:
  struct Connection;
  std::unique_ptr<Connection> connection_;
};

}  // namespace xsp::analysis
