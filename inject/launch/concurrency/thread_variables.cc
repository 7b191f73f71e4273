#include "inject/launch/concurrency/thread_variables.h"

#include "inject/launch/run/concurrency_words.h"
#include "proto/environment.h"

namespace xsp::launch {
namespace {

/// Each takes a number of threads.
constexpr const char* kVariables[] = {"OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "BLIS_NUM_THREADS",
                                      "TF_NUM_INTRAOP_THREADS"};

}  // namespace

std::vector<std::pair<std::string, std::string>> thread_variables(uint32_t threads, ThreadKind kind) {
  const SessionThreads sessions =
      kind == ThreadKind::kInter ? SessionThreads{.intra = 1, .inter = threads} : SessionThreads{.intra = threads};
  std::vector<std::pair<std::string, std::string>> variables;
  for (const char* name : kVariables) variables.emplace_back(name, std::to_string(sessions.intra));
  variables.emplace_back(variable::kConcurrency, record_words(sessions));
  return variables;
}

std::vector<std::pair<std::string, std::string>> own_thread_variables() {
  return {{variable::kConcurrency, record_words({})}};
}

}  // namespace xsp::launch
