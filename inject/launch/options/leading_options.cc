#include "inject/launch/options/leading_options.h"
#include "base/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>

namespace xsp::launch {
namespace {

/// How many arguments after `argument` are its values.
size_t values_behind(const CLI::App& app, const std::string& argument) {
  const CLI::Option* option = nullptr;
  bool has_value = false;
  if (argument.starts_with("--")) {
    const size_t equals = argument.find('=');
    option = app.get_option_no_throw(argument.substr(0, equals));
    has_value = equals != std::string::npos;
  } else {
    for (size_t i = 1; i < argument.size(); ++i) {
      option = app.get_option_no_throw(std::string("-") + argument[i]);
      if (option == nullptr) return 0;
      if (option->get_items_expected_max() == 0) continue;
      has_value = i + 1 < argument.size();
      break;
    }
  }
  if (option == nullptr || option->get_items_expected_max() == 0) return 0;
  return static_cast<size_t>(option->get_type_size_max()) - (has_value ? 1 : 0);
}

/// Number of leading arguments that are options and their values.
size_t count_option_arguments(const CLI::App& app, const std::vector<std::string>& arguments) {
  size_t i = 0;
  while (i < arguments.size() && arguments[i] != "--" && arguments[i].size() > 1 && arguments[i][0] == '-') {
    i += 1 + values_behind(app, arguments[i]);
  }
  return std::min(i, arguments.size());
}

}  // namespace

Status parse_leading_options(CLI::App* app, int argc, char** argv, const std::string& hint,
                             std::vector<std::string>* command) {
  const std::vector<std::string> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
  const size_t count = count_option_arguments(*app, arguments);
  const auto end_of_options = arguments.begin() + static_cast<std::ptrdiff_t>(count);
  if (Status status = parse_command_line(app, {arguments.begin(), end_of_options}, hint); !status.ok()) return status;
  const size_t begin = count + (count < arguments.size() && arguments[count] == "--" ? 1 : 0);
  command->assign(arguments.begin() + static_cast<std::ptrdiff_t>(begin), arguments.end());
  return {};
}

}  // namespace xsp::launch
