#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bound/measure/result_check.h"
#include "bound/records/measurement.h"
#include "bound/records/work_item.h"

namespace xsp::bound {

/// What a run and the children that measure for it tell one another: a JSON object a line. A child answers each request
/// with messages, the last of which is kDone.

/// An implementation that an earlier child was at: the next one goes on behind it.
struct TriedImplementation {
  std::string key;
  bool cold = false;
  Numerics numerics = Numerics::kExact;
  std::optional<double> best_ns;  // nothing: it failed
  bool has_own_times = false;     // it told its times itself
  bool has_own_cold = false;      // and can tell cold ones, too
  size_t row = SIZE_MAX;          // of those that the parent has of the benchmark; it is not sent
};

struct ChildRequest {
  WorkItem item;
  Library library;
  int threads = 1;
  double budget_ms = 100;
  std::string folder;  // for what the child writes, which goes with it; empty: where it likes
  std::vector<TriedImplementation> tried;
  ExpectedResult expected;  // of kinds without reference, where an implementation came through
};

struct ChildMessage {
  enum class Kind : uint8_t {
    kBegin,     // an implementation is about to be made; `row` says which
    kRunning,   // it is made; said again where running it takes long
    kRow,       // and measured, or failed; also of no implementation (`tried.key` is empty): the library cannot
    kExpected,  // what the first one computed
    kDone,
  };
  Kind kind = Kind::kDone;
  Measurement row;
  TriedImplementation tried;  // with kBegin and kRow
  ExpectedResult expected;
};

/// A child writes it to its standard error where something new begins: what a library says belongs to what it is
/// behind.
inline constexpr std::string_view kWordsMark = "\x1exsp\x1e\n";

std::string request_line(const ChildRequest& request);
std::string message_line(const ChildMessage& message);

/// Nothing for a line that is none.
std::optional<ChildRequest> read_request(std::string_view line);
std::optional<ChildMessage> read_message(std::string_view line);

}  // namespace xsp::bound
