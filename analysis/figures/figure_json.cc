#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "analysis/figures/figure.h"
#include "base/text_encoding.h"

namespace xsp::analysis {
namespace {

std::string quoted(const std::string& text) { return nlohmann::json(valid_utf8(text)).dump(); }

/// Screens show at most seven digits; values that can be zoomed into have more.
void append_number(double value, std::string* to, int digits = 7) {
  if (std::isfinite(value)) {
    fmt::format_to(std::back_inserter(*to), "{:.{}g}", value == 0 ? 0 : value, digits);
  } else {
    *to += "null";
  }
}

template <typename Items, typename Append>
void append_list(const char* key, const Items& items, const Append& append, std::string* to) {
  *to += key;
  *to += '[';
  bool first = true;
  for (const auto& item : items) {
    if (!first) *to += ',';
    first = false;
    append(item);
  }
  *to += ']';
}

const char* word_of(FigureKind kind) {
  switch (kind) {
    case FigureKind::kLines:
      return "lines";
    case FigureKind::kColumns:
      return "columns";
    case FigureKind::kBars:
      return "bars";
    case FigureKind::kStacked:
      return "stacked";
    case FigureKind::kRoofline:
      return "roofline";
    case FigureKind::kNested:
      return "nested";
    case FigureKind::kStrip:
      return "strip";
    case FigureKind::kStates:
      return "states";
  }
  return "";
}

const char* word_of(Axis::Scale scale) {
  switch (scale) {
    case Axis::Scale::kLinear:
      return "linear";
    case Axis::Scale::kLog2:
      return "log2";
    case Axis::Scale::kLog10:
      return "log10";
    case Axis::Scale::kCategory:
      return "category";
  }
  return "";
}

std::string axis_json(const Axis& axis) {
  return fmt::format("{{\"label\":{},\"unit\":{},\"scale\":\"{}\"}}", quoted(axis.label), quoted(axis.unit),
                     word_of(axis.scale));
}

/// By columns; one that says nothing is left out: rows that count from 0, x equal to the rows, sizes of 0, no bounds.
void append_series(const Series& series, int digits, std::string* to) {
  bool rows_count = true;
  bool x_is_row = true;
  bool has_size = false;
  bool has_bounds = false;
  bool has_count = false;
  for (size_t i = 0; i < series.points.size(); ++i) {
    const FigurePoint& point = series.points[i];
    rows_count = rows_count && point.row == i;
    x_is_row = x_is_row && point.row != kOfNoRow && point.x == static_cast<double>(point.row);
    has_size = has_size || point.size != 0;
    has_bounds = has_bounds || point.low <= point.high;
    has_count = has_count || point.count != 1;
  }
  fmt::format_to(std::back_inserter(*to), "{{\"name\":{},\"unit\":{},\"panel\":{},\"depth\":{},\"muted\":{}",
                 quoted(series.name), quoted(series.unit), series.panel, series.depth, series.muted);
  if (series.marked) *to += ",\"marked\":true";
  if (series.color != 0) fmt::format_to(std::back_inserter(*to), ",\"color\":{}", series.color);
  if (!series.roof.empty()) *to += ",\"roof\":" + quoted(series.roof);
  if (!series.bound.empty()) *to += ",\"bound\":" + quoted(series.bound);
  if (!series.source.empty()) *to += ",\"source\":" + quoted(series.source);
  const auto append_column = [&](const char* key, double FigurePoint::*field) {
    append_list(
        key, series.points, [&](const FigurePoint& point) { append_number(point.*field, to, digits); }, to);
  };
  append_column(",\"y\":", &FigurePoint::y);
  if (!x_is_row) append_column(",\"x\":", &FigurePoint::x);
  if (has_size) append_column(",\"size\":", &FigurePoint::size);
  if (has_bounds) {
    append_column(",\"low\":", &FigurePoint::low);
    append_column(",\"high\":", &FigurePoint::high);
  }
  if (has_count) {
    append_list(
        ",\"count\":", series.points,
        [&](const FigurePoint& point) { fmt::format_to(std::back_inserter(*to), "{}", point.count); }, to);
  }
  if (!rows_count) {
    append_list(
        ",\"row\":", series.points,
        [&](const FigurePoint& point) {
          if (point.row == kOfNoRow) {
            *to += "null";
          } else {
            fmt::format_to(std::back_inserter(*to), "{}", point.row);
          }
        },
        to);
  }
  *to += '}';
}

/// Each name once, because kernels repeat theirs; with many rows only those that are referred to.
void append_labels(const Figure& figure, std::string* to) {
  if (figure.labels.empty()) return;
  std::unordered_map<std::string, size_t> places;
  std::vector<const std::string*> names;
  std::vector<size_t> of;
  std::vector<size_t> rows;
  for (size_t row = 0; row < figure.labels.size(); ++row) {
    if (figure.labels[row].empty()) continue;
    const auto [found, is_new] = places.emplace(figure.labels[row], names.size());
    if (is_new) names.push_back(&figure.labels[row]);
    of.push_back(found->second);
    rows.push_back(row);
  }
  const auto append_place = [&](size_t place) { fmt::format_to(std::back_inserter(*to), "{}", place); };
  append_list(
      ",\"names\":", names, [&](const std::string* name) { *to += quoted(*name); }, to);
  append_list(",\"named\":", of, append_place, to);
  if (of.size() != figure.labels.size()) append_list(",\"named_rows\":", rows, append_place, to);
}

void append_links(const std::vector<Link>& links, std::string* to) {
  append_list(
      ",\"links\":", links,
      [&](const Link& link) {
        fmt::format_to(std::back_inserter(*to), "{{\"from\":{},\"to\":{},\"panel\":{},\"name\":{}}}", link.from,
                       link.to, link.panel, quoted(link.name));
      },
      to);
}

void append_roofline(const Figure& figure, std::string* to) {
  *to += ",\"total\":";
  append_number(figure.total, to);
  append_list(
      ",\"listed\":", figure.listed,
      [&](const NamedRow& named) {
        fmt::format_to(std::back_inserter(*to), "{{\"row\":{},\"name\":{}}}", named.row, quoted(named.name));
      },
      to);
  append_list(
      ",\"paths\":", figure.paths,
      [&](const std::vector<size_t>& path) {
        append_list(
            "", path, [&](size_t row) { fmt::format_to(std::back_inserter(*to), "{}", row); }, to);
      },
      to);
}

}  // namespace

std::string json_of(const Figure& figure) {
  std::string json =
      fmt::format("{{\"id\":{},\"table\":{},\"title\":{},\"finding\":{},\"kind\":\"{}\",\"note\":{},\"x\":{}",
                  quoted(figure.id), quoted(figure.table), quoted(figure.title), quoted(figure.finding),
                  word_of(figure.kind), quoted(figure.note), axis_json(figure.x));
  const int digits = figure.kind == FigureKind::kStrip ? 10 : 7;
  append_list(
      ",\"y\":", figure.y, [&](const Axis& axis) { json += axis_json(axis); }, &json);
  append_list(
      ",\"series\":", figure.series, [&](const Series& series) { append_series(series, digits, &json); }, &json);
  append_labels(figure, &json);
  append_list(
      ",\"roofs\":", figure.roofs,
      [&](const Roof& roof) {
        json += "{\"name\":" + quoted(roof.name) + ",\"peak\":";
        append_number(roof.peak, &json);
        json += ",\"bandwidth_gbs\":";
        append_number(roof.bandwidth_gbs, &json);
        json += '}';
      },
      &json);
  append_list(
      ",\"regions\":", figure.regions,
      [&](const Region& region) {
        json += "{\"name\":" + quoted(region.name) + ",\"from\":";
        append_number(region.from, &json);
        json += ",\"to\":";
        append_number(region.to, &json);
        json += '}';
      },
      &json);
  append_list(
      ",\"marks\":", figure.marks,
      [&](const Mark& mark) {
        json += "{\"name\":" + quoted(mark.name) + ",\"x\":";
        append_number(mark.x, &json);
        json += '}';
      },
      &json);
  if (!figure.links.empty()) append_links(figure.links, &json);
  if (figure.kind == FigureKind::kRoofline) append_roofline(figure, &json);
  return json + '}';
}

}  // namespace xsp::analysis
