#include "inject/launch/options/continuous_choice.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <string_view>

#include "proto/quantities.h"

namespace xsp::launch {
namespace {

constexpr const char* kDefaultOverhead = "1";

template <typename Number>
std::optional<Number> number_in(std::string_view text) {
  Number number{};
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failed != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

/// 1/100, 2s/1m or auto, as the guest reads it.
std::optional<std::string> sample_for_guest(const std::string& text) {
  if (text == "auto") return text;
  const size_t slash = text.find('/');
  if (slash == std::string::npos) return std::nullopt;
  const std::string first = text.substr(0, slash);
  const std::string second = text.substr(slash + 1);
  if (const auto every = number_in<uint32_t>(second)) {
    if (first != "1" || *every == 0) return std::nullopt;
    return fmt::format("1/{}", *every);
  }
  const auto on = parse_duration(first);
  const auto period = parse_duration(second);
  // A number alone would be a count, not a time.
  if (!on || !period || *on == 0 || *on > *period || number_in<double>(first)) return std::nullopt;
  return fmt::format("{}/{}", *on, *period);
}

Status check_sampling(const CLI::App& app, Options* options) {
  if (app.count("--sample") != 0) {
    const auto sample = sample_for_guest(options->sample);
    if (!sample) {
      return {fmt::format("--sample: \"{}\" is no sampling", options->sample),
              "--sample 1/100: one model call of each hundred; 2s/1m: two seconds of each minute; auto"};
    }
    options->sample = *sample;
  }
  if (app.count("--max-overhead") != 0) {
    std::string_view text = options->max_overhead;
    if (text.ends_with('%')) text.remove_suffix(1);
    const auto percent = number_in<double>(text);
    if (!percent || !(*percent > 0 && *percent <= 100)) {
      return {fmt::format("--max-overhead: \"{}\" is no share in percent", options->max_overhead),
              "for example --max-overhead 0.5"};
    }
    if (!options->sample.empty() && options->sample != "auto") {
      return {"--max-overhead goes with --sample auto",
              "leave out one of the two: a fixed --sample has no overhead budget"};
    }
    options->max_overhead = std::string(text);
    options->sample = "auto";
  }
  if (options->continuous && options->sample.empty()) options->sample = "auto";
  if (options->continuous && options->sample == "auto" && options->max_overhead.empty()) {
    options->max_overhead = kDefaultOverhead;
  }
  return {};
}

Status check_budgets(const CLI::App& app, const Options& options) {
  if (app.count("--max-size") != 0) {
    const auto bytes = parse_byte_size(options.max_size);
    if (!bytes)
      return {fmt::format("--max-size: \"{}\" is no size", options.max_size), "for example --max-size 200M or 1.5G"};
    if (*bytes < kLeastTraceBytes) {
      return {fmt::format("--max-size {} is too little", options.max_size), "the least is --max-size 1M"};
    }
  }
  if (app.count("--max-rate") != 0 && parse_byte_size(options.max_rate).value_or(0) == 0) {
    return {fmt::format("--max-rate: \"{}\" is no size a second", options.max_rate),
            "for example --max-rate 100k or 2M"};
  }
  if (app.count("--rotate") == 0) return {};
  if (!options.continuous) return {"--rotate goes with --continuous", "add --continuous -o FOLDER"};
  if (parse_duration(options.rotate).value_or(0) == 0) {
    return {fmt::format("--rotate: \"{}\" is no time", options.rotate), "for example --rotate 30s, 10m or 1h"};
  }
  return {};
}

}  // namespace

Status check_continuous(const CLI::App& app, Options* options) {
  const auto given = [&](const char* name) { return app.count(name) != 0; };
  const char* mine = nullptr;
  for (const char* name : {"--continuous", "--sample", "--max-overhead", "--max-size", "--max-rate"}) {
    if (mine == nullptr && given(name)) mine = name;
  }
  if (mine == nullptr && !given("--rotate")) return {};
  if (Status status = check_budgets(app, *options); !status.ok()) return status;
  if (Status status = check_sampling(app, options); !status.ok()) return status;
  if (options->is_set()) {
    return {fmt::format("{} does not go with several runs", mine),
            "runs of a set record every call; leave out one of the two"};
  }
  if (given("--metrics")) {
    return {fmt::format("{} does not go with --metrics", mine),
            "--metrics counts every kernel from the start; leave out one of the two"};
  }
  if (given("--collector")) {
    for (const char* name : {"--continuous", "--max-size", "--max-rate", "--rotate"}) {
      if (!given(name)) continue;
      return {fmt::format("{} does not go with --collector", name),
              "give it to the running xsp-collector instead: xsp-collector --help"};
    }
  }
  if (options->continuous && given("--otlp")) {
    return {"--otlp does not go with --continuous",
            "a part that is finished can be sent: xsp-report FOLDER/000001.pb --otlp URL"};
  }
  return {};
}

std::vector<std::string> collector_limits(const Options& options) {
  std::vector<std::string> limits;
  if (options.continuous) limits.emplace_back("--continuous");
  for (const auto& [name, value] :
       {std::pair("--max-size", &options.max_size), {"--max-rate", &options.max_rate}, {"--rotate", &options.rotate}}) {
    if (!value->empty()) limits.insert(limits.end(), {name, *value});
  }
  return limits;
}

}  // namespace xsp::launch
