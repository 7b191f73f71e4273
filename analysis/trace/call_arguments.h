#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "analysis/trace/trace.h"

namespace xsp::analysis {

/// What one call was asked to do, read by the names of its layout:
///
///     const CallArguments call(trace, row);
///     if (const auto m = call.integer("m")) …
///
/// A value that is not there (no such field, or values that end early) is nothing. Text lives as long as the trace.
class CallArguments {
 public:
  CallArguments(const Trace& trace, Row row);

  /// Whether anything was captured.
  bool any() const { return layout_ != nullptr; }

  /// Of an integer, an enumeration or an address.
  std::optional<int64_t> integer(std::string_view name) const;
  /// Of a number of any kind.
  std::optional<double> number(std::string_view name) const;
  /// Of a text, a constant, or a named value of an enumeration.
  std::optional<std::string_view> text(std::string_view name) const;

  /// The name of what the call returned, a number for one without name; empty when it was not captured.
  std::string status() const;

  /// "m=128 n=64 op_a=N type_a=R_16F x=f32[8,64]": the values, then the constants of the function, but for the
  /// class and the status, which have their own place.
  /// `plan_text` gives what stands for an execution plan (a field "plan") of that string id; without it the plan itself
  /// is shown.
  std::string display(const std::function<std::string(uint32_t)>& plan_text = {}) const;

  /// The values but for addresses, to tell whether two calls were asked for the same.
  std::string comparable() const;

 private:
  std::optional<int64_t> integer(const ArgumentField& field) const;
  std::optional<double> floating(const ArgumentField& field) const;
  std::optional<std::string_view> text(const ArgumentField& field) const;
  std::string display(const ArgumentField& field) const;
  bool holds(const ArgumentField& field) const { return field.offset + field.width <= values_.size(); }

  const Trace& trace_;
  const ArgumentLayout* layout_ = nullptr;
  std::string_view values_;
};

}  // namespace xsp::analysis
