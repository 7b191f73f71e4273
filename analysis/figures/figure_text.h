#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace xsp::analysis {

/// A recorded name as figures carry it: printable, and at most some hundred letters, cut in the middle. The table has
/// all of it.
std::string figure_label(std::string_view name);

/// Of a kernel, without its result and its parameters, which all kernels of a library have alike:
/// "implicit_convolve_sgemm<float, …>".
std::string kernel_label(std::string_view name);

/// The same within a sentence: shorter.
std::string figure_name(std::string_view name);

/// Four digits that count: "12.34", "0.002", "12345".
std::string figure_number(double value);
/// With its unit: "12.34 ms", "57.6 %".
std::string figure_quantity(double value, std::string_view unit);
std::string figure_percent(double percent);

/// "1 layer", "12 layers".
std::string figure_count(size_t count, std::string_view noun);

/// Sentences, each ended by a full stop where it has none, one after another; empty ones are none.
std::string sentences(const std::vector<std::string>& parts);

}  // namespace xsp::analysis
