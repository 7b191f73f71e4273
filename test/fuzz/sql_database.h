#pragma once

#include <string>
#include <string_view>

namespace xsp::test {

/// The bytes of an SQLite database that these statements make, one a line. Those that are wrong are left out, and those
/// that would reach other files.
std::string database_of(std::string_view statements);

}  // namespace xsp::test
