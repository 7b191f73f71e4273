#pragma once

#include <optional>
#include <string>

#include "inject/launch/concurrency/thread_variables.h"

namespace xsp::launch {

/// How the runs of a set were given their numbers of threads.
struct SweptThreads {
  bool by_variables = false;  ///< xsp-bench --threads; else by the command (xsp-bench -L threads)
  ThreadKind kind = ThreadKind::kIntra;
};

/// Nothing where `folder` is no set with a parameter called `threads`.
std::optional<SweptThreads> read_swept_threads(const std::string& folder);

}  // namespace xsp::launch
