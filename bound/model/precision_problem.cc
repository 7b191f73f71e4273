#include "bound/model/precision_problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>

#include "bound/problems/post_steps.h"
#include "bound/problems/problem.h"

namespace xsp::bound {
namespace {

/// What a problem is in a precision, by its kind and, where it has one, its algorithm.
struct RoleRow {
  std::string_view kind;
  std::string_view alg;  // empty: any
  PrecisionRole role;
};
using Role = PrecisionRole;

constexpr RoleRow kFloatRoles[] = {
    {"conv", "", Role::kComputes},     {"deconv", "", Role::kComputes},   {"matmul", "", Role::kComputes},
    {"sdpa", "", Role::kComputes},     {"maxpool", "", Role::kFollows},   {"avgpool", "", Role::kFollows},
    {"eltwise", "", Role::kFollows},   {"binary", "", Role::kFollows},    {"softmax", "", Role::kFollows},
    {"batchnorm", "", Role::kFollows}, {"layernorm", "", Role::kFollows}, {"addnorm", "", Role::kFollows},
    {"lrn", "", Role::kFollows},       {"reduce", "", Role::kFollows},    {"concat", "", Role::kFollows},
    {"transpose", "", Role::kFollows}, {"resize", "", Role::kFollows},
};
constexpr RoleRow kTensorFloatRoles[] = {
    {"conv", "", Role::kComputes},
    {"deconv", "", Role::kComputes},
    {"matmul", "", Role::kComputes},
    {"sdpa", "", Role::kComputes},
};
constexpr RoleRow kSmallFloatRoles[] = {{"matmul", "", Role::kComputes}};
/// Functions without a shape of their own within 256 values, as runtimes have them for bytes.
constexpr RoleRow kByteRoles[] = {
    {"conv", "", Role::kComputes},       {"deconv", "", Role::kComputes},   {"matmul", "", Role::kComputes},
    {"maxpool", "", Role::kFollows},     {"avgpool", "", Role::kFollows},   {"eltwise", "relu", Role::kFollows},
    {"eltwise", "clip", Role::kFollows}, {"binary", "add", Role::kFollows}, {"binary", "mul", Role::kFollows},
    {"binary", "max", Role::kFollows},   {"binary", "min", Role::kFollows}, {"concat", "", Role::kFollows},
    {"transpose", "", Role::kFollows},   {"resize", "", Role::kFollows},
};

/// One way to write the types of a precision.
struct TypesRow {
  std::string_view computed;  // dtype of what computes
  std::string_view followed;  // of what follows, and of values between layers
};
constexpr TypesRow kF16Types[] = {{"f16", "f16"}};
constexpr TypesRow kBf16Types[] = {{"bf16", "bf16"}};
constexpr TypesRow kTf32Types[] = {{"tf32", "f32"}};
constexpr TypesRow kF64Types[] = {{"f64", "f64"}};
constexpr TypesRow kFp8Types[] = {{"f8e4m3", "f8e4m3"}};
constexpr TypesRow kInt8Types[] = {{"u8:i8:u8", "u8"}, {"i8", "i8"}};

struct PrecisionRow {
  std::string_view name;
  std::span<const RoleRow> roles;
  std::span<const TypesRow> types;
  bool changes_values = true;
  bool follows_all = false;
};
constexpr PrecisionRow kPrecisions[] = {
    {.name = "f16", .roles = kFloatRoles, .types = kF16Types},
    {.name = "bf16", .roles = kFloatRoles, .types = kBf16Types},
    {.name = "tf32", .roles = kTensorFloatRoles, .types = kTf32Types, .changes_values = false},
    {.name = "f64", .roles = kFloatRoles, .types = kF64Types},
    {.name = "fp8", .roles = kSmallFloatRoles, .types = kFp8Types},
    {.name = "int8", .roles = kByteRoles, .types = kInt8Types, .follows_all = true},
};

const PrecisionRow* precision_row(std::string_view name) {
  const auto* const found = std::ranges::find(kPrecisions, name, &PrecisionRow::name);
  return found == std::end(kPrecisions) ? nullptr : found;
}

/// Whether what an elementwise layer of bytes computes on its result is a function of bytes, too. Products and
/// convolutions have wide sums there, and any function.
bool has_byte_steps(const Problem& problem) {
  constexpr std::string_view kByteSteps[] = {"add", "relu", "clip"};
  return std::ranges::all_of(post_steps(problem.field("post")), [&](const PostStep& step) {
    return std::ranges::find(kByteSteps, step.alg) != std::end(kByteSteps);
  });
}

constexpr std::string_view kOwnType = " dtype=f32";

/// Where the field is, if it is the whole of one.
std::optional<size_t> own_type_in(std::string_view problem) {
  const size_t found = problem.find(kOwnType);
  if (found == std::string_view::npos) return {};
  const size_t end = found + kOwnType.size();
  return end == problem.size() || problem[end] == ' ' ? std::optional(found) : std::nullopt;
}

std::vector<std::string> casts(std::string_view precision, int64_t elements, bool is_into) {
  std::vector<std::string> problems;
  const PrecisionRow* const row = precision_row(precision);
  if (row == nullptr || !row->changes_values) return problems;
  for (const TypesRow& types : row->types) {
    const std::string_view from = is_into ? "f32" : types.followed;
    const std::string_view to = is_into ? types.followed : "f32";
    problems.push_back(Problem("cast").set_integer("src", elements).set("from", from).set("to", to).text());
  }
  return problems;
}

}  // namespace

std::vector<std::string> precision_names() {
  std::vector<std::string> names;
  for (const PrecisionRow& row : kPrecisions) names.emplace_back(row.name);
  return names;
}

PrecisionProblem in_precision(const std::string& problem, std::string_view precision) {
  const PrecisionRow* const row = precision_row(precision);
  const auto place = own_type_in(problem);
  if (row == nullptr || !place) return {};
  const auto parsed = Problem::parse(problem);
  if (!parsed) return {};
  const auto role = std::ranges::find_if(row->roles, [&](const RoleRow& one) {
    return one.kind == parsed->kind() && (one.alg.empty() || one.alg == parsed->field("alg"));
  });
  if (role == row->roles.end()) return {};
  if (row->follows_all && role->role == PrecisionRole::kFollows && !has_byte_steps(*parsed)) return {};
  PrecisionProblem made{.role = role->role};
  for (const TypesRow& types : row->types) {
    std::string text = problem;
    const std::string_view type = role->role == PrecisionRole::kComputes ? types.computed : types.followed;
    text.replace(*place, kOwnType.size(), fmt::format(" dtype={}", type));
    made.problems.push_back(std::move(text));
  }
  return made;
}

bool changes_values(std::string_view precision) {
  const PrecisionRow* const row = precision_row(precision);
  return row != nullptr && row->changes_values;
}

bool follows_all(std::string_view precision) {
  const PrecisionRow* const row = precision_row(precision);
  return row != nullptr && row->follows_all;
}

std::vector<std::string> casts_into(std::string_view precision, int64_t elements) {
  return casts(precision, elements, true);
}

std::vector<std::string> casts_out_of(std::string_view precision, int64_t elements) {
  return casts(precision, elements, false);
}

}  // namespace xsp::bound
