#include "base/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <utility>

#include "base/similar_words.h"
#include "base/text_encoding.h"

namespace xsp {
namespace {

std::vector<std::string> long_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

/// "--format" of "--format: 1 required TEXT missing".
std::string option_in(const std::string& message) { return message.substr(0, message.find_first_of(": ")); }

Status unexpected(const CLI::App& app, const std::string& see_help) {
  const std::vector<std::string> rest = app.remaining();
  const auto option =
      std::find_if(rest.begin(), rest.end(), [](const std::string& word) { return word.starts_with('-'); });
  if (option == rest.end()) {
    const std::string word = rest.empty() ? std::string() : rest.front();
    const std::string meant = nearest_option(app, word);
    return {"unexpected argument '" + word + "'", meant.empty() ? see_help : "did you mean " + meant + "?"};
  }
  const std::string name = option->substr(0, option->find('='));
  const std::string meant = nearest_option(app, name);
  return {"unknown option " + name, meant.empty() ? see_help : "did you mean " + meant + "?"};
}

Status wrong_number(const CLI::App& app, const std::string& message, const std::string& see_help) {
  const std::string name = option_in(message);
  if (message.find("At Most") != std::string::npos) return {name + " is given more than once", "give it once"};
  const CLI::Option* option = app.get_option_no_throw(name);
  const int count = option == nullptr ? 1 : option->get_type_size_max();
  return {name + (count == 1 ? " needs a value" : " needs " + std::to_string(count) + " values"), see_help};
}

/// "Could not convert: --top = x", "--quiet: Should be true/false or a number".
Status wrong_kind(const CLI::App& app, const std::string& message, const std::string& see_help) {
  constexpr std::string_view kBegin = "Could not convert: ";
  constexpr std::string_view kEquals = " = ";
  if (!message.starts_with(kBegin)) return {message, see_help};
  const size_t equals = message.find(kEquals);
  if (equals == std::string::npos) return {message, see_help};
  const std::string name = message.substr(kBegin.size(), equals - kBegin.size());
  const CLI::Option* option = app.get_option_no_throw(name);
  if (option != nullptr && option->get_items_expected_max() == 0) return {name + " takes no value", "give it alone"};
  return {name + ": '" + message_text(message.substr(equals + kEquals.size())) + "' is not a number", see_help};
}

/// "--format: what is wrong" and, after a newline, the hint.
Status wrong_value(const std::string& message, const std::string& see_help) {
  const size_t end = message.find('\n');
  if (end == std::string::npos) return {message, see_help};
  return {message.substr(0, end), message.substr(end + 1)};
}

}  // namespace

std::string nearest_option(const CLI::App& app, std::string_view word) { return nearest_word(word, long_names(app)); }

ValueCheck one_of(std::vector<std::string> words) {
  return [words = std::move(words)](const std::string& value) -> std::string {
    if (std::find(words.begin(), words.end(), value) != words.end()) return {};
    return "unknown value '" + message_text(value) + "'\n" + choice_hint(value, words);
  };
}

ValueCheck whole_number(long long least, long long most) {
  return [=](const std::string& text) -> std::string {
    long long number = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool is_number = failure == std::errc() && end == text.data() + text.size();
    if (is_number && number >= least && number <= most) return {};
    std::string why = "'" + message_text(text) + "' is not a whole number from " + std::to_string(least);
    return why + (most == std::numeric_limits<long long>::max() ? " on" : " to " + std::to_string(most));
  };
}

Status parse_command_line(CLI::App* app, std::vector<std::string> arguments, const std::string& see_help) {
  // CLI11 takes them in reverse order.
  std::reverse(arguments.begin(), arguments.end());
  try {
    app->parse(arguments);
    return {};
  } catch (const CLI::ExtrasError&) {
    return unexpected(*app, see_help);
  } catch (const CLI::ArgumentMismatch& error) {
    return wrong_number(*app, error.what(), see_help);
  } catch (const CLI::ConversionError& error) {
    return wrong_kind(*app, error.what(), see_help);
  } catch (const CLI::ValidationError& error) {
    return wrong_value(error.what(), see_help);
  } catch (const CLI::ExcludesError& error) {
    std::string text = error.what();
    const size_t excludes = text.find(" excludes ");
    if (excludes != std::string::npos) text.replace(excludes, 10, " does not go with ");
    return {text, "leave out one of the two"};
  } catch (const CLI::RequiresError& error) {
    std::string text = error.what();
    const size_t needs = text.find(" requires ");
    if (needs != std::string::npos) text.replace(needs, 10, " needs ");
    return {text, see_help};
  } catch (const CLI::ParseError& error) {
    return {error.what(), see_help};
  }
}

}  // namespace xsp
