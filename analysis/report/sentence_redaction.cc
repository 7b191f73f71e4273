#include "analysis/report/sentence_redaction.h"

#include <algorithm>
#include <vector>

#include "analysis/report/path_names.h"

namespace xsp::analysis {
namespace {

constexpr std::string_view kLeftOut = "…";

bool is_of_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || (c & 0x80) != 0;
}

/// Replaces `part` where it is not a part of a longer word.
void replace_all(const std::string& part, std::string_view by, std::string* text) {
  for (size_t at = text->find(part); at != std::string::npos; at = text->find(part, at)) {
    const size_t end = at + part.size();
    const bool begins = at == 0 || !is_of_word(part.front()) || !is_of_word((*text)[at - 1]);
    const bool ends = end == text->size() || !is_of_word(part.back()) || !is_of_word((*text)[end]);
    if (begins && ends) text->replace(at, part.size(), by);
    at += begins && ends ? by.size() : 1;
  }
}

/// "pid 4242": numbers that are no id of the trace belong to other programs.
void replace_pids(const IdNumbers& ids, std::string* text) {
  constexpr std::string_view kMark = "pid ";
  for (size_t at = text->find(kMark); at != std::string::npos; at = text->find(kMark, at)) {
    at += kMark.size();
    size_t end = at;
    while (end < text->size() && (*text)[end] >= '0' && (*text)[end] <= '9') ++end;
    const std::string digits = text->substr(at, end - at);
    if (digits.empty() || digits.size() > 9) continue;
    const uint32_t number = ids.of(static_cast<uint32_t>(std::stoul(digits)));
    text->replace(at, digits.size(), number == 0 ? std::string(kLeftOut) : std::to_string(number));
  }
}

}  // namespace

IdNumbers::IdNumbers(const Trace& trace) {
  const auto add = [&](uint32_t id) {
    if (id != 0) numbers_.try_emplace(id, static_cast<uint32_t>(numbers_.size()) + 1);
  };
  for (const Process& process : trace.processes) add(process.pid);
  for (const Process& process : trace.processes) add(process.parent_pid);
  for (const Track& track : trace.tracks) add(track.thread);
  for (const OpenSpan& span : trace.open_spans) add(span.thread);
}

uint32_t IdNumbers::of(uint32_t id) const {
  const auto found = numbers_.find(id);
  return found == numbers_.end() ? 0 : found->second;
}

SentenceRedaction::SentenceRedaction(const Trace& trace, const IdNumbers& ids) : ids_(ids) {
  constexpr size_t kShortestHost = 3;
  for (const Segment& segment : trace.segments) {
    if (segment.hostname.size() >= kShortestHost) words_.insert(segment.hostname);
    // A host is often named without its domain.
    const std::string first = segment.hostname.substr(0, segment.hostname.find('.'));
    if (first.size() >= kShortestHost) words_.insert(first);
    add_command(segment.command);
  }
  for (const Process& process : trace.processes) add_command(process.command);
}

void SentenceRedaction::redact(std::string* sentence) const {
  // The longest first: one command may be the beginning of another.
  for (auto command = commands_.rbegin(); command != commands_.rend(); ++command) {
    replace_all(*command, "COMMAND", sentence);
  }
  *sentence = without_folders(*sentence);
  for (auto word = words_.rbegin(); word != words_.rend(); ++word) replace_all(*word, kLeftOut, sentence);
  replace_pids(ids_, sentence);
}

void SentenceRedaction::add_command(const std::vector<std::string>& command) {
  constexpr size_t kShortestWord = 4;
  std::string joined;
  for (const std::string& word : command) joined += (joined.empty() ? "" : " ") + word;
  if (command.size() > 1) commands_.insert(joined);
  // The program's own name is kept.
  for (size_t i = 1; i < command.size(); ++i) {
    const std::string& word = command[i];
    const std::string value =
        word.starts_with("--") && word.find('=') != std::string::npos ? word.substr(word.find('=') + 1) : word;
    for (const std::string& part : {word, value, base_name(value)}) {
      if (part.size() >= kShortestWord) words_.insert(part);
    }
  }
}

}  // namespace xsp::analysis
