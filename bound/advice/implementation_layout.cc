#include "bound/advice/implementation_layout.h"

#include <string>
#include <string_view>
#include <vector>

namespace xsp::bound {
namespace {

std::vector<std::string_view> tags_of(std::string_view layout) {
  std::vector<std::string_view> tags;
  while (true) {
    const size_t end = layout.find(':');
    tags.push_back(layout.substr(0, end));
    if (end == std::string_view::npos) return tags;
    layout.remove_prefix(end + 1);
  }
}

/// Letters of dimensions in the order of rows.
std::string plain_tag(size_t rank) {
  std::string tag;
  for (size_t i = 0; i < rank; ++i) tag += static_cast<char>('a' + i);
  return tag;
}

std::string channels_last_tag(size_t rank) {
  std::string tag = plain_tag(rank);
  if (rank > 2) {
    tag.erase(1, 1);
    tag += 'b';
  }
  return tag;
}

/// cuDNN's words as tags.
std::string tag_of_word(std::string_view word, size_t rank) {
  if (word == "nchw" || word == "ncw" || word == "ncdhw") return plain_tag(rank);
  if (word == "nhwc" || word == "nwc" || word == "ndhwc") return channels_last_tag(rank);
  return std::string(word);
}

/// Without the letters of dimensions that have one element.
std::string without_singles(std::string_view tag, const Dimensions& sizes) {
  std::string rest;
  for (const char letter : tag) {
    const auto dimension = static_cast<size_t>(letter - 'a');
    const bool is_single = letter >= 'a' && dimension < sizes.size() && sizes[dimension] == 1;
    if (!is_single) rest += letter;
  }
  return rest;
}

struct ImageTags {
  std::string source;
  std::string result;
};

/// "plain", "channels_last", "any: acdb", "any: abcd -> aBcd16b".
ImageTags image_tags(std::string_view layout, size_t rank) {
  if (layout == "plain") return {plain_tag(rank), plain_tag(rank)};
  if (layout == "channels_last") return {channels_last_tag(rank), channels_last_tag(rank)};
  const size_t colon = layout.find(": ");
  const std::string_view chosen = colon == std::string_view::npos ? layout : layout.substr(colon + 2);
  constexpr std::string_view kArrow = " -> ";
  const size_t arrow = chosen.find(kArrow);
  if (arrow == std::string_view::npos) return {std::string(chosen), std::string(chosen)};
  return {std::string(chosen.substr(0, arrow)), std::string(chosen.substr(arrow + kArrow.size()))};
}

bool is_same_image_layout(const std::vector<std::string_view>& tags, std::string_view layout, const Problem& problem) {
  const Dimensions source = problem.dimensions("src");
  const Dimensions result = checked_result_dimensions(problem).value_or(Dimensions());
  if (tags.size() != 3) return false;
  const ImageTags measured = image_tags(layout, source.size());
  const auto is_same = [](const std::string& one, const std::string& other, const Dimensions& sizes) {
    return without_singles(one, sizes) == without_singles(other, sizes);
  };
  return is_same(tag_of_word(tags[0], source.size()), measured.source, source) &&
         is_same(tag_of_word(tags[2], result.size()), measured.result, result);
}

bool is_blocked(std::string_view tag) { return tag.find_first_of("0123456789") != std::string_view::npos; }

/// Of products only the weights may be packed. inner_product is another primitive than matmul.
bool is_same_product_layout(const TraceCall& call, const std::vector<std::string_view>& tags, std::string_view layout) {
  const bool is_inner_product = layout.starts_with("inner product");
  if (call.function == "inner_product" || call.function == "matmul") {
    if (is_inner_product != (call.function == "inner_product")) return false;
  }
  if (tags.size() != 3) return false;
  const size_t colon = layout.find(": ");
  const std::string_view weights = colon == std::string_view::npos ? std::string_view() : layout.substr(colon + 2);
  if (is_blocked(tags[1]) || is_blocked(weights)) return tags[1] == weights;
  return weights.empty() || is_inner_product || tags[1] == weights;
}

}  // namespace

bool is_same_layout(const TraceCall& call, const Measurement& row, const Problem& problem) {
  const auto tags = tags_of(call.layout);
  return problem.kind() == "matmul" ? is_same_product_layout(call, tags, row.layout)
                                    : is_same_image_layout(tags, row.layout, problem);
}

}  // namespace xsp::bound
