#pragma once

#include <string>
#include <string_view>

namespace xsp::test {

/// The bytes of an SQLite database made by these statements, one per line. Invalid ones are skipped, and so are those
/// that would reach other files.
std::string database_of(std::string_view statements);

}  // namespace xsp::test
