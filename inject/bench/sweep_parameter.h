#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "inject/launch/experiment/run_plan.h"

namespace xsp::bench {

/// A parameter of a sweep, with its values in the order in which they are measured.
struct SweepParameter {
  std::string name;
  std::vector<std::string> values;
};

/// -L NAME VALUES: values separated by commas, as hyperfine reads them: `\,` is a comma within a value, `\\` a
/// backslash. `...` or `…` stands for what is left out of a progression: 1,2,4,...,256.
Status parse_value_list(const std::string& name, const std::string& list, SweepParameter* parameter);

/// -P NAME FIRST LAST, -D STEP; an empty step means 1, and a step is required for values with decimals.
Status parse_scan(const std::string& name, const std::string& first, const std::string& last, const std::string& step,
                  SweepParameter* parameter);

/// Checks that no name occurs twice and that there are not more points than anyone would wait for.
Status check_parameters(const std::vector<SweepParameter>& parameters);

/// All combinations, in hyperfine's order: the first parameter changes fastest. One point without parameters.
std::vector<launch::Parameters> sweep_points(const std::vector<SweepParameter>& parameters);

}  // namespace xsp::bench
