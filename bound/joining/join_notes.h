#pragma once

#include <string>
#include <vector>

#include "bound/joining/join_subject.h"
#include "bound/joining/joined_trace.h"

namespace xsp::bound {

/// What did not join, on either side, and why: a sentence each, without its full stop.
std::vector<std::string> join_notes(const JoinSubject& subject, const JoinedTrace& joined);

}  // namespace xsp::bound
