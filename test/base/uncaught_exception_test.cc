#include "base/uncaught_exception.h"

#include <sys/wait.h>
#include <unistd.h>

#include <exception>
#include <new>
#include <stdexcept>
#include <string>

#include "test/catch.h"

namespace xsp::test {
namespace {

struct End {
  std::string message;
  int exit_code = -1;
};

/// How a process ends in which `fail` ends by an exception that nothing catches.
End end_of(void (*fail)()) {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDERR_FILENO);
    std::set_terminate([] { end_by_uncaught_exception("xsp-run", "out of memory", 125); });
    [&]() noexcept { fail(); }();
    _exit(0);
  }
  close(ends[1]);
  End end;
  char text[2000];
  for (ssize_t got; (got = read(ends[0], text, sizeof text)) > 0;) end.message.append(text, static_cast<size_t>(got));
  close(ends[0]);
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  if (WIFEXITED(status)) end.exit_code = WEXITSTATUS(status);
  return end;
}

TEST_CASE("only a lack of memory is called one") {
  const End memory = end_of([] { throw std::bad_alloc(); });
  CHECK(memory.message == "xsp-run: error: out of memory\n");
  CHECK(memory.exit_code == 125);
  const End other = end_of([] { throw std::runtime_error("no such row"); });
  CHECK(other.message == "xsp-run: error: internal error (no such row)\nhint: please report it, with the command\n");
  CHECK(other.exit_code == 125);
  const End odd = end_of([] { throw 7; });
  CHECK(odd.message.find("internal error (an unknown exception)") != std::string::npos);
}

TEST_CASE("long messages of exceptions are cut, and the hint stays") {
  const End end = end_of([] { throw std::runtime_error(std::string(5000, 'x')); });
  CHECK(end.message.size() < 1000);
  CHECK(end.message.ends_with("hint: please report it, with the command\n"));
}

}  // namespace
}  // namespace xsp::test
