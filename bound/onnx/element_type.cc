#include "bound/onnx/element_type.h"

#include <algorithm>
#include <array>

namespace xsp::bound {
namespace {

enum class Numbers : uint8_t { kOther, kWhole, kFloating };

struct ElementFacts {
  ElementType type;
  std::string_view name;
  double bytes;
  Numbers numbers;
};

constexpr std::array kElements = {
    ElementFacts{ElementType::kF32, "f32", 4, Numbers::kFloating},
    ElementFacts{ElementType::kU8, "u8", 1, Numbers::kWhole},
    ElementFacts{ElementType::kI8, "i8", 1, Numbers::kWhole},
    ElementFacts{ElementType::kU16, "u16", 2, Numbers::kWhole},
    ElementFacts{ElementType::kI16, "i16", 2, Numbers::kWhole},
    ElementFacts{ElementType::kI32, "i32", 4, Numbers::kWhole},
    ElementFacts{ElementType::kI64, "i64", 8, Numbers::kWhole},
    ElementFacts{ElementType::kString, "string", 0, Numbers::kOther},
    ElementFacts{ElementType::kBool, "bool", 1, Numbers::kWhole},
    ElementFacts{ElementType::kF16, "f16", 2, Numbers::kFloating},
    ElementFacts{ElementType::kF64, "f64", 8, Numbers::kFloating},
    ElementFacts{ElementType::kU32, "u32", 4, Numbers::kWhole},
    ElementFacts{ElementType::kU64, "u64", 8, Numbers::kWhole},
    ElementFacts{ElementType::kC64, "c64", 8, Numbers::kOther},
    ElementFacts{ElementType::kC128, "c128", 16, Numbers::kOther},
    ElementFacts{ElementType::kBf16, "bf16", 2, Numbers::kFloating},
    ElementFacts{ElementType::kF8E4M3, "f8e4m3", 1, Numbers::kFloating},
    ElementFacts{ElementType::kF8E4M3Fnuz, "f8e4m3fnuz", 1, Numbers::kFloating},
    ElementFacts{ElementType::kF8E5M2, "f8e5m2", 1, Numbers::kFloating},
    ElementFacts{ElementType::kF8E5M2Fnuz, "f8e5m2fnuz", 1, Numbers::kFloating},
    ElementFacts{ElementType::kU4, "u4", 0.5, Numbers::kWhole},
    ElementFacts{ElementType::kI4, "i4", 0.5, Numbers::kWhole},
    ElementFacts{ElementType::kF4E2M1, "f4e2m1", 0.5, Numbers::kOther},
    ElementFacts{ElementType::kF8E8M0, "f8e8m0", 1, Numbers::kFloating},
    ElementFacts{ElementType::kU2, "u2", 0.25, Numbers::kWhole},
    ElementFacts{ElementType::kI2, "i2", 0.25, Numbers::kWhole},
    ElementFacts{ElementType::kF6E2M3, "f6e2m3", 0.75, Numbers::kOther},
    ElementFacts{ElementType::kF6E3M2, "f6e3m2", 0.75, Numbers::kOther},
};

const ElementFacts* facts_of(ElementType type) {
  const auto* const found = std::ranges::find(kElements, type, &ElementFacts::type);
  return found == kElements.end() ? nullptr : found;
}

}  // namespace

std::string_view name_of(ElementType type) {
  const ElementFacts* const facts = facts_of(type);
  return facts == nullptr ? "?" : facts->name;
}

std::optional<ElementType> element_type_named(std::string_view name) {
  const auto* const found = std::ranges::find(kElements, name, &ElementFacts::name);
  if (found == kElements.end()) return std::nullopt;
  return found->type;
}

double bytes_of(ElementType type) {
  const ElementFacts* const facts = facts_of(type);
  return facts == nullptr ? 0 : facts->bytes;
}

bool is_integer(ElementType type) {
  const ElementFacts* const facts = facts_of(type);
  return facts != nullptr && facts->numbers == Numbers::kWhole;
}

bool is_floating(ElementType type) {
  const ElementFacts* const facts = facts_of(type);
  return facts != nullptr && facts->numbers == Numbers::kFloating;
}

}  // namespace xsp::bound
