#pragma once

/// protozero for hostile input. By default it asserts that a field has the wire type it is read as, which a peer
/// decides: here a mismatch throws, as every other fault of the input does. Include this, never protozero itself.

#include <protozero/exception.hpp>

#define protozero_assert(condition) \
  ((condition) ? static_cast<void>(0) : throw ::protozero::unknown_pbf_wire_type_exception())

#include <protozero/data_view.hpp>
#include <protozero/pbf_reader.hpp>
