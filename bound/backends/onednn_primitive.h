#pragma once

#include <memory>
#include <string>

#include "bound/backends/backend.h"
#include "bound/backends/onednn_plan.h"

namespace xsp::bound::onednn {

/// What all candidates and implementations of a library share.
struct Session {
  std::shared_ptr<const LoadedLibrary> library;
  std::shared_ptr<const Dialect> dialect;
};

/// "brgconv:avx512_core"; empty where the library does not tell.
std::string implementation_name(const LoadedLibrary& library, const PrimitiveDescriptorObject* descriptor);

/// How an argument of this implementation lies; null for one that it does not have.
Description argument_description(const Session& session, const PrimitiveDescriptorObject* descriptor, int argument);

/// The order in which dimensions lie, with the blocks inside: "abcd", "acdb", "aBcd16b". "opaque" for formats without
/// such an order (weights transformed for Winograd).
std::string format_text(const DescriptionFacts& facts);

/// Whether weights of this implementation are held with fewer bits than their type has: without VNNI, products of i8
/// overflow unless one factor is halved, and Winograd transforms weights within bytes.
bool loses_weight_bits(const Session& session, const PrimitiveDescriptorObject* descriptor, const Plan& plan);

/// Compiles the primitive. An error: the library's word.
Status make_implementation(const Session& session, PrimitiveDescriptor descriptor, const Plan& plan,
                           std::unique_ptr<Implementation>* implementation);

}  // namespace xsp::bound::onednn
