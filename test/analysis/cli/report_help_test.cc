#include "analysis/cli/help.h"

#include "analysis/cli/options.h"
#include "base/text_encoding.h"
#include "test/catch.h"
#include "test/contains.h"

namespace xsp::analysis {
namespace {

using test::contains;

TEST_CASE("the help has every option") {
  const std::string help = help_text();
  const auto names = option_names();
  CHECK(names.size() > 30);
  for (const std::string& name : names) {
    INFO(name);
    const std::string end = name.starts_with("--") ? "" : ",";
    CHECK((contains(help, " " + name + " ") || contains(help, " " + name + "[") || contains(help, " " + name + end)));
  }
}

TEST_CASE("the help has every format and table, and fits 100 columns") {
  const std::string help = help_text();
  for (const Exporter& exporter : exporters()) CHECK(contains(help, " " + std::string(exporter.name) + " "));
  for (const TableDefinition* analysis : analyses()) {
    CHECK(contains(help, "  " + std::string(analysis->id) + " "));
  }
  for (size_t begin = 0; begin < help.size();) {
    const size_t end = help.find('\n', begin);
    INFO(help.substr(begin, end - begin));
    CHECK(display_width(help.substr(begin, end - begin)) <= 100);
    begin = end + 1;
  }
}

}  // namespace
}  // namespace xsp::analysis
