#include "inject/bench/measured_models.h"

#include "test/catch.h"

using xsp::bench::chosen_model;
using xsp::bench::has_kernels;
using xsp::bench::read_models;

namespace {

constexpr const char* kReport = R"({"xsp": {"version": "1"}, "A1": {"columns": [{"name": "batch_size"},
  {"name": "latency_ms", "unit": "ms"}, {"name": "throughput_per_s"}, {"name": "n"}, {"name": "model"}, {"name": "batch"}],
  "rows": [[1, 10.0, 100.0, 5, "Net", "1"], [1, 1.0, 900.0, 6, "Small", "1"], [2, 16.0, 125.0, 5, "Net", "2"],
           [2, 90.0, 1.0, 5, "Small", "2"], [null, 30.0, null, 5, "Net", 4]]}})";

}  // namespace

TEST_CASE("throughputs are read by the names of columns") {
  const auto models = read_models(kReport, "batch");
  REQUIRE(models.has_value());
  REQUIRE(models->size() == 5);
  CHECK((*models)[2].value == "2");
  CHECK((*models)[2].throughput_per_s == 125.0);
  CHECK((*models)[2].latency_ms == 16.0);
}

TEST_CASE("a value is found whether the report has it as number or text") {
  const auto models = read_models(kReport, "batch");
  REQUIRE(chosen_model(*models, "4") != nullptr);
  CHECK_FALSE(chosen_model(*models, "4")->throughput_per_s.has_value());
  CHECK(chosen_model(*models, "4.0") != nullptr);
}

TEST_CASE("a parameter that is called like a column of the table has a column of its own") {
  const auto models =
      read_models(R"({"A1": {"columns": [{"name": "n"}, {"name": "latency_ms"}, {"name": "parameter_n"}],
                                             "rows": [[5, 10.0, 128]]}})",
                  "n");
  REQUIRE(models.has_value());
  CHECK((*models)[0].value == "128");
  CHECK((*models)[0].evaluations == 5);
}

TEST_CASE("a sweep follows the model that takes most of the time") {
  const auto models = read_models(kReport, "batch");
  CHECK(chosen_model(*models, "1")->model == "Net");
  CHECK(chosen_model(*models, "2")->model == "Small");
  CHECK(chosen_model(*models, "2", "Net")->throughput_per_s == 125.0);
  CHECK(chosen_model(*models, "8") == nullptr);
}

TEST_CASE("what is no report of a sweep gives nothing") {
  for (const char* text : {"", "{", "[]", "{}", R"({"A1": 3})", R"({"A1": {"columns": [], "rows": 1}})"}) {
    INFO(text);
    CHECK_FALSE(read_models(text, "batch").has_value());
    CHECK_FALSE(has_kernels(text));
  }
  CHECK_FALSE(read_models(kReport, "threads").has_value());
}

TEST_CASE("A15 counts where it has kernels") {
  CHECK(has_kernels(R"({"A15": {"columns": [{"name": "kernel_count"}], "rows": [[null], [3]]}})"));
  CHECK_FALSE(has_kernels(R"({"A15": {"columns": [{"name": "kernel_count"}], "rows": [[null], [0]]}})"));
}
