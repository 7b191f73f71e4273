#include "collector/options/options.h"

#include <algorithm>
#include <cstdio>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "base/command_line.h"
#include "base/same_file.h"
#include "base/standard_output.h"
#include "base/text_encoding.h"
#include "collector/server/listening_socket.h"
#include "collector/server/service_manager.h"
#include "proto/quantities.h"
#include "proto/set_index.h"

namespace xsp {
namespace {

constexpr int kUsage = 2;
constexpr int kNoOutput = 5;

constexpr const char* kHelp = R"(xsp-collector: receive what profiled programs record, and write a trace

  xsp-collector --socket /tmp/xsp.sock -o trace.pb
                           runs until it is interrupted; programs are recorded by:
                           xsp-run --collector /tmp/xsp.sock -- python infer.py
  xsp-collector --socket /tmp/xsp.sock -o trace.pb --once
                           ends when the last program has ended
  xsp-collector --socket /tmp/xsp.sock -o recording --continuous --max-size 2G
                           records for days, into a folder of bounded size

usage: xsp-collector [options]

  xsp-run starts a collector by itself. Start one by hand to record several programs in one trace.

  -o, --output PATH        trace to write (required), or with --continuous a folder. The trace is
                           PATH.partial until it is complete
  -f, --force              replace an existing trace; use a folder that holds other files
      --socket PATH        Unix socket to listen on; programs find it in XSP_SOCKET. Default: the
                           one that systemd passes
      --once               end when the last program has ended
      --continuous         write parts, 000001.pb and so on, and remove the oldest ones. SIGHUP
                           starts a new part
      --max-size SIZE      limit of the trace (200M, 2G), or of the folder with --continuous
                           (default 1G). Spans beyond it are counted, and not stored
      --max-rate SIZE      limit in bytes per second. Spans beyond it are counted, and not stored
      --rotate TIME        age at which a new part starts (default 10m)
      --allow-users LIST, --allow-group NAME, --allow-all
                           also accept programs of these users
      --log-level LEVEL    log to standard error from this level on: trace, debug, info, warning,
                           error or off (default)
      --log-file FILE      log to FILE, which is rotated; --log-level is then info
  -h, --help               show this text
  -V, --version            show the version
passed by xsp-run, which starts the collector:
      --listen-fd N        inherited descriptor of a listening Unix socket, instead of --socket
      --second-listen-fd N a second one, for the same programs
      --control-fd N       end when this descriptor reaches its end
      --status-fd N        write `ready` here, and at the end a line of JSON
      --scratch DIR        folder to empty at the end
      --private-folder DIR folder to remove at the end if xsp-run has died
for the trace's header:
      --level LEVEL        requested level
      --counted            hardware counters are read
      --run-json JSON      which run of a set this is, an object
      --command-json JSON  profiled command, an array
      --command WORD...    profiled command; must be the last option

Exit codes: 0 done, 1 cannot listen, 2 wrong usage, 5 cannot write.
)";

constexpr const char* kSeeHelp = "xsp-collector --help lists the options";

bool fail(const Status& status, int* exit_code) {
  std::fprintf(stderr, "xsp-collector: error: %s\nhint: %s\n", message_text(status.error).c_str(),
               message_text(status.hint.empty() ? kSeeHelp : status.hint).c_str());
  *exit_code = status.exit_code != 0 ? status.exit_code : kUsage;
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

/// The object of --run-json.
bool read_run(const std::string& text, ExperimentRun* run) {
  const auto parsed = nlohmann::json::parse(text, nullptr, false);
  try {
    run->set = parsed.at(run_object::kSet).get<std::string>();
    run->index = parsed.at(run_object::kIndex).get<uint32_t>();
    run->repetition = parsed.at(run_object::kRepetition).get<uint32_t>();
    run->purpose = parsed.at(run_object::kPurpose).get<uint32_t>();
    run->parameters = parsed.at(run_object::kParameters).get<std::vector<std::pair<std::string, std::string>>>();
    run->inputs = parsed.at(run_object::kInputs).get<double>();
  } catch (const nlohmann::json::exception&) {
    return false;
  }
  return !run->set.empty();
}

/// The folder in which xsp-run --collector has profiles written.
std::string scratch_beside(const std::string& socket) { return socket.empty() ? "" : socket + ".scratch"; }

struct Budgets {
  std::string size;
  std::string rate;
  std::string rotate;
};

Status read_budgets(const Budgets& texts, Options* options) {
  if (options->continuous) {
    options->max_bytes = kDefaultRecordingBytes;
    options->part_age_ns = kDefaultPartAgeNs;
    if (!options->subject.run.set.empty())
      return Status{"--continuous does not go with a run of a set", "leave out one of the two"};
  }
  if (!texts.size.empty()) {
    const auto bytes = parse_byte_size(texts.size);
    if (!bytes) return Status{"--max-size: \"" + texts.size + "\" is no size (200M, 2G)", "for example --max-size 2G"};
    if (*bytes < kLeastTraceBytes)
      return Status{"--max-size " + texts.size + ": the least is 1M", "for example --max-size 200M"};
    options->max_bytes = *bytes;
  }
  if (!texts.rate.empty()) {
    const auto bytes = parse_byte_size(texts.rate);
    if (!bytes || *bytes == 0) {
      return Status{"--max-rate: \"" + texts.rate + "\" is no size a second (100k, 2M)", "for example --max-rate 2M"};
    }
    options->max_rate = *bytes;
  }
  if (texts.rotate.empty()) return Status();
  const auto age = parse_duration(texts.rotate);
  if (!options->continuous) return Status{"--rotate goes with --continuous", "add --continuous"};
  if (!age || *age == 0)
    return Status{"--rotate: \"" + texts.rotate + "\" is no time (30s, 10m, 1h)", "for example --rotate 10m"};
  options->part_age_ns = *age;
  return Status();
}

}  // namespace

bool read_options(int argc, char** argv, Options* options, int* exit_code) {
  CLI::App app("", "xsp-collector");
  std::string command_json;
  std::string run_json;
  bool help = false;
  bool version = false;
  // Removes CLI11's own help, whose text is not ours.
  app.set_help_flag();
  app.add_flag("-h,--help", help);
  app.add_flag("-V,--version", version);
  auto* socket = app.add_option("--socket", options->socket);
  auto* listen = app.add_option("--listen-fd", options->listen_fd);
  socket->excludes(listen);
  app.add_option("--second-listen-fd", options->second_listen_fd)->needs(listen);
  app.add_option("-o,--output", options->output);
  app.add_flag("-f,--force", options->force);
  app.add_option("--control-fd", options->control_fd);
  app.add_option("--status-fd", options->status_fd);
  app.add_option("--scratch", options->scratch);
  app.add_option("--private-folder", options->private_folder);
  app.add_option("--command-json", command_json);
  app.add_option("--level", options->subject.level);
  app.add_flag("--counted", options->subject.counted);
  app.add_option(run_object::kOption, run_json);
  app.add_flag("--once", options->once);
  Budgets budgets;
  std::string users;
  std::string group;
  bool everybody = false;
  app.add_flag("--continuous", options->continuous);
  app.add_option("--max-size", budgets.size);
  app.add_option("--max-rate", budgets.rate);
  app.add_option("--rotate", budgets.rotate);
  app.add_option("--allow-users", users);
  app.add_option("--allow-group", group);
  app.add_flag("--allow-all", everybody);
  app.add_option("--log-level", options->log_level);
  app.add_option("--log-file", options->log_file);
  app.add_option("--command", options->subject.command)->expected(1, -1);

  const Status parsed = parse_command_line(&app, {argv + std::min(argc, 1), argv + argc}, kSeeHelp);
  if (!parsed.ok()) return fail(parsed, exit_code);
  if (help || version) {
    Status printed = print_text(help ? kHelp : "xsp-collector " XSP_VERSION "\n");
    *exit_code = 0;
    printed.exit_code = kNoOutput;
    return printed.ok() ? false : fail(printed, exit_code);
  }
  if (options->output.empty())
    return fail({"no output given (-o, --output)", "for example: xsp-collector --socket /tmp/xsp.sock -o trace.pb"},
                exit_code);
  if (is_same_file(options->output, options->log_file)) {
    return fail({"--output and --log-file name the same file", "name another file for the log"}, exit_code);
  }
  // Only an explicitly given folder is emptied: programs of a later collector may still write into the one next to the
  // socket.
  options->empties_scratch = !options->scratch.empty();
  if (options->scratch.empty()) options->scratch = scratch_beside(options->socket);
  if (options->socket.empty() && options->listen_fd < 0) {
    const Status status = ServiceManager::take_socket(&options->listen_fd);
    if (!status.ok()) return fail(status, exit_code);
    if (options->listen_fd < 0) {
      return fail({"no socket to listen on (neither --socket nor --listen-fd, nor one that systemd passes on)",
                   "for example: xsp-collector --socket /tmp/xsp.sock -o trace.pb"},
                  exit_code);
    }
    if (options->scratch.empty()) options->scratch = scratch_beside(ListeningSocket::path_of(options->listen_fd));
  }
  if (const Status status = read_budgets(budgets, options); !status.ok()) return fail(status, exit_code);
  Status allowed;
  if (app.count("--allow-users") != 0) allowed = options->permission.allow_users(users);
  if (allowed.ok() && app.count("--allow-group") != 0) allowed = options->permission.allow_group(group);
  if (!allowed.ok()) return fail(allowed, exit_code);
  if (everybody) options->permission.allow_all();
  if (!command_json.empty() && !read_command(command_json, &options->subject.command)) {
    return fail(
        {"--command-json is not a JSON array of strings", "for example --command-json '[\"python\", \"infer.py\"]'"},
        exit_code);
  }
  if (!run_json.empty() && !read_run(run_json, &options->subject.run)) {
    return fail({"--run-json does not describe a run", kSeeHelp}, exit_code);
  }
  return true;
}

}  // namespace xsp
