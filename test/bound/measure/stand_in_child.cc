#include <unistd.h>

#include <string>
#include <string_view>

#include "bound/measure/benchmark_run.h"

/// What xsp-bound is to its children, with the back end of stand_in_backend.cc. Another word: a child that never
/// serves.
int main(int argc, char** argv) {
  const std::string_view word = argc > 1 ? argv[1] : "";
  if (word == "fail") return 9;
  if (word == "babble") {
    const std::string babble(1 << 16, 'b');
    while (write(STDOUT_FILENO, babble.data(), babble.size()) > 0) {
    }
  }
  return xsp::bound::serve_benchmarks(STDIN_FILENO, STDOUT_FILENO);
}
