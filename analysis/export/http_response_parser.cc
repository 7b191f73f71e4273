#include "analysis/export/http_response_parser.h"

#include <algorithm>
#include <charconv>

namespace xsp::analysis {
namespace {

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return lower;
}

/// Without blanks, and without the CR of a line.
std::string_view trimmed_line(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r";
  const size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

bool parse_number(std::string_view text, int base, uint64_t* number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *number, base);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

const std::string* HttpResponse::header(std::string_view name) const {
  const auto found =
      std::find_if(headers.begin(), headers.end(), [&](const auto& header) { return header.first == name; });
  return found == headers.end() ? nullptr : &found->second;
}

HttpResponseParser::State HttpResponseParser::add(std::string_view bytes) {
  pending_.append(bytes);
  if (state_ == State::kHead) read_head();
  if (state_ == State::kBody) read_body();
  if (state_ == State::kDone && !pending_.empty()) return broken();
  return state_;
}

HttpResponseParser::State HttpResponseParser::close() {
  if (state_ == State::kBody && framing_ == Framing::kUntilClose) state_ = State::kDone;
  keeps_alive_ = false;
  return state_;
}

HttpResponseParser::State HttpResponseParser::read_head() {
  constexpr std::string_view kEnd = "\r\n\r\n";
  const size_t end = pending_.find(kEnd);
  constexpr std::string_view kVersion = "HTTP/1.";
  const std::string_view start = std::string_view(pending_).substr(0, kVersion.size());
  if (!kVersion.starts_with(start)) return broken();
  if (end == std::string::npos) return pending_.size() > kMostHeadBytes ? broken() : state_;

  const std::string head = pending_.substr(0, end + 2);
  pending_.erase(0, end + kEnd.size());
  const size_t line = head.find("\r\n");
  uint64_t status = 0;
  if (line < 12 || head[8] != ' ' || !parse_number(std::string_view(head).substr(9, 3), 10, &status)) return broken();
  if (head[7] == '0') keeps_alive_ = false;
  response_ = {};
  response_.status = static_cast<int>(status);
  if (!read_headers(std::string_view(head).substr(line + 2))) return broken();
  // 100 Continue and its like come before the response.
  if (status >= 100 && status < 200) return read_head();
  return choose_framing() ? state_ : broken();
}

bool HttpResponseParser::read_headers(std::string_view lines) {
  while (!lines.empty()) {
    const size_t end = lines.find("\r\n");
    const std::string_view line = lines.substr(0, end);
    lines.remove_prefix(end + 2);
    const size_t colon = line.find(':');
    if (colon == std::string_view::npos) return false;
    response_.headers.emplace_back(lower_case(trimmed_line(line.substr(0, colon))),
                                   trimmed_line(line.substr(colon + 1)));
  }
  return true;
}

bool HttpResponseParser::choose_framing() {
  if (const std::string* connection = response_.header("connection")) {
    if (lower_case(*connection).find("close") != std::string::npos) keeps_alive_ = false;
  }
  state_ = State::kBody;
  framing_ = Framing::kUntilClose;
  if (response_.status == 204 || response_.status == 304) {
    framing_ = Framing::kLength;
    return true;
  }
  if (const std::string* coding = response_.header("transfer-encoding")) {
    framing_ = Framing::kChunked;
    return lower_case(*coding) == "chunked";
  }
  if (const std::string* length = response_.header("content-length")) {
    framing_ = Framing::kLength;
    return parse_number(*length, 10, &length_) && length_ <= kMostBodyBytes;
  }
  return true;
}

HttpResponseParser::State HttpResponseParser::read_body() {
  if (framing_ == Framing::kChunked) return read_chunks();
  const size_t wanted = framing_ == Framing::kLength ? length_ - response_.body.size() : pending_.size();
  const size_t taken = std::min(wanted, pending_.size());
  response_.body.append(pending_, 0, taken);
  pending_.erase(0, taken);
  if (response_.body.size() > kMostBodyBytes) return broken();
  if (framing_ == Framing::kLength && response_.body.size() == length_) state_ = State::kDone;
  return state_;
}

HttpResponseParser::State HttpResponseParser::read_chunks() {
  while (true) {
    const size_t line = pending_.find("\r\n");
    if (line == std::string::npos) return pending_.size() > kMostHeadBytes ? broken() : state_;
    const std::string_view size =
        trimmed_line(std::string_view(pending_).substr(0, std::min(line, pending_.find(';'))));
    uint64_t bytes = 0;
    if (!parse_number(size, 16, &bytes) || bytes > kMostBodyBytes) return broken();
    if (bytes == 0) {
      // The last chunk is followed by trailers and an empty line.
      const size_t end = pending_.find("\r\n\r\n", line);
      if (end == std::string::npos) return pending_.size() > kMostHeadBytes ? broken() : state_;
      pending_.erase(0, end + 4);
      return state_ = State::kDone;
    }
    const size_t chunk = line + 2;
    if (pending_.size() < chunk + bytes + 2) return state_;
    response_.body.append(pending_, chunk, bytes);
    if (response_.body.size() > kMostBodyBytes || pending_.compare(chunk + bytes, 2, "\r\n") != 0) return broken();
    pending_.erase(0, chunk + bytes + 2);
  }
}

}  // namespace xsp::analysis
