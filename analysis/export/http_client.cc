#include "analysis/export/http_client.h"

#include <array>
#include <asio.hpp>
#include <utility>

#include "analysis/export/http_response_parser.h"

namespace xsp::analysis {

using asio::ip::tcp;

struct HttpClient::Connection {
  HttpEndpoint endpoint;
  std::chrono::milliseconds timeout;
  asio::io_context context;
  tcp::socket socket{context};
  std::chrono::steady_clock::time_point deadline;
  std::string error;

  HttpFailure fail(HttpFailure failure, const std::string& what, const std::string& why) {
    asio::error_code ignored;
    socket.close(ignored);
    error = what + " (" + why + ")";
    return failure;
  }

  HttpFailure out_of_time(const std::string& what) {
    return fail(HttpFailure::kTimeout, what, "nothing within " + std::to_string(timeout.count() / 1000) + " s");
  }

  /// Runs what was started until it is done; false: it missed the deadline, and is cancelled.
  bool run(const bool& done) {
    context.restart();
    while (!done && context.run_one_until(deadline) != 0) {
    }
    if (done) return true;
    asio::error_code ignored;
    socket.close(ignored);
    // A cancelled operation still has to report: it refers to its caller.
    context.restart();
    context.run();
    return false;
  }

  HttpFailure connect();
  HttpFailure exchange(const std::string& head, std::string_view body, HttpResponse* response);
};

HttpFailure HttpClient::Connection::connect() {
  const std::string server = endpoint.authority();
  bool done = false;
  asio::error_code failed;
  tcp::resolver resolver(context);
  tcp::resolver::results_type addresses;
  resolver.async_resolve(endpoint.host, endpoint.port, [&](const asio::error_code& code, auto results) {
    failed = code;
    addresses = std::move(results);
    done = true;
  });
  if (!run(done)) return out_of_time("cannot find the host " + endpoint.host);
  if (failed) return fail(HttpFailure::kUnknownHost, "cannot find the host " + endpoint.host, failed.message());

  done = false;
  asio::async_connect(socket, addresses, [&](const asio::error_code& code, const tcp::endpoint&) {
    failed = code;
    done = true;
  });
  if (!run(done)) return out_of_time("cannot connect to " + server);
  if (failed) return fail(HttpFailure::kUnreachable, "cannot connect to " + server, failed.message());
  asio::error_code ignored;
  socket.set_option(tcp::no_delay(true), ignored);
  return HttpFailure::kNone;
}

HttpFailure HttpClient::Connection::exchange(const std::string& head, std::string_view body, HttpResponse* response) {
  const std::string server = endpoint.authority();
  asio::error_code failed;
  bool done = false;
  const std::array<asio::const_buffer, 2> request = {asio::buffer(head), asio::buffer(body)};
  asio::async_write(socket, request, [&](const asio::error_code& code, size_t) {
    failed = code;
    done = true;
  });
  if (!run(done)) return out_of_time(server + " does not take the request");
  // A server that refuses may answer and close before it has read all: the response says why.
  const asio::error_code write_failed = failed;

  HttpResponseParser parser;
  std::array<char, 16384> buffer;
  while (parser.state() != HttpResponseParser::State::kDone) {
    size_t received = 0;
    done = false;
    socket.async_read_some(asio::buffer(buffer), [&](const asio::error_code& code, size_t bytes) {
      failed = code;
      received = bytes;
      done = true;
    });
    if (!run(done)) return out_of_time(server + " does not answer");
    if (failed) {
      if (parser.close() == HttpResponseParser::State::kDone) break;
      const asio::error_code& why = write_failed ? write_failed : failed;
      return fail(HttpFailure::kDisconnected, server + " closed the connection without an answer", why.message());
    }
    if (parser.add({buffer.data(), received}) == HttpResponseParser::State::kBroken) {
      return fail(HttpFailure::kNotHttp, server + " does not answer as an HTTP server", "another protocol's port?");
    }
  }
  if (!parser.keeps_alive() || write_failed) socket.close(failed);
  *response = std::move(parser.response());
  return HttpFailure::kNone;
}

HttpClient::HttpClient(HttpEndpoint endpoint, std::chrono::milliseconds timeout)
    : connection_(std::make_unique<Connection>()) {
  connection_->endpoint = std::move(endpoint);
  connection_->timeout = timeout;
}

HttpClient::~HttpClient() = default;

const std::string& HttpClient::error() const { return connection_->error; }

HttpFailure HttpClient::post(const HttpHeaders& headers, std::string_view body, HttpResponse* response) {
  Connection& connection = *connection_;
  connection.deadline = std::chrono::steady_clock::now() + connection.timeout;
  std::string head = "POST " + connection.endpoint.target + " HTTP/1.1\r\n";
  const auto add = [&](std::string_view name, std::string_view value) {
    head.append(name).append(": ").append(value).append("\r\n");
  };
  add("Host", connection.endpoint.authority());
  for (const auto& [name, value] : headers) add(name, value);
  add("Content-Length", std::to_string(body.size()));
  head += "\r\n";

  const bool reused = connection.socket.is_open();
  if (!reused) {
    if (const HttpFailure failure = connection.connect(); failure != HttpFailure::kNone) return failure;
  }
  HttpFailure failure = connection.exchange(head, body, response);
  // A server may close a connection that waits for the next request at any time.
  if (failure == HttpFailure::kDisconnected && reused) {
    failure = connection.connect();
    if (failure == HttpFailure::kNone) failure = connection.exchange(head, body, response);
  }
  return failure;
}

}  // namespace xsp::analysis
