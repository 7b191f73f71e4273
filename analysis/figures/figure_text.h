#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace xsp::analysis {

/// A recorded name as figures carry it: printable, and at most some hundred letters, cut in the middle. The table has
/// all of it.
std::string figure_label(std::string_view name);

/// A kernel's name without return type and parameters, which are alike in all kernels of a library:
/// "implicit_convolve_sgemm<float, …>".
std::string kernel_label(std::string_view name);

/// The same within a sentence: shorter.
std::string figure_name(std::string_view name);

/// Four significant digits: "12.34", "0.002", "12345".
std::string figure_number(double value);
/// With its unit: "12.34 ms", "57.6 %".
std::string figure_quantity(double value, std::string_view unit);
std::string figure_percent(double percent);

/// "1 layer", "12 layers".
std::string figure_count(size_t count, std::string_view noun);

/// Joins sentences, adding a full stop where one is missing; empty ones are skipped.
std::string sentences(const std::vector<std::string>& parts);

}  // namespace xsp::analysis
