#pragma once

/// What the recorder knows about itself, and about the thread that it is on.

#include <sys/syscall.h>

#include <new>

#include "cupti_recorder_cupti.h"
#include "cupti_recorder_file.h"

namespace recorder {

struct Recorder {
  RecordingFile file;
  Options options;
  Cupti cupti;
  CUpti_SubscriberHandle subscriber;
  pid_t pid;
  pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t wake = PTHREAD_COND_INITIALIZER;
  bool session_is_due, context_seen, facts_told, ending, is_child;
  uint32_t session, buffers, graph_launches, other_launches;
};
/// Never destroyed: CUPTI calls us until the process is gone.
inline Recorder& it() {
  static Recorder* const recorder = new (calloc(1, sizeof(Recorder))) Recorder;
  return *recorder;
}

struct Call {
  int domain;
  uint32_t id, correlation;
};

/// State of a thread. Our own threads have no calls of the program.
struct Place {
  uint32_t thread;
  uint32_t depth;
  Call calls[16];
  bool own, flushing;
};
inline thread_local Place place_here;

inline Place& here() {
  Place& place = place_here;
  if (place.thread == 0) place.thread = static_cast<uint32_t>(syscall(SYS_gettid));
  return place;
}

inline Line line_here(const char* word) {
  Line line(word);
  line.number("t", nanoseconds(CLOCK_MONOTONIC)).number("thread", here().thread);
  return line;
}

inline void put_inside(Line& line) {
  const Place& place = here();
  if (place.depth == 0 || place.depth > 16) return;
  const Call& call = place.calls[place.depth - 1];
  char text[40];
  snprintf(text, sizeof text, "%d:%u:%u", call.domain, call.id, call.correlation);
  line.word("inside", text);
}

/// Writes the narrowest of five readings of all clocks.
inline void tell_clock(RecordingFile& file, const Cupti& cupti) {
  uint64_t best = UINT64_MAX, at = 0, time = 0, real = 0, counter = 0;
  for (int attempt = 0; attempt < 5; ++attempt) {
    uint64_t reading = 0;
    const uint64_t before = nanoseconds(CLOCK_MONOTONIC);
    if (cupti.get_timestamp(&reading) != CUPTI_SUCCESS) return;
    const uint64_t now = nanoseconds(CLOCK_REALTIME), cycles = ticks();
    const uint64_t after = nanoseconds(CLOCK_MONOTONIC);
    if (after - before >= best) continue;
    best = after - before;
    at = before + best / 2;
    time = reading;
    real = now;
    counter = cycles;
  }
  Line line("clock");
  line.number("t", at).number("thread", here().thread).number("cupti", time).number("real", real);
  line.number("tsc", counter).number("spread", best).end(file);
}

}  // namespace recorder
