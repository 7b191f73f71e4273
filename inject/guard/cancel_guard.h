#pragma once

#include <pthread.h>

namespace xsp::guest {

/// Holds off pthread_cancel while a slow path calls functions that are cancellation points: a thread that is unwound
/// there would leave our lock taken.
class CancelGuard {
 public:
  CancelGuard() { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_); }
  ~CancelGuard() { pthread_setcancelstate(before_, nullptr); }
  CancelGuard(const CancelGuard&) = delete;
  CancelGuard& operator=(const CancelGuard&) = delete;

 private:
  int before_ = PTHREAD_CANCEL_ENABLE;
};

}  // namespace xsp::guest
