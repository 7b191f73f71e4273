#include "bound/measure/child_protocol.h"

#include <array>
#include <cmath>
#include <cstring>

#include <nlohmann/json.hpp>

#include "bound/records/base64.h"

namespace xsp::bound {
namespace {

using Json = nlohmann::json;

constexpr std::array<std::string_view, 5> kKindNames{"begin", "running", "row", "expected", "done"};

std::string line_of(const Json& object) { return object.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n"; }

/// As bytes: JSON has no infinity.
template <typename Number>
std::string packed(const std::vector<Number>& numbers) {
  return base64({reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(Number)});
}

template <typename Number>
std::vector<Number> unpacked(const std::string& text) {
  const std::string bytes = bytes_of_base64(text).value_or("");
  std::vector<Number> numbers(bytes.size() / sizeof(Number));
  if (!numbers.empty()) std::memcpy(numbers.data(), bytes.data(), numbers.size() * sizeof(Number));
  return numbers;
}

Json json_of(const TriedImplementation& tried) {
  Json object{{"key", tried.key}, {"numerics", name_of(tried.numerics)}};
  if (tried.cold) object["cold"] = true;
  if (tried.best_ns) object["best_ns"] = *tried.best_ns;
  if (tried.has_own_times) object["own_times"] = true;
  if (tried.has_own_cold) object["own_cold"] = true;
  return object;
}

TriedImplementation tried_in(const Json& object) {
  TriedImplementation tried{.key = object.at("key"),
                            .cold = object.value("cold", false),
                            .numerics = numerics_named(object.at("numerics").get<std::string>()).value(),
                            .has_own_times = object.value("own_times", false),
                            .has_own_cold = object.value("own_cold", false)};
  if (object.contains("best_ns")) tried.best_ns = object["best_ns"].get<double>();
  return tried;
}

Json json_of(const ExpectedResult& expected) {
  return {{"elements", expected.elements}, {"values", packed(expected.values)}};
}

ExpectedResult expected_in(const Json& object) {
  return {object.at("elements").get<size_t>(), unpacked<double>(object.at("values").get<std::string>())};
}

/// Times and what the child alone knows; the run has the rest.
Json json_of(const Measurement& row) {
  Json object{{"implementation", row.implementation},
              {"numerics", name_of(row.numerics)},
              {"math_mode", row.math_mode},
              {"layout", row.layout},
              {"dtype", row.dtype},
              {"cold", row.cold},
              {"status", name_of(row.status)},
              {"message", row.message},
              {"workspace_bytes", row.workspace_bytes},
              {"load_average", row.load_average},
              {"started_at", row.started_at},
              {"n", row.samples_taken},
              {"min_ns", row.min_ns},
              {"median_ns", row.median_ns},
              {"p90_ns", row.p90_ns},
              {"samples", packed(row.samples_ns)}};
  if (row.cpu_min_ns) object["cpu_min_ns"] = *row.cpu_min_ns;
  return object;
}

double time_in(const Json& object, const char* key) {
  const auto time = object.at(key).get<double>();
  if (!std::isfinite(time) || time < 0) throw std::range_error(key);
  return time;
}

Measurement row_in(const Json& object) {
  Measurement row{.implementation = object.at("implementation"),
                  .numerics = numerics_named(object.at("numerics").get<std::string>()).value(),
                  .math_mode = object.at("math_mode"),
                  .layout = object.at("layout"),
                  .dtype = object.at("dtype"),
                  .cold = object.at("cold"),
                  .status = status_named(object.at("status").get<std::string>()).value(),
                  .message = object.at("message"),
                  .samples_taken = object.at("n"),
                  .min_ns = time_in(object, "min_ns"),
                  .median_ns = time_in(object, "median_ns"),
                  .p90_ns = time_in(object, "p90_ns"),
                  .samples_ns = unpacked<float>(object.at("samples").get<std::string>()),
                  .workspace_bytes = object.at("workspace_bytes"),
                  .load_average = object.at("load_average"),
                  .started_at = object.at("started_at")};
  if (object.contains("cpu_min_ns")) row.cpu_min_ns = time_in(object, "cpu_min_ns");
  return row;
}

}  // namespace

std::string request_line(const ChildRequest& request) {
  Json tried = Json::array();
  for (const TriedImplementation& one : request.tried) tried.push_back(json_of(one));
  Json object{{"item", json_line(request.item)}, {"backend", request.library.backend},
              {"library", request.library.name}, {"version", request.library.version},
              {"build", request.library.build},  {"path", request.library.path},
              {"threads", request.threads},      {"budget_ms", request.budget_ms},
              {"tried", std::move(tried)},       {"folder", request.folder}};
  if (request.expected.is_known()) object["expected"] = json_of(request.expected);
  return line_of(object);
}

std::optional<ChildRequest> read_request(std::string_view line) {
  try {
    const Json object = Json::parse(line);
    ChildRequest request{.library = {.backend = object.at("backend"),
                                     .name = object.at("library"),
                                     .version = object.at("version"),
                                     .build = object.at("build"),
                                     .path = object.at("path")},
                         .threads = object.at("threads"),
                         .budget_ms = object.at("budget_ms"),
                         .folder = object.at("folder")};
    if (!parse_work_item(object.at("item").get<std::string>(), &request.item).ok()) return std::nullopt;
    for (const Json& one : object.at("tried")) request.tried.push_back(tried_in(one));
    if (object.contains("expected")) request.expected = expected_in(object["expected"]);
    return request;
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

std::string message_line(const ChildMessage& message) {
  Json object{{"kind", kKindNames[static_cast<size_t>(message.kind)]}};
  if (message.kind == ChildMessage::Kind::kBegin || message.kind == ChildMessage::Kind::kRow) {
    object["row"] = json_of(message.row);
    object["tried"] = json_of(message.tried);
  }
  if (message.kind == ChildMessage::Kind::kExpected) object["expected"] = json_of(message.expected);
  return line_of(object);
}

std::optional<ChildMessage> read_message(std::string_view line) {
  try {
    const Json object = Json::parse(line);
    const auto name = object.at("kind").get<std::string>();
    for (size_t kind = 0; kind < kKindNames.size(); ++kind) {
      if (kKindNames[kind] != name) continue;
      ChildMessage message{.kind = static_cast<ChildMessage::Kind>(kind)};
      if (object.contains("row")) message.row = row_in(object["row"]);
      if (object.contains("tried")) message.tried = tried_in(object["tried"]);
      if (object.contains("expected")) message.expected = expected_in(object["expected"]);
      return message;
    }
    return std::nullopt;
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

}  // namespace xsp::bound
