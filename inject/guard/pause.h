#pragma once

#include <time.h>

namespace xsp::guest {

/// Less than a second. A signal may end it early.
inline void pause_for(long nanoseconds) {
  const timespec time{0, nanoseconds};
  nanosleep(&time, nullptr);
}

}  // namespace xsp::guest
