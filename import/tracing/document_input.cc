#include "import/tracing/document_input.h"

#include <algorithm>
#include <cstring>

namespace xsp {
namespace {

constexpr size_t kBufferBytes = size_t{64} << 10;

bool is_between(char byte) { return byte == ' ' || byte == '\n' || byte == '\r' || byte == '\t' || byte == '\x1e'; }

}  // namespace

DocumentInput::DocumentInput(ProfileInput& input) : input_(input), buffer_(new char[kBufferBytes]) {}

bool DocumentInput::fill() {
  if (at_ < end_) return true;
  at_ = 0;
  end_ = input_.read(buffer_.get(), kBufferBytes);
  return end_ != 0;
}

bool DocumentInput::next() {
  char rest[256];
  while (read(rest, sizeof rest) != 0) {
  }
  depth_ = 0;
  in_string_ = escaped_ = false;
  while (fill() && is_between(buffer_[at_])) {
    ++at_;
    ++position_;
  }
  document_begin_ = position_;
  is_at_end_ = at_ == end_;
  return !is_at_end_;
}

size_t DocumentInput::read(char* to, size_t size) {
  if (is_at_end_ || !fill()) return 0;
  const size_t limit = std::min(size, end_ - at_);
  size_t taken = 0;
  while (taken < limit && !is_at_end_) {
    const char byte = buffer_[at_ + taken++];
    if (in_string_) {
      in_string_ = escaped_ || byte != '"';
      escaped_ = !escaped_ && byte == '\\';
    } else if (byte == '"') {
      in_string_ = true;
    } else if (byte == '{' || byte == '[') {
      ++depth_;
    } else if (byte == '}' || byte == ']') {
      is_at_end_ = depth_ <= 1;
      depth_ -= depth_ != 0 ? 1 : 0;
    }
  }
  std::memcpy(to, buffer_.get() + at_, taken);
  at_ += taken;
  position_ += taken;
  return taken;
}

}  // namespace xsp
