#include "inject/concurrency/thread_policy.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "inject/guard/concurrency_settings.h"

namespace xsp::guest {
namespace {

constexpr char kFormat[] = "xsp-threads\t1";

/// The text behind the next tab, which becomes the end of what is before it; "" if there is none.
char* next_field(char* text) {
  char* tab = strchr(text, '\t');
  if (tab == nullptr) return text + strlen(text);
  *tab = '\0';
  return tab + 1;
}

size_t read_whole(int file, char* to, size_t capacity) {
  size_t length = 0;
  while (length < capacity) {
    const ssize_t count = ::read(file, to + length, capacity - length);
    if (count <= 0) break;
    length += static_cast<size_t>(count);
  }
  return length;
}

}  // namespace

bool ThreadPolicy::read(const char* path) {
  // Not blocking: a pipe that nobody writes to would hold the program.
  const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (file < 0) return false;
  void* memory = mmap(nullptr, kMostFileBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  bool is_read = false;
  if (memory != MAP_FAILED) {
    auto* text = static_cast<char*>(memory);
    const size_t length = read_whole(file, text, kMostFileBytes);
    is_read = length < kMostFileBytes && parse(text, length);
    if (!is_read) munmap(memory, kMostFileBytes);
  }
  close(file);
  return is_read;
}

bool ThreadPolicy::parse(char* text, size_t length) {
  *this = {};
  char* const end = text + length;
  *end = '\0';
  bool is_first = true;
  for (char* line = text; line < end;) {
    auto* newline = static_cast<char*>(memchr(line, '\n', static_cast<size_t>(end - line)));
    if (newline == nullptr) newline = end;
    *newline = '\0';
    if (is_first && strcmp(line, kFormat) != 0) return false;
    if (!is_first) take(line);
    is_first = false;
    line = newline + 1;
  }
  return !is_first;
}

void ThreadPolicy::take(char* line) {
  const char* word = line;
  char* value = next_field(line);
  if (strcmp(word, "whole") == 0) whole_ = thread_number(value);
  if (strcmp(word, "sessions-intra") == 0) sessions_intra_ = thread_number(value);
  if (strcmp(word, "sessions-inter") == 0) sessions_inter_ = thread_number(value);
  if (strcmp(word, "type") != 0 || type_count_ == kMostTypes) return;
  const uint16_t threads = thread_number(next_field(value));
  if (threads == 0 || value[0] == '\0' || !decode_percent(value)) return;
  types_[type_count_++] = {.name = value, .threads = threads};
}

uint16_t ThreadPolicy::of_type(std::string_view type) const {
  for (uint32_t i = 0; i < type_count_; ++i) {
    if (type == types_[i].name) return types_[i].threads;
  }
  return 0;
}

}  // namespace xsp::guest
