#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "analysis/trace/trace.h"
#include "bound/joining/call_problem.h"

namespace xsp::bound::test {

/// A trace of one library call, whose arguments are given in the order of their layout.
class RecordedCall {
 public:
  RecordedCall(const std::string& library, const std::string& function) : library_(library), function_(function) {
    strings_.define(0, 0);
  }

  RecordedCall& constant(const std::string& name, const std::string& value) { return field(name + "=" + value); }
  RecordedCall& number(const std::string& name, int64_t value) {
    field(name + ":i8");
    values_.append(reinterpret_cast<const char*>(&value), sizeof value);
    return *this;
  }
  RecordedCall& real(const std::string& name, double value) {
    field(name + ":f8");
    values_.append(reinterpret_cast<const char*>(&value), sizeof value);
    return *this;
  }
  RecordedCall& text(const std::string& name, const std::string& value) {
    field(name + ":s4");
    const uint32_t id = ++texts_;
    strings_.define(id, trace_.strings.intern(value));
    values_.append(reinterpret_cast<const char*>(&id), sizeof id);
    return *this;
  }

  CallProblem problem() {
    trace_.spans.resize(1);
    trace_.spans.type[0] = trace_.strings.intern(library_);
    trace_.spans.name[0] = trace_.strings.intern(function_);
    uint64_t missing = 0;
    const uint32_t layout = trace_.strings.intern(layout_);
    trace_.spans.arguments = {trace_.arguments.add(layout, values_, trace_.strings, strings_, &missing) + 1};
    return problem_of_call(trace_, 0);
  }

 private:
  RecordedCall& field(const std::string& text) {
    layout_ += (layout_.empty() ? "" : " ") + text;
    return *this;
  }

  analysis::Trace trace_;
  analysis::ProcessStrings strings_;
  std::string library_, function_, layout_, values_;
  uint32_t texts_ = 0;
};

}  // namespace xsp::bound::test
