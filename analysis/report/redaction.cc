#include "analysis/report/redaction.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <unordered_set>
#include <utility>

#include "analysis/report/path_names.h"
#include "analysis/report/sentence_redaction.h"
#include "analysis/timeline/run_processes.h"
#include "proto/environment.h"

namespace xsp::analysis {
namespace {

/// Variables that analyses read, or that describe how a program was run among its peers.
constexpr auto kKeptVariables = std::to_array<std::string_view>(
    {"RANK", "LOCAL_RANK", "WORLD_SIZE", "SLURM_PROCID", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "CUDA_VISIBLE_DEVICES",
     "OMP_NUM_THREADS", "CUDA_LAUNCH_BLOCKING", variable::kActivities, variable::kMetrics});

/// Numbers for all, words of ours for our own.
bool is_harmless(std::string_view name, std::string_view value) {
  if (std::find(kKeptVariables.begin(), kKeptVariables.end(), name) == kKeptVariables.end()) return false;
  const std::string_view allowed =
      name.starts_with("XSP_") ? "abcdefghijklmnopqrstuvwxyz0123456789_,.-" : "0123456789,";
  return value.find_first_not_of(allowed) == std::string_view::npos;
}

/// "a", "b", …, "z", "za", …: in the order of their numbers.
std::string letters(size_t number) {
  constexpr size_t kLetters = 26;
  std::string text(number / (kLetters - 1), 'z');
  return text += static_cast<char>('a' + number % (kLetters - 1));
}

/// Commands also identify processes across runs (run_processes.h): equal ones stay equal, those that differ only by
/// numbers still do, and all keep their order.
class CommandNames {
 public:
  explicit CommandNames(const std::vector<Process>& processes) {
    std::set<std::vector<std::string>> commands;
    for (const Process& process : processes) commands.insert(process.command);
    std::map<std::vector<std::string>, size_t> programs;
    for (const std::vector<std::string>& command : commands) {
      std::vector<std::string> program;
      for (const std::string& word : command) program.push_back(without_numbers(word));
      const size_t number = programs.try_emplace(std::move(program), programs.size()).first->second;
      names_.emplace(command, std::vector{letters(number), fmt::format("{:09}", names_.size())});
    }
  }

  const std::vector<std::string>& of(const std::vector<std::string>& command) const { return names_.at(command); }

