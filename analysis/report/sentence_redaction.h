#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "analysis/trace/trace.h"

namespace xsp::analysis {

/// Numbers that stand for the ids of processes and threads, from 1 in the order in which a trace has them: equal ids
/// get equal numbers. 0 stays 0.
class IdNumbers {
 public:
  explicit IdNumbers(const Trace& trace);
  uint32_t of(uint32_t id) const;

 private:
  std::map<uint32_t, uint32_t> numbers_;
};

/// Takes out of sentences (notices, details of losses) what a trace says of its command and machine.
class SentenceRedaction {
 public:
  /// Reads them from `trace`, which must still have them.
  SentenceRedaction(const Trace& trace, const IdNumbers& ids);
  void redact(std::string* sentence) const;

 private:
  void add_command(const std::vector<std::string>& command);

  std::set<std::string> commands_;  // words joined by blanks
  std::set<std::string> words_;     // host names, and words of commands that say more than an option's name
  const IdNumbers& ids_;
};

}  // namespace xsp::analysis
