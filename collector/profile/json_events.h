#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace xsp {

/// Cuts a JSON array of objects, as trace-event profiles are, into its objects, reading the file piece by piece. The
/// objects are not parsed: only brackets and strings are followed.
class JsonEvents {
 public:
  enum class Next {
    kEvent,      // the event is one whole object
    kEnd,        // the array was closed
    kTruncated,  // the file ends before the array does
    kMalformed,  // no array of objects, or an object larger than a megabyte
  };

  /// Owns `fd`.
  explicit JsonEvents(int fd) : fd_(fd) {}
  ~JsonEvents();
  JsonEvents(const JsonEvents&) = delete;
  JsonEvents& operator=(const JsonEvents&) = delete;

  /// Reads on to the end of the next object. Anything but kEvent is returned ever after.
  Next next(std::string* event);

 private:
  /// The next byte, or -1 at the end of the file.
  int get() {
    if (at_ == buffer_.size() && !fill()) return -1;
    return static_cast<unsigned char>(buffer_[at_++]);
  }
  bool fill();
  Next find_event();
  Next read_event(std::string* event);

  int fd_;
  std::vector<char> buffer_;
  size_t at_ = 0;
  bool in_array_ = false;
  Next last_ = Next::kEvent;
};

}  // namespace xsp
