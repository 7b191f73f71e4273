#include "analysis/export/parquet_columns.h"

#include <cmath>

namespace xsp::analysis {
namespace {

void set_bit(size_t bit, bool value, std::string* bits) {
  if (bit / 8 == bits->size()) bits->push_back(0);
  if (value) bits->back() = static_cast<char>(bits->back() | 1 << bit % 8);
}

}  // namespace

std::string_view type_name(ParquetType type) {
  switch (type) {
    case ParquetType::kInt64:
      return "int64";
    case ParquetType::kInt32:
      return "int32";
    case ParquetType::kDouble:
      return "double";
    case ParquetType::kBool:
      return "bool";
    case ParquetType::kText:
      break;
  }
  return "text";
}

template <typename Value>
void ParquetColumn::append(Value value) {
  values_.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void ParquetColumn::set_valid(bool valid) { set_bit(rows_, valid, &validity_); }

void ParquetColumn::add(int64_t value) {
  set_valid(true);
  switch (type_) {
    case ParquetType::kInt64:
      append(value);
      break;
    case ParquetType::kBool:
      set_bit(rows_, value != 0, &values_);
      break;
    case ParquetType::kDouble:
      append(static_cast<double>(value));
      break;
    default:
      append(static_cast<int32_t>(value));
  }
  ++rows_;
}

void ParquetColumn::add_real(double value) {
  if (!std::isfinite(value)) return add_null();
  set_valid(true);
  append(value);
  ++rows_;
}

void ParquetColumn::add_null() {
  add(0);
  validity_.back() = static_cast<char>(validity_.back() & ~(1 << (rows_ - 1) % 8));
}

void ParquetColumn::add_text(uint32_t key, std::string_view text) {
  if (text.empty()) return add_null();
  if (key >= number_of_.size()) number_of_.resize(size_t{key} + 1, -1);
  int32_t& number = number_of_[key];
  if (number < 0) {
    number = static_cast<int32_t>(keys_.size());
    keys_.push_back(key);
    texts_.append(text);
    offsets_.push_back(static_cast<int64_t>(texts_.size()));
  }
  add(number);
}

void ParquetColumn::clear() {
  rows_ = 0;
  validity_.clear();
  values_.clear();
  texts_.clear();
  offsets_.assign(1, 0);
  for (const uint32_t key : keys_) number_of_[key] = -1;
  keys_.clear();
}

std::vector<std::string_view> ParquetColumn::buffers() const {
  std::vector<std::string_view> all = {validity_, values_};
  if (type_ == ParquetType::kText) {
    all.emplace_back(reinterpret_cast<const char*>(offsets_.data()), offsets_.size() * sizeof(int64_t));
    all.emplace_back(texts_);
  }
  return all;
}

}  // namespace xsp::analysis
