#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analysis/timeline/parents.h"
#include "analysis/trace/trace.h"
#include "analysis/work/call_work.h"

namespace xsp::analysis {

/// The work of spans: of operators and of library calls, by their arguments. Equal ones are computed once.
class SpanWork {
 public:
  SpanWork(const Trace& trace, const Parents& parents);

  /// Number of the work of a span; 0: none.
  uint32_t number_of(Row row);
  const CallWork& work(uint32_t number) const { return works_[number]; }

 private:
  struct Layout {
    bool is_operator = false;                              // has inputs
    std::vector<std::pair<uint32_t, uint32_t>> addresses;  // offset and width
  };

  const Layout& layout_of(uint32_t entry);
  void add_arguments(Row row, std::string* key);
  uint32_t remember(const std::string& key, const std::optional<CallWork>& found);
  uint32_t compute_with_surroundings(Row row);
  Row gradient_of(Row row);

  const Trace& trace_;
  const Parents& parents_;
  std::vector<CallWork> works_;
  std::unordered_map<std::string, uint32_t> numbers_;
  std::unordered_map<const ArgumentLayout*, Layout> layouts_;
  const ArgumentLayout* last_layout_ = nullptr;
  const Layout* last_ = nullptr;
  std::string key_;
  std::optional<std::unordered_map<Row, Row>> gradients_;  // backward spans by their forward ones
};

}  // namespace xsp::analysis
