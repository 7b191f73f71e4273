#pragma once

#include <vector>

#include "analysis/findings/finding.h"
#include "bound/tables/bound_subject.h"

namespace xsp::bound {

/// How far a bound can be believed.
enum class Trust {
  kBound,     // its benchmarks ran through
  kAbout,     // most of it was disturbed; with one thread the least processor time may be some per cent too long
  kUnusable,  // the same with several threads, of which one that waits holds up all: even the least may be many times
              // as long
};
Trust trust_in(const TimesSource& source, const Bounds& bounds);

/// What puts the bounds in doubt: layers without a time; benchmarks that something disturbed; what makes the comparison
/// with a trace doubtful.
void find_doubts(const TimesSource& source, const Bounds& bounds, std::vector<analysis::Finding>* found);

}  // namespace xsp::bound
