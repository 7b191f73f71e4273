#pragma once

/// What an ITT collector and the static part of ittnotify inside a library (oneDNN, PyTorch, oneTBB) tell each other,
/// in our own words. The layout is that of API version 3; the collector's entry gets the library's `Global`.

#include <cstdint>

#include <pthread.h>

namespace xsp::guest::itt {

struct Domain {
  volatile int flags;  // 0: the library makes no calls for this domain
  const char* name;
  void* wide_name;
  int extra1;
  void* extra2;  // the collector's
  Domain* next;
};

struct StringHandle {
  const char* text;
  void* wide_text;
  int extra1;  // the collector's
  void* extra2;
  StringHandle* next;
};

/// Passed by value.
struct Id {
  unsigned long long d1, d2, d3;
};

/// One function of the API: where the library keeps its pointer, and what to put there for "not wanted".
struct Function {
  const char* name;  // null: end of the list
  void** pointer;
  void* before_init;
  void* unwanted;
  int group;
};

inline constexpr unsigned char kMagic[8] = {0xED, 0xAB, 0xAB, 0xEC, 0x0D, 0xEE, 0xDA, 0x30};
inline constexpr unsigned long kVersion = 3;

struct Global {
  unsigned char magic[8];
  unsigned long version_major;
  unsigned long version_minor;
  unsigned long version_build;
  volatile long api_initialized;
  volatile long mutex_initialized;
  volatile long atomic_counter;
  pthread_mutex_t mutex;
  void* library;
  void* error_handler;
  const char** paths;
  Function* functions;
  // More follows.
};

}  // namespace xsp::guest::itt
