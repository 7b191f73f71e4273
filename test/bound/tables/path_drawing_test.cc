#include "bound/tables/path_drawing.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <sstream>
#include <string_view>

#include "test/bound/bounds/layer_graph.h"
#include "test/catch.h"

using namespace xsp::bound;
using namespace xsp::bound::test;

namespace {

size_t occurrences(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

bool is_text(std::string_view text) {
  static const std::array<std::string_view, 5> kEntities = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};
  for (size_t at = text.find('&'); at != std::string_view::npos; at = text.find('&', at + 1)) {
    const std::string_view rest = text.substr(at);
    if (std::none_of(kEntities.begin(), kEntities.end(), [&](auto entity) { return rest.starts_with(entity); })) {
      return false;
    }
  }
  return text.find_first_of("<>") == std::string_view::npos;
}

/// Elements are closed in the order in which they were opened, and neither text nor attributes have markup.
bool is_well_formed(std::string_view svg) {
  std::vector<std::string_view> open;
  while (!svg.empty()) {
    const size_t begin = std::min(svg.find('<'), svg.size());
    if (!is_text(svg.substr(0, begin))) return false;
    svg.remove_prefix(begin);
    if (svg.empty()) break;
    const size_t end = svg.find('>');
    if (end == std::string_view::npos) return false;
    const std::string_view tag = svg.substr(1, end - 1);
    svg.remove_prefix(end + 1);
    if (!is_text(tag) || std::count(tag.begin(), tag.end(), '"') % 2 != 0) return false;
    if (tag.starts_with('/')) {
      if (open.empty() || open.back() != tag.substr(1)) return false;
      open.pop_back();
    } else if (!tag.ends_with('/')) {
      open.push_back(tag.substr(0, tag.find(' ')));
    }
  }
  return open.empty();
}

/// Of a line for Graphviz: what is quoted ends on it.
bool closes_quotes(std::string_view line) {
  bool quoted = false;
  for (size_t at = 0; at < line.size(); ++at) {
    if (quoted && line[at] == '\\') {
      ++at;
    } else if (line[at] == '"') {
      quoted = !quoted;
    }
  }
  return !quoted;
}

Bounds bounds_of(const LayeredModel& model, double ms = 0.125) {
  return make_bounds(model, std::vector<LayerTime>(model.layers.size(), time_of_ms(ms)));
}

/// A name with everything that markup, Graphviz and terminals take for their own.
const std::string kHostileName = "a\"b\\c<d>&amp;\n\x1b[31m\xff'";

}  // namespace

TEST_CASE("the graph for Graphviz has a node a layer, and the longest path in red") {
  LayeredModel model = graph_of({{}, {0}, {0}, {1, 2}, {3}});
  model.name = "small";
  std::vector<LayerTime> times(5);
  times[0] = times[1] = times[3] = time_of_ms(0.125);
  times[2].counts = true;
  times[4].bound_ms = 0;
  const Bounds bounds = make_bounds(model, times);
  CHECK(path_dot(bounds) ==
        "digraph \"small\" {\n"
        "  node [shape=box, fontname=\"sans-serif\"];\n"
        "  n0 [label=\"l0\\nConv\\n0.1250 ms\", color=red, fontcolor=red, fontname=\"sans-serif bold\", penwidth=3];\n"
        "  n1 [label=\"l1\\nConv\\n0.1250 ms\", color=red, fontcolor=red, fontname=\"sans-serif bold\", penwidth=3];\n"
        "  n2 [label=\"l2\\nConv\\nno time\", style=dashed];\n"
        "  n3 [label=\"l3\\nConv\\n0.1250 ms\", color=red, fontcolor=red, fontname=\"sans-serif bold\", penwidth=3];\n"
        "  n4 [label=\"l4\\nConv\\n0 ms\", color=gray, fontcolor=gray];\n"
        "  n0 -> n1 [color=red, penwidth=3];\n"
        "  n0 -> n2;\n"
        "  n1 -> n3 [color=red, penwidth=3];\n"
        "  n2 -> n3;\n"
        "  n3 -> n4;\n"
        "}\n");
}

