#include "inject/launch/run/command_lookup.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string_view>

#include "base/file_kind.h"
#include "base/program_lookup.h"
#include "base/shell_words.h"
#include "inject/launch/options/exit_codes.h"

namespace xsp::launch {
namespace {

constexpr const char* kNameProgram = "give a program to run, such as: python infer.py";

bool is_file(const std::string& path) {
  struct stat status = {};
  return stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

bool is_folder(const std::string& path) {
  struct stat status = {};
  return stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

bool has_slash(const std::string& name) { return name.find('/') != std::string::npos; }

std::string first_bytes(const std::string& path) {
  std::string head(kFileKindBytes, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<size_t>(std::max<std::streamsize>(file.gcount(), 0)));
  return head;
}

/// A trace begins with a packet (0x0A) and its name ends in .pb or .pb.partial.
bool is_trace(const std::string& path) {
  const std::string_view name = path;
  if (name.ends_with(".xplane.pb") || (!name.ends_with(".pb") && !name.ends_with(".pb.partial"))) return false;
  return first_bytes(path).starts_with('\n');
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

std::string python_hint(const std::vector<std::string>& command) {
  const char* python = find_program("python").empty() ? "python3" : "python";
  return fmt::format("name its interpreter: {} {}", python, joined(command));
}

/// Name of a file without folders and extension.
std::string stem(const std::string& path) {
  std::string name = path.substr(path.find_last_of('/') + 1);
  const size_t dot = name.find_last_of('.');
  if (dot != std::string::npos && dot > 0) name.resize(dot);
  return name;
}

struct Interpreter {
  std::string_view prefix;         ///< of the program's name: python, python3, python3.11
  std::string_view value_options;  ///< letters of options that take the next argument
  std::string_view final_options;  ///< letters of options after which no script follows
};

constexpr Interpreter kInterpreters[] = {
    {"python", "WX", "cm"}, {"pypy", "WX", "cm"}, {"bash", "oO", "c"}, {"dash", "o", "c"}, {"sh", "o", "c"},
};

bool is_version(std::string_view text) { return text.find_first_not_of("0123456789.") == std::string_view::npos; }

const Interpreter* interpreter_of(const std::string& program) {
  for (const Interpreter& interpreter : kInterpreters) {
    if (program.rfind(interpreter.prefix, 0) == 0 &&
        is_version(std::string_view(program).substr(interpreter.prefix.size()))) {
      return &interpreter;
    }
  }
  return nullptr;
}

/// The script or module that an interpreter runs; empty if it runs none.
std::string script_name(const Interpreter& interpreter, const std::vector<std::string>& command) {
  for (size_t i = 1; i < command.size(); ++i) {
    const std::string& argument = command[i];
    if (argument.size() < 2 || argument[0] != '-') return stem(argument);
    if (argument.rfind("--", 0) == 0) continue;
    const size_t last = argument.find_first_of(interpreter.final_options, 1);
    if (last != std::string::npos) {
      if (argument[last] != 'm') return {};
      if (last + 1 < argument.size()) return argument.substr(last + 1);
      return i + 1 < command.size() ? command[i + 1] : std::string();
    }
    if (interpreter.value_options.find(argument.back()) != std::string_view::npos) ++i;
  }
  return {};
}

/// Why a file that is no trace and was not found as a program cannot be run.
Status not_run(const std::vector<std::string>& command) {
  const std::string& name = command[0];
  if (name.ends_with(".py")) return {name + " is not executable", python_hint(command), kExitNotExecutable};
  if (access(name.c_str(), X_OK) == 0) {
    return {name + ": command not found", fmt::format("did you mean ./{}?", joined(command)), kExitNotFound};
  }
  const std::string head = first_bytes(name);
  if (head.empty() && access(name.c_str(), R_OK) == 0) {
    return {name + " is empty, and no program", kNameProgram, kExitNotExecutable};
  }
  const FileKind kind = file_kind(name, head);
  if (kind.runnable || kind.name.empty() || kind.name == "text") {
    return {name + " is not executable", "make it executable: " + shell_command({"chmod", "+x", name}),
            kExitNotExecutable};
  }
  std::string hint = kind.hint.empty() ? kNameProgram : kind.hint;
  if (kind.importable) hint = "to read a profile of another tool: " + kind.hint;
  return {fmt::format("{} is {}, not a program", name, kind.name), hint, kExitNotExecutable};
}

Status not_found(const std::vector<std::string>& command) {
  const std::string& name = command[0];
  static const std::vector<std::string> kPrograms = {"report", "import", "bench", "collector"};
  if (std::find(kPrograms.begin(), kPrograms.end(), name) != kPrograms.end()) {
    std::vector<std::string> meant = command;
    meant[0] = "xsp-" + name;
    return {name + ": command not found", "did you mean " + shell_command(meant) + "?", kExitNotFound};
  }
  if (name == "help" || name == "version" || name == "check") {
    return {name + ": command not found", "did you mean xsp-run --" + name + "?", kExitNotFound};
  }
  if (is_folder(name))
    return {name + ": command not found", "it is a folder here; " + std::string(kNameProgram), kExitNotFound};
  if (name.ends_with(".py")) return {name + ": command not found", "there is no such file here", kExitNotFound};
  if (has_slash(name)) return {name + ": command not found", "there is no such file: check the path", kExitNotFound};
  return {name + ": command not found", "it is in no folder of PATH; a program in this folder is ./" + name,
          kExitNotFound};
}

}  // namespace

Status check_command(const std::vector<std::string>& command) {
  const std::string& name = command[0];
  if (!find_program(name).empty()) return {};
  if (is_trace(name)) {
    return {name + " is a trace, not a program", "did you mean " + shell_command({"xsp-report", name}) + "?",
            kExitNotExecutable};
  }
  if (is_folder(name) && has_slash(name)) return {name + " is a folder", kNameProgram, kExitNotExecutable};
  if (is_file(name)) return not_run(command);
  return not_found(command);
}

std::string command_name(const std::vector<std::string>& command) {
  const std::string program = command[0].substr(command[0].find_last_of('/') + 1);
  std::string name;
  if (const Interpreter* interpreter = interpreter_of(program)) name = script_name(*interpreter, command);
  if (name.empty()) name = interpreter_of(program) != nullptr ? program : stem(program);
  for (char& c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (!plain && c != '.' && c != '_' && c != '-') c = '_';
  }
  return name.substr(0, 64);
}

}  // namespace xsp::launch
