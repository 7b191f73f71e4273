#include "collector/profile/json_events.h"

#include <cerrno>

#include <unistd.h>

namespace xsp {
namespace {

constexpr size_t kBufferBytes = size_t{64} << 10;
constexpr size_t kMaxEventBytes = size_t{1} << 20;

bool is_space(int byte) { return byte == ' ' || byte == '\n' || byte == '\r' || byte == '\t'; }

}  // namespace

JsonEvents::~JsonEvents() { ::close(fd_); }

bool JsonEvents::fill() {
  buffer_.resize(kBufferBytes);
  at_ = 0;
  ssize_t got;
  do {
    got = ::read(fd_, buffer_.data(), buffer_.size());
  } while (got < 0 && errno == EINTR);
  buffer_.resize(got > 0 ? static_cast<size_t>(got) : 0);
  return !buffer_.empty();
}

JsonEvents::Next JsonEvents::next(std::string* event) {
  if (last_ == Next::kEvent) last_ = find_event();
  if (last_ == Next::kEvent) last_ = read_event(event);
  return last_;
}

/// Reads on behind the opening brace of an object.
JsonEvents::Next JsonEvents::find_event() {
  for (;;) {
    const int byte = get();
    if (byte < 0) return Next::kTruncated;
    if (is_space(byte)) continue;
    if (!in_array_) {
      if (byte != '[') return Next::kMalformed;
      in_array_ = true;
    } else if (byte == '{') {
      return Next::kEvent;
    } else if (byte == ']') {
      return Next::kEnd;
    } else if (byte != ',') {
      return Next::kMalformed;
    }
  }
}

JsonEvents::Next JsonEvents::read_event(std::string* event) {
  event->assign(1, '{');
  int depth = 1;
  bool in_string = false;
  while (depth > 0) {
    const int byte = get();
    if (byte < 0) return Next::kTruncated;
    if (event->size() >= kMaxEventBytes) return Next::kMalformed;
    event->push_back(static_cast<char>(byte));
    if (in_string) {
      if (byte == '"') in_string = false;
      if (byte != '\\') continue;
      const int escaped = get();
      if (escaped < 0) return Next::kTruncated;
      event->push_back(static_cast<char>(escaped));
    } else if (byte == '"') {
      in_string = true;
    } else if (byte == '{' || byte == '[') {
      ++depth;
    } else if (byte == '}' || byte == ']') {
      --depth;
    }
  }
  return Next::kEvent;
}

}  // namespace xsp
