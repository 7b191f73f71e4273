#pragma once

/// The recorder's file: lines of text, in memory until the writing thread takes them. Nothing here throws, or allocates
/// with operator new, which is the program's. Format: cupti_recorder.cc.

#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

namespace recorder {

inline uint64_t nanoseconds(clockid_t clock) {
  timespec time;
  clock_gettime(clock, &time);
  return static_cast<uint64_t>(time.tv_sec) * 1000000000 + static_cast<uint64_t>(time.tv_nsec);
}

/// Ticks of the processor's own counter.
inline uint64_t ticks() {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
  uint64_t value;
  asm volatile("mrs %0, cntvct_el0" : "=r"(value));
  return value;
#else
  return 0;
#endif
}

class Lock {
 public:
  explicit Lock(pthread_mutex_t& mutex) : mutex_(mutex) { pthread_mutex_lock(&mutex_); }
  ~Lock() { pthread_mutex_unlock(&mutex_); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  pthread_mutex_t& mutex_;
};

/// Any thread appends whole lines; they are written in that order.
class RecordingFile {
 public:
  /// `%p` becomes the process id. Beyond `most_bytes` callbacks, resources and records are left out.
  bool open(const char* pattern, uint64_t most_bytes) {
    char path[4096];
    const char* number = strstr(pattern, "%p");
    if (number == nullptr) {
      snprintf(path, sizeof path, "%s", pattern);
    } else {
      snprintf(path, sizeof path, "%.*s%d%s", static_cast<int>(number - pattern), pattern, getpid(), number + 2);
    }
    most_bytes_ = most_bytes;
    descriptor_ = ::open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    return descriptor_ >= 0;
  }

  /// False: left out. From `write_through` on the line is in the file when this returns.
  bool append(const char* line, size_t bytes) {
    {
      const Lock held(lock_);
      if ((total_ > most_bytes_ && is_of_many(line)) || !has_room(bytes)) return false;
      memcpy(text_ + used_, line, bytes);
      used_ += bytes;
    }
    if (through_) write_out();
    return true;
  }

  void write_through() { through_ = true; }

  void write_out() {
    const Lock one_writer(writing_);
    char* text = nullptr;
    size_t bytes = 0;
    {
      const Lock held(lock_);
      text = text_;
      bytes = used_;
      text_ = spare_;
      spare_ = text;
      const size_t room = room_;
      room_ = spare_room_;
      spare_room_ = room;
      used_ = 0;
    }
    for (size_t done = 0; done < bytes;) {
      const ssize_t written = write(descriptor_, text + done, bytes - done);
      if (written <= 0) return;
      done += static_cast<size_t>(written);
    }
  }

  /// Number of a text; its first use writes a line for it. 0: none.
  uint32_t text_id(const char* text) {
    if (text == nullptr) return 0;
    uint64_t hash = 1469598103934665603U;
    for (const char* c = text; *c != '\0'; ++c) hash = (hash ^ static_cast<unsigned char>(*c)) * 1099511628211U;
    const Lock held(lock_);
    for (size_t at = hash % kTexts, tries = 0; tries < kTexts; at = (at + 1) % kTexts, ++tries) {
      if (hashes_[at] == hash) return numbers_[at];
      if (hashes_[at] != 0) continue;
      if (text_count_ + 1 >= kTexts) return 0;
      hashes_[at] = hash;
      numbers_[at] = ++text_count_;
      append_text(numbers_[at], text);
      return numbers_[at];
    }
    return 0;
  }

 private:
  static constexpr size_t kTexts = 1 << 15;

  static bool is_of_many(const char* line) {
    return strncmp(line, "callback", 8) == 0 || strncmp(line, "record ", 7) == 0 || strncmp(line, "resource", 8) == 0;
  }

  /// The lock is held, here and below.
  bool has_room(size_t bytes) {
    total_ += bytes;
    if (used_ + bytes <= room_) return true;
    const size_t room = (used_ + bytes) * 2 + 65536;
    char* larger = static_cast<char*>(realloc(text_, room));
    if (larger == nullptr) return false;
    text_ = larger;
    room_ = room;
    return true;
  }

  void append_text(uint32_t number, const char* text) {
    char head[40];
    const int length = snprintf(head, sizeof head, "text id=%u is=", number);
    if (!has_room(static_cast<size_t>(length) + 3 * strlen(text) + 1)) return;
    memcpy(text_ + used_, head, static_cast<size_t>(length));
    used_ += static_cast<size_t>(length);
    for (const char* c = text; *c != '\0'; ++c) {
      if (*c > ' ' && *c != '%' && *c != '#' && *c < 127) {
        text_[used_++] = *c;
      } else {
        used_ += static_cast<size_t>(sprintf(text_ + used_, "%%%02x", static_cast<unsigned char>(*c)));
      }
    }
    text_[used_++] = '\n';
  }

  pthread_mutex_t lock_ = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_t writing_ = PTHREAD_MUTEX_INITIALIZER;
  int descriptor_ = -1;
  bool through_ = false;
  char* text_ = nullptr;
  char* spare_ = nullptr;
  size_t used_ = 0, room_ = 0, spare_room_ = 0;
  uint64_t total_ = 0, most_bytes_ = 0;
  uint32_t text_count_ = 0;
  uint64_t hashes_[kTexts] = {};
  uint32_t numbers_[kTexts] = {};
};

/// One line: `word key=value ...`. Excess is cut off.
class Line {
 public:
  explicit Line(const char* word) { put(word, strlen(word)); }

  Line& number(const char* key, uint64_t value) { return marked(key, "", value); }
  Line& signed_number(const char* key, int64_t value) {
    return value < 0 ? marked(key, "-", -static_cast<uint64_t>(value)) : marked(key, "", static_cast<uint64_t>(value));
  }
  /// A word without spaces.
  Line& word(const char* key, const char* value) {
    name(key);
    put(value, strlen(value));
    return *this;
  }
  /// `@` and the number of a text.
  Line& text(const char* key, RecordingFile& file, const char* value) {
    if (value == nullptr) return *this;
    return marked(key, "@", file.text_id(value));
  }
  Line& hex(const char* key, const void* bytes, size_t count) {
    static const char kDigits[] = "0123456789abcdef";
    name(key);
    for (size_t i = 0; i < count && used_ + 2 < sizeof text_ - 64; ++i) {
      const unsigned char byte = static_cast<const unsigned char*>(bytes)[i];
      text_[used_++] = kDigits[byte >> 4];
      text_[used_++] = kDigits[byte & 15];
    }
    return *this;
  }
  bool end(RecordingFile& file) {
    text_[used_++] = '\n';
    return file.append(text_, used_);
  }

 private:
  void put(const char* text, size_t bytes) {
    if (used_ + bytes + 2 > sizeof text_) return;
    memcpy(text_ + used_, text, bytes);
    used_ += bytes;
  }
  void name(const char* key) {
    put(" ", 1);
    put(key, strlen(key));
    put("=", 1);
  }
  Line& marked(const char* key, const char* mark, uint64_t value) {
    char digits[24];
    char* at = digits + sizeof digits;
    do *--at = static_cast<char>('0' + value % 10);
    while ((value /= 10) != 0);
    name(key);
    put(mark, strlen(mark));
    put(at, static_cast<size_t>(digits + sizeof digits - at));
    return *this;
  }

  char text_[1536];
  size_t used_ = 0;
};

}  // namespace recorder