TEST_CASE("names cannot leave their quotes in a graph for Graphviz") {
  LayeredModel model = graph_of({{}});
  model.name = model.layers[0].name = model.layers[0].type = kHostileName;
  const std::string dot = path_dot(bounds_of(model));
  std::istringstream lines(dot);
  size_t count = 0;
  for (std::string line; std::getline(lines, line); ++count) CHECK(closes_quotes(line));
  CHECK(count == 4);
  CHECK(dot.find('\x1b') == std::string::npos);
  CHECK(dot.find('\xff') == std::string::npos);
  CHECK_THAT(dot, Catch::Contains(R"(a\"b\\c<d>&amp;amp;\\n\\x1b[31m\\xff')"));
}

TEST_CASE("the drawing shows each box, and the path in its colour") {
  LayeredModel model = graph_of({{}, {0}, {0}, {1, 2}});
  model.name = "small";
  std::vector<LayerTime> times(4, time_of_ms(0.5));
  times[2].bound_ms.reset();
  const std::string svg = path_svg(make_bounds(model, times));
  CHECK(is_well_formed(svg));
  CHECK_THAT(svg, Catch::StartsWith("<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\""));
  CHECK_THAT(svg, Catch::Contains("<title>Longest path of small</title>"));
  CHECK_THAT(svg, Catch::Contains("3 of 4 layers on the longest path, 1.500 ms; all one after another, 1.500 ms"));
  CHECK(occurrences(svg, "<g><title>") == 4);
  CHECK_THAT(svg, Catch::Contains("<title>Conv, no time (l2)</title><rect class=\"xsp-shade xsp-axis\""));
  CHECK_THAT(svg, Catch::Contains("<title>Conv, 0.5000 ms (l1)</title><rect class=\"xsp-shade xsp-l2\""));
  CHECK(occurrences(svg, "<path class=\"xsp-l2\"") == 1);
  CHECK(svg.find("style=") == std::string::npos);  // the page's policy forbids it
}

TEST_CASE("names are escaped in a drawing") {
  LayeredModel model = graph_of({{}, {0}, {0}});
  model.name = kHostileName;
  for (Layer& layer : model.layers) layer.name = layer.type = kHostileName;
  const std::string svg = path_svg(bounds_of(model));
  CHECK(is_well_formed(svg));
  CHECK(svg.find('\x1b') == std::string::npos);
  CHECK(svg.find('\xff') == std::string::npos);
  CHECK_THAT(svg, Catch::Contains("a&quot;b\\c&lt;d&gt;&amp;amp;\\n\\x1b[31m\\xff&#39;"));
}

TEST_CASE("a model without layers has a drawing and a graph") {
  const LayeredModel model;
  CHECK(is_well_formed(path_svg(make_bounds(model, {}))));
  CHECK(path_dot(make_bounds(model, {})) == "digraph \"\" {\n  node [shape=box, fontname=\"sans-serif\"];\n}\n");
}

TEST_CASE("drawings of any graph are bounded, well formed and quick") {
  constexpr size_t kLayers = 50000;
  const int form = GENERATE(range(0, 5));
  std::vector<std::vector<size_t>> producers(form == 4 ? 500 : kLayers);
  for (size_t layer = 1; layer < producers.size(); ++layer) {
    if (form == 1) producers[layer] = {layer - 1};
    if (form == 2) producers[layer] = {0};
    if (form == 3 && layer > 1) producers[layer] = {layer - 2, layer - 1};
    for (size_t before = 0; form == 4 && before < layer; ++before) producers[layer].push_back(before);
  }
  LayeredModel model = graph_of(producers);
  for (Layer& layer : model.layers) layer.name.insert(0, std::string(40, '\''));
  const Bounds bounds = bounds_of(model);
  const auto start = std::chrono::steady_clock::now();
  const std::string svg = path_svg(bounds);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  CHECK(is_well_formed(svg));
  CHECK(svg.size() < 300000);
  CHECK(taken.count() < 5);  // a tenth of a second, where nothing else runs
}
