#include "analysis/timeline/run_processes.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace xsp::analysis {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// The executable, and the command without its numbers.
std::vector<std::string> program_of(const Process& process) {
  std::vector<std::string> words = {process.executable};
  for (const std::string& word : process.command) words.push_back(without_numbers(word));
  return words;
}

}  // namespace

std::string without_numbers(const std::string& word) {
  std::string result;
  for (size_t i = 0; i < word.size(); ++i) {
    if (!is_digit(word[i])) {
      result += word[i];
    } else if (i == 0 || !is_digit(word[i - 1])) {
      result += '#';
    }
  }
  return result;
}

std::string rank_of(const Process& process) {
  for (const char* name : {"RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID"}) {
    if (const std::string* rank = process.variable(name)) return *rank;
  }
  return {};
}

bool is_same_program(const Process& a, const Process& b) {
  return rank_of(a) == rank_of(b) && program_of(a) == program_of(b);
}

std::map<uint32_t, ProcessRole> roles_of(const Trace& trace, std::vector<uint32_t> processes) {
  const auto order = [&](uint32_t number) {
    const Process& process = trace.processes[number];
    return std::tie(process.command, process.start_ns);
  };
  std::stable_sort(processes.begin(), processes.end(), [&](uint32_t a, uint32_t b) { return order(a) < order(b); });
  std::map<ProcessRole, size_t> counts;
  std::map<uint32_t, ProcessRole> roles;
  for (const uint32_t number : processes) {
    const Process& process = trace.processes[number];
    ProcessRole role{.rank = rank_of(process), .command = {}};
    if (role.rank.empty()) role.command = program_of(process);
    role.place = counts[role]++;
    roles.emplace(number, std::move(role));
  }
  return roles;
}

const ExperimentRun* run_of(const Trace& trace, uint32_t process) {
  const auto& run = trace.segments[trace.processes[process].segment].run;
  return run ? &*run : nullptr;
}

bool are_comparable(const Segment& a, const Segment& b) {
  if (!a.run || !b.run) return true;
  return a.run->set == b.run->set && a.run->parameters == b.run->parameters;
}

}  // namespace xsp::analysis
