#include "analysis/cli/browser.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "analysis/cli/environment.h"
#include "base/child_process.h"
#include "base/program_lookup.h"

namespace xsp::analysis {
namespace {

/// $BROWSER is a list of programs separated by colons; the first one that exists counts.
std::string browser_of_environment() {
  std::string list = environment_text("BROWSER");
  list += ':';
  for (size_t begin = 0; begin < list.size();) {
    const size_t end = list.find(':', begin);
    std::string program = list.substr(begin, end - begin);
    program = program.substr(0, program.find(' '));  // "firefox %s"
    if (!program.empty() && !find_program(program).empty()) return program;
    begin = end + 1;
  }
  return {};
}

std::string browser_of_desktop() {
  for (const char* program : {"xdg-open", "open", "x-www-browser", "sensible-browser"}) {
    if (!find_program(program).empty()) return program;
  }
  return {};
}

/// In a session of its own, without our terminal. Nobody waits for it: it outlives this program, which ends next.
Status start_detached(const std::string& program, const std::string& argument) {
  ChildPlan plan = {.command = {program, argument},
                    .input = kNoStream,
                    .output = kNoStream,
                    .errors = kNoStream,
                    .own_session = true};
  pid_t pid = start_child(plan);
  if (pid < 0 && errno == ENOEXEC) {
    // A script without #! goes to the shell, as execvp would do.
    plan.command = {"/bin/sh", find_program(program), argument};
    pid = start_child(plan);
  }
  if (pid < 0) return {"cannot start " + program + " (" + std::strerror(errno) + ")", ""};
  return {};
}

}  // namespace

Status open_page(const std::string& path) {
  const std::string page = std::filesystem::absolute(path).string();
  const std::string hint = "open it where there is one: " + page;
  std::string program = browser_of_environment();
  if (program.empty() && !is_set("DISPLAY") && !is_set("WAYLAND_DISPLAY")) {
    return {"--open: there is no display to show the page on", hint};
  }
  if (program.empty()) program = browser_of_desktop();
  if (program.empty()) return {"--open: no browser found ($BROWSER, xdg-open)", hint};
  return start_detached(program, page);
}

}  // namespace xsp::analysis
