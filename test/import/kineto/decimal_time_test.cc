#include "import/kineto/decimal_time.h"

#include <optional>

#include "test/catch.h"

namespace xsp::kineto {
namespace {

std::optional<int64_t> ns(std::string_view text) {
  int64_t value = 0;
  return microseconds_to_ns(text, &value) ? std::optional(value) : std::nullopt;
}

std::optional<int64_t> integer(std::string_view text) {
  int64_t value = 0;
  return to_integer(text, &value) ? std::optional(value) : std::nullopt;
}

TEST_CASE("microseconds become nanoseconds digit by digit", "[kineto]") {
  CHECK(ns("1414456661601.577") == 1414456661601577);
  CHECK(ns("1623142623460111") == 1623142623460111000);
  CHECK(ns("1623142623460111.001") == 1623142623460111001);
  CHECK(ns("0") == 0);
  CHECK(ns("0.001") == 1);
  CHECK(ns("-2.5") == -2500);
  CHECK(ns("68.0") == 68000);
  CHECK(ns("\"25738\"") == 25738000);
  CHECK(ns(" 7 \n") == 7000);
}

TEST_CASE("digits beyond nanoseconds are rounded", "[kineto]") {
  CHECK(ns("0.0004") == 0);
  CHECK(ns("0.0005") == 1);
  CHECK(ns("1.23456789") == 1235);
  CHECK(ns("0.00049999999999999999999999") == 0);
}

TEST_CASE("exponents", "[kineto]") {
  CHECK(ns("1.6940399689557440e+15") == 1694039968955744000);
  CHECK(ns("5e-3") == 5);
  CHECK(ns("1E2") == 100000);
  CHECK(ns("1e-400") == 0);
  CHECK(ns("0e400") == 0);
}

TEST_CASE("what is no number, or none that fits, has no time", "[kineto]") {
  for (const auto* text : {"", "-", "abc", "1x", "1.2.3", "nan", "null", "\"\"", "1e", "1e400", "9223372036854776",
                           "99999999999999999999999", "0x10", "1 2"}) {
    CHECK_FALSE(ns(text));
  }
}

TEST_CASE("whole numbers", "[kineto]") {
  CHECK(integer("4294967295") == 4294967295);
  CHECK(integer("-1") == -1);
  CHECK(integer("\"7\"") == 7);
  CHECK(integer("3.99") == 3);
  CHECK(integer("136093868752896") == 136093868752896);
  CHECK_FALSE(integer("stream 7"));
  CHECK_FALSE(integer("true"));
}

}  // namespace
}  // namespace xsp::kineto
