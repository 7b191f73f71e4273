#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace xsp {

/// How many characters must be changed, added, removed or swapped with their neighbour to turn `a` into `b`.
size_t edit_distance(std::string_view a, std::string_view b);

/// The word of `known` that `word` probably stands for: a slip of the keyboard, other case, - for _, or its beginning.
/// Empty if none is near enough.
std::string nearest_word(std::string_view word, std::span<const std::string> known);

/// A hint: "did you mean json? Known: text, json, csv"; without the question where no word is near. `also`: what else
/// may be given and is no word, such as "nvtx:REGEX".
std::string choice_hint(std::string_view word, std::span<const std::string> known, std::string_view also = {});

}  // namespace xsp
