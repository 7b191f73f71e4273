#include "base/csv_records.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace xsp {
namespace {

constexpr size_t kReadBytes = 64 << 10;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

}  // namespace

Status CsvRecords::open(const std::string& path) {
  path_ = path;
  file_.reset(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file_) return {"cannot read " + path + " (" + std::strerror(errno) + ")", "", exit_code_};
  skip_byte_order_mark();
  return status_;
}

void CsvRecords::take_text(std::string_view text, const std::string& name) {
  path_ = name;
  buffer_ = text;
  skip_byte_order_mark();
}

void CsvRecords::skip_byte_order_mark() {
  for (const char c : kByteOrderMark) {
    if (peek() != static_cast<unsigned char>(c)) break;
    take();
  }
}

Status CsvRecords::error_here(const std::string& why) const {
  return {path_ + ", line " + std::to_string(record_line_) + ": " + why, "", exit_code_};
}

bool CsvRecords::fail(const std::string& why) {
  if (status_.ok()) status_ = error_here(why);
  return false;
}

int CsvRecords::peek() {
  if (at_ == buffer_.size() && file_ && status_.ok()) {
    buffer_.resize(kReadBytes);
    ssize_t got;
    do {
      got = ::read(file_.get(), buffer_.data(), buffer_.size());
    } while (got < 0 && errno == EINTR);
    if (got < 0) status_ = {"cannot read " + path_ + " (" + std::strerror(errno) + ")", "", exit_code_};
    buffer_.resize(got > 0 ? static_cast<size_t>(got) : 0);
    at_ = 0;
  }
  return at_ < buffer_.size() ? static_cast<unsigned char>(buffer_[at_]) : kEnd;
}

int CsvRecords::take() {
  const int c = peek();
  if (c == kEnd) return c;
  ++at_;
  if (c == '\n') ++line_;
  return c;
}

bool CsvRecords::add(char c, std::string* field) {
  if (++record_bytes_ > kMostRecordBytes) return fail("a record of more than 16 MiB");
  field->push_back(c);
  return true;
}

/// Behind the opening quote.
bool CsvRecords::take_quoted(std::string* field) {
  while (true) {
    const int c = take();
    if (c == kEnd) return fail("a quoted field does not end");
    if (c == '"') {
      if (peek() != '"') break;
      take();
    }
    if (!add(static_cast<char>(c), field)) return false;
  }
  const int next = peek();
  if (next == ',' || next == '\n' || next == '\r' || next == kEnd) return true;
  return fail("text follows a quoted field");
}

bool CsvRecords::take_plain(std::string* field) {
  for (int c = peek(); c != ',' && c != '\n' && c != kEnd; c = peek()) {
    if (!add(static_cast<char>(take()), field)) return false;
  }
  if (peek() != ',' && field->ends_with('\r')) field->pop_back();
  return true;
}

bool CsvRecords::next(std::vector<std::string>* fields) {
  while (status_.ok() && peek() != kEnd) {
    fields->clear();
    record_line_ = line_;
    record_bytes_ = 0;
    bool was_quoted = false;
    int end = ',';
    while (end == ',') {
      if (fields->size() == kMostFields) return fail("more than " + std::to_string(kMostFields) + " fields");
      std::string& field = fields->emplace_back();
      was_quoted = peek() == '"';
      if (was_quoted) take();
      if (!(was_quoted ? take_quoted(&field) : take_plain(&field))) return false;
      end = take();
      if (end == '\r') {
        end = take();
        if (end != '\n' && end != kEnd) return fail("text follows a quoted field");
      }
    }
    if (!status_.ok()) return false;
    if (fields->size() > 1 || was_quoted || !fields->front().empty()) return true;
  }
  return false;
}

}  // namespace xsp
