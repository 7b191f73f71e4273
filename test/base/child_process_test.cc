#include "base/child_process.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <string>

#include "base/owned_fd.h"
#include "test/catch.h"

namespace {

using xsp::ChildEnd;
using xsp::ChildPlan;
using xsp::fork_child;
using xsp::kNoStream;
using xsp::start_child;
using xsp::wait_for_child;

/// What a script prints, started as `plan` says.
std::string printed_by(const std::string& script, ChildPlan plan = {}) {
  int ends[2];
  REQUIRE(pipe2(ends, O_CLOEXEC) == 0);
  plan.command = {"sh", "-c", script};
  plan.output = ends[1];
  const pid_t pid = start_child(plan);
  close(ends[1]);
  std::string text;
  char bytes[4096];
  for (ssize_t size; (size = read(ends[0], bytes, sizeof bytes)) > 0;) text.append(bytes, static_cast<size_t>(size));
  close(ends[0]);
  wait_for_child(pid);
  return text;
}

TEST_CASE("how a child ended is told: by a status, or by a signal") {
  const ChildEnd status = wait_for_child(start_child({.command = {"sh", "-c", "exit 3"}}));
  CHECK(!status.by_signal);
  CHECK(status.code == 3);
  CHECK(!status.succeeded());
  const ChildEnd killed = wait_for_child(start_child({.command = {"sh", "-c", "kill -9 $$"}}));
  CHECK(killed.by_signal);
  CHECK(killed.code == SIGKILL);
  CHECK(wait_for_child(start_child({.command = {"true"}})).succeeded());
}

TEST_CASE("a program that is not there is refused, and nothing is left to wait for") {
  errno = 0;
  CHECK(start_child({.command = {"/nowhere/program"}}) == -1);
  CHECK(errno == ENOENT);
  CHECK(!wait_for_child(-1).succeeded());
}

TEST_CASE("a child has the streams, the variables and the descriptors of its plan, and no others") {
  setenv("XSP_TEST_VARIABLE", "there", 1);
  CHECK(printed_by("echo $XSP_TEST_VARIABLE") == "there\n");
  CHECK(printed_by("echo $XSP_TEST_VARIABLE", {.unset = {"XSP_TEST_VARIABLE"}}) == "\n");
  unsetenv("XSP_TEST_VARIABLE");
  CHECK(printed_by("cat; echo end", {.input = kNoStream}) == "end\n");
  const int file = open("/dev/null", O_WRONLY | O_CLOEXEC);
  const std::string is_open = "[ -e /proc/self/fd/" + std::to_string(file) + " ] && echo open || echo closed";
  CHECK(printed_by(is_open) == "closed\n");
  CHECK(printed_by(is_open, {.kept = {file}}) == "open\n");
  CHECK((fcntl(file, F_GETFD) & FD_CLOEXEC) != 0);
  close(file);
}

TEST_CASE("signals that this process ignores or blocks are a child's as a program expects them") {
  const auto before = signal(SIGPIPE, SIG_IGN);
  sigset_t blocked;
  sigset_t mask;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGTERM);
  sigprocmask(SIG_BLOCK, &blocked, &mask);
  CHECK(wait_for_child(start_child({.command = {"sh", "-c", "kill -PIPE $$"}})).code == SIGPIPE);
  CHECK(wait_for_child(start_child({.command = {"sh", "-c", "kill -TERM $$"}})).code == SIGTERM);
  sigprocmask(SIG_SETMASK, &mask, nullptr);
  signal(SIGPIPE, before);
}

TEST_CASE("a child with a session of its own leads it") {
  CHECK(printed_by("[ $(cut -d' ' -f6 /proc/$$/stat) = $$ ] && echo leads", {.own_session = true}) == "leads\n");
  CHECK(printed_by("[ $(cut -d' ' -f6 /proc/$$/stat) = $$ ] && echo leads").empty());
}

TEST_CASE("the ends of a pipe keep off the numbers of the standard streams, also where these are closed") {
  const ChildEnd end = wait_for_child(fork_child([] {
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) close(stream);
    xsp::OwnedFd reader;
    xsp::OwnedFd writer;
    const bool above = xsp::open_pipe(&reader, &writer) && reader.get() > 2 && writer.get() > 2;
    const bool closed = (fcntl(reader.get(), F_GETFD) & fcntl(writer.get(), F_GETFD) & FD_CLOEXEC) != 0;
    char byte = 0;
    const bool works = write(writer.get(), "x", 1) == 1 && read(reader.get(), &byte, 1) == 1;
    _exit(above && closed && works && open("/dev/null", O_RDONLY) == 0 ? 0 : 1);
  }));
  CHECK(end.succeeded());
}

TEST_CASE("a forked child runs what it is given and ends") {
  CHECK(wait_for_child(fork_child([] {})).succeeded());
  CHECK(wait_for_child(fork_child([] { _exit(7); })).code == 7);
}

}  // namespace