 private:
  std::map<std::vector<std::string>, std::vector<std::string>> names_;
};

/// Whether spans of a kind are named by a framework, a library or a compiler: such names may look like paths
/// ("/conv1/Conv") but are not.
bool has_name_of_its_own(Kind kind) {
  switch (kind) {
    case Kind::kTorchModule:
    case Kind::kTorchContainer:
    case Kind::kTorchConstruction:
    case Kind::kTorchScript:
    case Kind::kOrtNode:
    case Kind::kLibraryCall:
    case Kind::kRuntimeCall:
    case Kind::kDriverCall:
    case Kind::kKernel:
    case Kind::kOperator:
      return true;
    default:
      return false;
  }
}

/// What a text of a trace becomes. `is_name`: it is one of has_name_of_its_own().
std::string redacted_text(std::string_view text, bool is_name) {
  if (is_name && !is_in_system_folder(text)) return std::string(text);
  // Folders may have blanks in their names: a text that begins as a path is one up to its last folder.
  return is_rooted_path(text) ? base_name(text) : without_folders(text);
}

/// Two different texts must not become one: "net.onnx (2)".
void redact_strings(Trace* trace) {
  const SpanTable& spans = trace->spans;
  std::vector<bool> is_name(trace->strings.size(), false);
  for (Row row = 0; row < spans.size(); ++row) {
    if (!has_name_of_its_own(spans.kind[row])) continue;
    is_name[spans.name[row]] = true;
    is_name[spans.type[row]] = true;
  }
  std::vector<std::string> texts;
  std::unordered_set<std::string_view> taken;  // by texts that stay
  for (uint32_t id = 0; id < is_name.size(); ++id) {
    const std::string_view text = trace->text(id);
    texts.push_back(redacted_text(text, is_name[id]));
    if (texts.back() == text) taken.insert(text);
  }
  std::unordered_set<std::string> used;  // by texts that do not
  for (uint32_t id = 0; id < texts.size(); ++id) {
    std::string text = texts[id];
    if (text == trace->text(id)) continue;
    for (size_t copy = 2; taken.contains(text) || !used.insert(text).second; ++copy) {
      text = fmt::format("{} ({})", texts[id], copy);
    }
    trace->strings.replace(id, text);
  }
}

void redact_process(const CommandNames& commands, const IdNumbers& ids, const SentenceRedaction& sentences,
                    Process* process) {
  process->pid = ids.of(process->pid);
  process->parent_pid = ids.of(process->parent_pid);
  process->executable = base_name(process->executable);
  process->command = commands.of(process->command);
  std::erase_if(process->environment,
                [](const auto& variable) { return !is_harmless(variable.first, variable.second); });
  sentences.redact(&process->end_reason);
  for (Loss& loss : process->losses) sentences.redact(&loss.detail);
}

/// The name that xsp-run gives a file ends in a pid: "xsp-infer-4242.pb".
std::string file_name(const std::string& path, const IdNumbers& ids) {
  std::string name = base_name(path);
  const size_t dash = name.find_last_of('-');
  const size_t dot = name.find('.', dash == std::string::npos ? 0 : dash);
  if (dash == std::string::npos || dot == std::string::npos) return name;
  const std::string digits = name.substr(dash + 1, dot - dash - 1);
  if (digits.empty() || digits.size() > 9 || digits.find_first_not_of("0123456789") != std::string::npos) return name;
  const uint32_t number = ids.of(static_cast<uint32_t>(std::stoul(digits)));
  return number == 0 ? name : name.replace(dash + 1, digits.size(), std::to_string(number));
}

/// The last folder tells which of a system's libraries it is: "openblas-pthread/libblas.so.3".
std::string library_file(const std::string& path) {
  std::string name = base_name(path);
  if (!path.starts_with("/usr/") || path.size() <= name.size()) return name;
  return base_name(std::string_view(path).substr(0, path.size() - name.size())) + "/" + name;
}

void redact_segment(const IdNumbers& ids, const SentenceRedaction& sentences, Segment* segment) {
  segment->command.clear();
  segment->hostname.clear();
  for (std::string& file : segment->source_files) file = file_name(file, ids);
  sentences.redact(&segment->end_reason);
  if (!segment->run) return;
  for (auto& [name, value] : segment->run->parameters) value = without_folders(value);
}

void redact_set(const SentenceRedaction& sentences, RunSet* set) {
  set->folder = "set-" + set->id;
  sentences.redact(&set->stopped);
  for (std::string& problem : set->problems) sentences.redact(&problem);
  for (std::string& point : set->out_of_memory) point = without_folders(point);
}

}  // namespace

namespace {

/// Equal ones stay equal.
void redact_devices(Trace* trace) {
  std::map<std::string, size_t> numbers;
  for (Device& device : trace->devices) {
    if (device.uuid.empty()) continue;
    device.uuid = std::to_string(numbers.try_emplace(device.uuid, numbers.size() + 1).first->second);
  }
}

}  // namespace

void redact(Trace* trace) {
  const IdNumbers ids(*trace);
  const SentenceRedaction sentences(*trace, ids);
  const CommandNames commands(trace->processes);
  for (Segment& segment : trace->segments) redact_segment(ids, sentences, &segment);
  for (Process& process : trace->processes) redact_process(commands, ids, sentences, &process);
  for (Track& track : trace->tracks) track.thread = ids.of(track.thread);
  for (OpenSpan& span : trace->open_spans) span.thread = ids.of(span.thread);
  for (TraceFile& file : trace->files) file.path = file_name(file.path, ids);
  for (RunSet& set : trace->sets) redact_set(sentences, &set);
  for (Notice& notice : trace->notices) sentences.redact(&notice.text);
  for (Unintercepted& library : trace->unintercepted) {
    for (std::string* path : {&library.library, &library.file, &library.user}) *path = base_name(*path);
    sentences.redact(&library.detail);
  }
  for (UsedLibrary& used : trace->used_libraries) used.file = library_file(used.file);
  for (Gap& gap : trace->gaps) sentences.redact(&gap.detail);
  redact_devices(trace);
  redact_strings(trace);
}

}  // namespace xsp::analysis
