#include "import/frame/profile_timeline.h"

#include <algorithm>

namespace xsp {
namespace {

constexpr std::string_view kOperatorLayout = "inputs:s4 outputs:s4 values:s4";

void append_number(std::string* to, uint32_t number) {
  for (int shift = 0; shift < 32; shift += 8) to->push_back(static_cast<char>(number >> shift));
}

}  // namespace

void ImportedProcess::set_variable(std::string_view name, std::string_view value) {
  const auto known = std::find_if(contents_.environment.begin(), contents_.environment.end(),
                                  [&](const auto& entry) { return entry.first == name; });
  if (known != contents_.environment.end()) {
    known->second = value;
  } else {
    contents_.environment.emplace_back(name, value);
  }
}

uint32_t ImportedProcess::thread(uint32_t tid) {
  if (const auto known = thread_numbers_.find(tid); known != thread_numbers_.end()) return known->second;
  if (contents_.threads.size() == kMaxThreads) return kMaxThreads - 1;
  const auto index = static_cast<uint32_t>(contents_.threads.size());
  thread_numbers_.emplace(tid, index);
  contents_.threads.push_back({tid, {}, {}, {}});
  return index;
}

ImportedSpanId ImportedProcess::add_span(uint32_t thread, const ImportedSpan& span) {
  auto& spans = contents_.threads[thread].spans;
  spans.push_back(span);
  return {thread, static_cast<uint32_t>(spans.size() - 1)};
}

ImportedSpan& ImportedProcess::span(ImportedSpanId id) { return contents_.threads[id.thread].spans[id.number]; }

void ImportedProcess::set_parent(ImportedSpanId child, ImportedSpanId parent) {
  if (child.thread != parent.thread) return;
  Thread& thread = contents_.threads[child.thread];
  if (thread.parents.size() < thread.spans.size()) thread.parents.resize(thread.spans.size());
  thread.parents[child.number] = parent.number + 1;
}

void ImportedProcess::set_call(ImportedSpanId span, uint32_t turn, uint32_t caller) {
  Thread& thread = contents_.threads[span.thread];
  if (thread.calls.size() < thread.spans.size()) thread.calls.resize(thread.spans.size());
  thread.calls[span.number] = {turn, caller};
}

uint32_t ImportedProcess::add_arguments(const OperatorArguments& arguments) {
  std::string values;
  for (const std::string_view field : {arguments.inputs, arguments.outputs, arguments.values}) {
    append_number(&values, texts_.intern(field));
  }
  return add_arguments(kOperatorLayout, values);
}

uint32_t ImportedProcess::add_arguments(std::string_view layout, std::string_view values) {
  std::string entry;
  append_number(&entry, texts_.intern(layout));
  entry += values;
  return arguments_.intern(entry);
}

std::pair<uint32_t, std::string_view> ImportedProcess::arguments(uint32_t id) const {
  const std::string_view entry = arguments_.text(id);
  uint32_t layout = 0;
  for (size_t i = 0; i < sizeof layout; ++i) layout |= uint32_t{static_cast<uint8_t>(entry[i])} << (8 * i);
  return {layout, entry.substr(sizeof layout)};
}

void ImportedProcess::add_counter(size_t execution, std::string_view metric, double value) {
  contents_.counters.push_back({execution, texts_.intern(metric), value});
}

ImportedProcess& ProfileTimeline::process(uint32_t pid) {
  if (const auto known = process_numbers_.find(pid); known != process_numbers_.end()) return processes_[known->second];
  if (processes_.size() == kMaxProcesses) return processes_.back();
  process_numbers_.emplace(pid, processes_.size());
  return processes_.emplace_back(pid);
}

void ProfileTimeline::note(std::string_view what, uint64_t count) {
  const auto known = std::find_if(notes_.begin(), notes_.end(), [&](const auto& entry) { return entry.first == what; });
  if (known != notes_.end()) {
    known->second += count;
  } else {
    notes_.emplace_back(what, count);
  }
}

}  // namespace xsp
