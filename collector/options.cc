#include "collector/options.h"

#include <cstdio>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

namespace xsp {
namespace {

constexpr int kUsage = 2;

bool fail(const std::string& what, int* exit_code) {
  std::fprintf(stderr, "xsp-collector: error: %s\nhint: xsp-collector --help shows the options\n", what.c_str());
  *exit_code = kUsage;
  return false;
}

bool read_command(const std::string& text, std::vector<std::string>* command) {
  const auto parsed = nlohmann::json::parse(text, nullptr, false);
  if (!parsed.is_array()) return false;
  for (const auto& argument : parsed) {
    if (!argument.is_string()) return false;
    command->push_back(argument.get<std::string>());
  }
  return true;
}

/// {"set": "…", "index": 3, "repetition": 1, "purpose": 0, "parameters": [["batch", "4"]], "inputs": 4}
bool read_run(const std::string& text, ExperimentRun* run) {
  const auto parsed = nlohmann::json::parse(text, nullptr, false);
  try {
    run->set = parsed.at("set").get<std::string>();
    run->index = parsed.at("index").get<uint32_t>();
    run->repetition = parsed.at("repetition").get<uint32_t>();
    run->purpose = parsed.at("purpose").get<uint32_t>();
    run->parameters = parsed.at("parameters").get<std::vector<std::pair<std::string, std::string>>>();
    run->inputs = parsed.at("inputs").get<double>();
  } catch (const nlohmann::json::exception&) {
    return false;
  }
  return !run->set.empty();
}

}  // namespace

bool read_options(int argc, char** argv, Options* options, int* exit_code) {
  CLI::App app("Receives what profiled programs record and writes it to a trace file.", "xsp-collector");
  std::string command_json;
  std::string run_json;
  auto* socket =
      app.add_option("--socket", options->socket, "Unix socket to listen on; programs find it in XSP_SOCKET");
  auto* listen = app.add_option("--listen-fd", options->listen_fd, "inherited descriptor of a listening Unix socket");
  socket->excludes(listen);
  app.add_option("-o,--output", options->output, "trace file; written as FILE.partial until it is whole")->required();
  app.add_flag("-f,--force", options->force, "overwrite the trace file");
  app.add_option("--control-fd", options->control_fd, "finish when this descriptor reaches its end");
  app.add_option("--status-fd", options->status_fd, "write `ready` and, at the end, a line of JSON here");
  app.add_option("--scratch", options->scratch, "folder that is emptied at the end");
  app.add_option("--command-json", command_json, "the profiled command, as a JSON array, for the trace's header");
  app.add_option("--level", options->subject.level, "the requested level, for the trace's header");
  app.add_flag("--counted", options->subject.counted, "hardware counters are read, for the trace's header");
  app.add_option("--run-json", run_json, "which run of a set this is, as a JSON object, for the trace's header");
  app.add_flag("--once", options->once, "finish when the last program has gone");
  app.add_option("--command", options->subject.command, "the profiled command, for the trace's header; last option")
      ->expected(1, -1);
  app.set_version_flag("-V,--version", "xsp-collector " XSP_VERSION);

  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {
    *exit_code = app.exit(success);
    return false;
  } catch (const CLI::ParseError& error) {
    return fail(error.what(), exit_code);
  }
  if (options->socket.empty() == (options->listen_fd < 0)) {
    return fail("no socket to listen on (neither --socket nor --listen-fd)", exit_code);
  }
  if (!command_json.empty() && !read_command(command_json, &options->subject.command)) {
    return fail("--command-json is not a JSON array of strings", exit_code);
  }
  if (!run_json.empty() && !read_run(run_json, &options->subject.run)) {
    return fail("--run-json does not describe a run", exit_code);
  }
  return true;
}

}  // namespace xsp
