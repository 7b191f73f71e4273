#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analysis/trace/trace.h"
#include "analysis/work/listed_devices.h"

namespace xsp::analysis {

/// The product that a driver or a tool names, as in "Tesla V100-SXM2-16GB", "NVIDIA A100-PG509-200", "NVIDIA H100 80GB
/// HBM3" or "GRID T4-16Q": the one with most words in common; of several, the one with the device's multiprocessors and
/// memory. Null if it is not listed; a laptop GPU is not the desktop GPU of the same number.
const ListedDevice* find_listed(const Device& device);

/// The product that a user means: the name as a driver prints it, or some words of it ("V100", "h100 sxm", "4090").
const ListedDevice* find_meant(std::string_view text);

/// Suggestions for a name that no product has, the most similar first.
std::vector<std::string> similar_names(std::string_view text, size_t count);

/// Whether the device is a part of a product (MIG), which has a part of its peaks only.
bool is_instance(std::string_view name);

}  // namespace xsp::analysis
