#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace xsp::analysis {

enum class ParquetType : uint8_t { kInt64, kInt32, kDouble, kBool, kText };

/// "int64", as parquet_writer.py names it.
std::string_view type_name(ParquetType type);

struct ParquetColumnReference {
  std::string_view name;
  ParquetType type = ParquetType::kInt64;
  std::string_view unit;
  std::string_view meaning;
};

/// Values of a column for some rows in Arrow's layout: validity bits, then the values; for text, indices into a
/// dictionary of the texts that occur.
class ParquetColumn {
 public:
  explicit ParquetColumn(ParquetType type) : type_(type) {}

  void add(int64_t value);
  void add_real(double value);
  void add_null();
  /// `key` is the same for the same text until clear(), and less than 2^32 - 1; empty text is null.
  void add_text(uint32_t key, std::string_view text);

  void clear();
  size_t rows() const { return rows_; }
  /// Size of values and dictionary.
  size_t bytes() const { return values_.size() + texts_.size(); }

  /// In the order in which they are sent.
  std::vector<std::string_view> buffers() const;

 private:
  void set_valid(bool valid);
  template <typename Value>
  void append(Value value);

  ParquetType type_;
  size_t rows_ = 0;
  std::string validity_;
  std::string values_;
  std::vector<int64_t> offsets_{0};
  std::string texts_;
  std::vector<int32_t> number_of_;  // by key: in the dictionary, -1 where it is not
  std::vector<uint32_t> keys_;      // of the dictionary
};

}  // namespace xsp::analysis
