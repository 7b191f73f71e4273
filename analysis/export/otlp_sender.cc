#include "analysis/export/otlp_sender.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <ctime>
#include <random>
#include <thread>

#include "analysis/export/gzip.h"
#include "analysis/export/otlp_batches.h"
#include "analysis/export/otlp_message.h"
#include "base/text_encoding.h"
#include "proto/pbf.h"

namespace xsp::analysis {
namespace {

constexpr std::chrono::seconds kTimeout(30);  // of one request
constexpr int kGzipLevel = 1;                 // spans are alike: the fastest packs them 10 times

/// "17" or "Sun, 06 Nov 1994 08:49:37 GMT", in seconds from `now`.
std::optional<double> parse_retry_after(const std::string& text, int64_t now) {
  uint32_t seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (error == std::errc() && end == text.data() + text.size()) return seconds;
  std::tm date = {};
  if (strptime(text.c_str(), "%a, %d %b %Y %H:%M:%S GMT", &date) == nullptr) return std::nullopt;
  return std::max<double>(0, static_cast<double>(timegm(&date) - now));
}

/// Field numbers of ExportTraceServiceResponse, its partial_success and google.rpc.Status.
namespace response_field {
enum : uint32_t { kPartialSuccess = 1, kRejectedSpans = 1, kErrorMessage = 2, kMessageOfStatus = 2 };
}

/// ExportTraceServiceResponse.partial_success, and the message of a Status.
void read_partial_success(const std::string& body, OtlpDelivery* delivery) {
  try {
    protozero::pbf_reader response(body);
    while (response.next(response_field::kPartialSuccess)) {
      protozero::pbf_reader partial = response.get_message();
      while (partial.next()) {
        if (partial.tag() == response_field::kRejectedSpans) {
          delivery->rejected += static_cast<uint64_t>(std::max<int64_t>(0, partial.get_int64()));
        } else if (partial.tag() == response_field::kErrorMessage) {
          const std::string text = partial.get_string();
          if (delivery->receiver_says.empty()) delivery->receiver_says = text;
        } else {
          partial.skip();
        }
      }
    }
  } catch (const protozero::exception&) {
    // A body other than the protocol's, with a status that reports success.
  }
}

/// What a receiver says in a refusal: the message of google.rpc.Status, else the text that it sent.
std::string refusal_text(const HttpResponse& response) {
  const std::string* type = response.header("content-type");
  std::string text = response.body;
  if (type != nullptr && type->find("protobuf") != std::string::npos) {
    text.clear();
    try {
      protozero::pbf_reader status(response.body);
      while (status.next()) {
        if (status.tag() == response_field::kMessageOfStatus) {
          text = status.get_string();
        } else {
          status.skip();
        }
      }
    } catch (const protozero::exception&) {
    }
  }
  constexpr size_t kColumns = 200;
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
  return shorten(printable(text.substr(0, 4 * kColumns)), kColumns);
}

Status refusal(const std::string& url, const HttpResponse& response) {
  const std::string status = "HTTP status " + std::to_string(response.status);
  const std::string said = refusal_text(response);
  Status refused{url + " did not take the spans (" + status + (said.empty() ? "" : ": " + said) + ")", ""};
  switch (response.status) {
    case 301:
    case 302:
    case 307:
    case 308: {
      const std::string* location = response.header("location");
      refused.hint = location == nullptr ? "it moved: give its new URL" : "give its new URL, " + *location;
      break;
    }
    case 401:
    case 403:
      refused.hint = "OTEL_EXPORTER_OTLP_HEADERS gives requests the headers that the receiver asks for";
      break;
    case 404:
    case 405:
      refused.hint = "give the whole URL of its OTLP traces, such as http://localhost:4318/v1/traces";
      break;
    case 413:
      refused.hint = "the receiver has a limit for requests that is below 1 MB: raise it";
      break;
    case 415:
      refused.hint = "the receiver reads no protobuf: --export otlp-json writes what it may read";
      break;
    default:
      break;
  }
  return refused;
}

Status failure_status(HttpFailure failure, const HttpClient& client) {
  switch (failure) {
    case HttpFailure::kUnknownHost:
      return {client.error(), "is the name right, and is it known on this machine?"};
    case HttpFailure::kUnreachable:
      return {client.error(), "does the receiver run, and does it listen for OTLP over HTTP on this port?"};
    case HttpFailure::kNotHttp:
      return {client.error(), "OTLP over HTTP listens on port 4318, over gRPC, which is not spoken here, on 4317"};
    default:
      return {client.error(), ""};
  }
}

HttpHeaders base_headers() {
  return {{"User-Agent", "xsp/" XSP_VERSION},
          {"Content-Type", "application/x-protobuf"},
          {"Content-Encoding", "gzip"},
          {"Accept", "application/x-protobuf"}};
}

/// As specified: the headers for traces, else those for all signals.
Status add_users_headers(HttpHeaders* headers) {
  for (const char* variable : {"OTEL_EXPORTER_OTLP_TRACES_HEADERS", "OTEL_EXPORTER_OTLP_HEADERS"}) {
    const char* text = std::getenv(variable);
    if (text != nullptr && *text != '\0') return parse_http_headers(text, headers);
  }
  return {};
}

/// One request, asked again while the receiver is busy.
Status deliver(HttpClient* client, const std::string& url, const HttpHeaders& headers, std::string_view body,
               bool sent_before, OtlpDelivery* delivery) {
  for (int attempt = 1;; ++attempt) {
    HttpResponse response;
    const HttpFailure failure = client->post(headers, body, &response);
    if (failure == HttpFailure::kNone && response.status >= 200 && response.status < 300) {
      read_partial_success(response.body, delivery);
      return {};
    }
    // A receiver that was never reached is not a busy one.
    const bool never_there = failure == HttpFailure::kUnknownHost || failure == HttpFailure::kNotHttp ||
                             (failure == HttpFailure::kUnreachable && !sent_before);
    const std::optional<double> wait =
        never_there ? std::nullopt : OtlpRetry::wait_s(failure, response, attempt, std::time(nullptr));
    if (!wait) return failure == HttpFailure::kNone ? refusal(url, response) : failure_status(failure, *client);
    std::this_thread::sleep_for(std::chrono::duration<double>(*wait));
  }
}

}  // namespace

std::optional<double> OtlpRetry::wait_s(HttpFailure failure, const HttpResponse& response, int attempt, int64_t now) {
  if (attempt >= kMostAttempts) return std::nullopt;
  if (failure == HttpFailure::kNone) {
    constexpr int kBusy[] = {429, 502, 503, 504};
    if (std::find(std::begin(kBusy), std::end(kBusy), response.status) == std::end(kBusy)) return std::nullopt;
    if (const std::string* after = response.header("retry-after")) {
      if (const std::optional<double> seconds = parse_retry_after(*after, now)) {
        return *seconds <= kLongestWait_s ? seconds : std::nullopt;
      }
    }
  }
  // Half of the delay is random, so that not all retry at the same time.
  static std::minstd_rand chance(static_cast<uint32_t>(std::time(nullptr)));
  const double longest = 0.5 * static_cast<double>(1 << (attempt - 1));
  return longest * (0.5 + 0.5 * std::uniform_real_distribution<double>()(chance));
}

Status parse_otlp_url(std::string_view url, HttpEndpoint* endpoint) {
  return parse_http_url(url, "4318", "/v1/traces", endpoint);
}

Status send_otlp(const ExportInput& input, const std::string& url, std::optional<Level> deepest,
                 const OtlpProgress& progress, OtlpDelivery* delivery) {
  HttpEndpoint endpoint;
  if (Status status = parse_otlp_url(url, &endpoint); !status.ok()) return status;
  HttpHeaders headers = base_headers();
  if (Status status = add_users_headers(&headers); !status.ok()) return status;

  OtlpBatches batches(input, deepest);
  delivery->deepest = batches.deepest();
  delivery->left_out = batches.left_out();
  HttpClient client(std::move(endpoint), kTimeout);
  OtlpBatch batch;
  std::string body;
  while (const size_t spans = batches.next(&batch)) {
    body.clear();
    append_otlp_protobuf(batch, &body);
    const std::string packed = gzip(body, kGzipLevel);
    Status status = deliver(&client, url, headers, packed, delivery->requests != 0, delivery);
    if (!status.ok()) {
      if (delivery->spans != 0) {
        status.error += "; " + std::to_string(delivery->spans) + " spans had arrived before";
      }
      return status;
    }
    delivery->spans += spans;
    delivery->bytes += packed.size();
    ++delivery->requests;
    if (progress) progress(*delivery);
  }
  return {};
}

}  // namespace xsp::analysis
