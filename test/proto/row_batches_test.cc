#include "proto/row_batches.h"

#include <string>
#include <vector>

#include "proto/row_batch_readers.h"
#include "test/catch.h"
#include "trace.pb.h"

namespace {

using namespace xsp;

/// What `write` puts into a message's fields.
template <typename Write>
std::string encoded(Write&& write) {
  std::string bytes(4096, '\0');
  WireWriter writer(bytes.data(), bytes.size());
  write(writer);
  REQUIRE_FALSE(writer.failed());
  bytes.resize(writer.size());
  return bytes;
}

TEST_CASE("tags are read as they were written") {
  const std::vector<TagRow> tags = {{7, 1, 2}, {5, 3, UINT32_MAX}};
  const std::string bytes = encoded([&](WireWriter& writer) {
    write_tag_columns(writer, 40, 3, [&](auto&& take) {
      for (const TagRow& tag : tags) take(tag);
    });
  });
  xsp::TagBatch theirs;
  REQUIRE(theirs.ParseFromString(bytes));
  CHECK(theirs.thread() == 40);
  CHECK(theirs.key(1) == 3);
  TagBatchReader reader(bytes);
  CHECK(reader.head().ring == 3);
  std::vector<uint32_t> values;
  for (TagBatchReader::Row row; reader.next(&row);) values.insert(values.end(), {row.span, row.key, row.value});
  CHECK(reader.is_whole());
  CHECK(values == std::vector<uint32_t>{7, 1, 2, 5, 3, UINT32_MAX});
}

TEST_CASE("an id of more than 32 bits in a tag column is no other's id") {
  xsp::TagBatch batch;
  batch.add_key(1);
  batch.add_value(1);
  std::string bytes = batch.SerializeAsString();
  bytes += static_cast<char>(wire::TagBatch::kSpan << 3 | 2);
  bytes += std::string("\x05\x85\x80\x80\x80\x10", 6);  // 2^32 + 5
  TagBatchReader reader(bytes);
  TagBatchReader::Row row;
  REQUIRE(reader.next(&row));
  CHECK(row.span == 0);
  CHECK(row.key == 1);
}

TEST_CASE("tag columns of unequal length are not whole") {
  xsp::TagBatch batch;
  batch.add_span(1);
  batch.add_span(2);
  batch.add_key(1);
  batch.add_value(1);
  const std::string bytes = batch.SerializeAsString();
  TagBatchReader reader(bytes);
  TagBatchReader::Row row;
  CHECK(reader.next(&row));
  CHECK_FALSE(reader.next(&row));
  CHECK_FALSE(reader.is_whole());
}

TEST_CASE("arguments are read as they were written, each with its part of the values") {
  const std::string all = "abcdef";
  const std::string bytes = encoded([&](WireWriter& writer) {
    const auto rows = [](auto&& take) {
      take(ArgumentRow{.span = 9, .layout = 1, .length = 4});
      take(ArgumentRow{.span = 3, .layout = 2, .length = 0});
      take(ArgumentRow{.span = 4, .layout = 1, .length = 2});
    };
    write_argument_columns(writer, 40, 3, rows, [&] { writer.string(wire::ArgumentBatch::kValues, all); });
  });
  ArgumentBatchReader reader(bytes);
  ArgumentBatchReader::Row row;
  REQUIRE(reader.next(&row));
  CHECK(row.span == 9);
  CHECK(row.values == "abcd");
  REQUIRE(reader.next(&row));
  CHECK(row.span == 3);
  CHECK(row.layout == 2);
  CHECK(row.values.empty());
  REQUIRE(reader.next(&row));
  CHECK(row.span == 4);
  CHECK(row.values == "ef");
  CHECK_FALSE(reader.next(&row));
  CHECK(reader.is_whole());
}

TEST_CASE("arguments whose values are not all there, or that nobody has, are not whole") {
  const auto is_whole = [](uint64_t length, const std::string& values) {
    xsp::ArgumentBatch batch;
    batch.add_span(2);
    batch.add_layout(1);
    batch.add_length(static_cast<uint32_t>(length));
    batch.set_values(values);
    const std::string bytes = batch.SerializeAsString();
    ArgumentBatchReader reader(bytes);
    for (ArgumentBatchReader::Row row; reader.next(&row);) CHECK(row.values.size() == length);
    return reader.is_whole();
  };
  CHECK(is_whole(3, "abc"));
  CHECK_FALSE(is_whole(4, "abc"));
  CHECK_FALSE(is_whole(2, "abc"));
}

TEST_CASE("nodes of graphs are read as they were written; an absent column is all zeros") {
  const std::string bytes = encoded([&](WireWriter& writer) {
    write_graph_node_columns(writer, 3, [&](auto&& take) {
      take(GraphNodeRow{.node = UINT64_MAX, .original = 5, .span = 2});
      take(GraphNodeRow{.node = 8});
    });
  });
  GraphNodesReader reader(bytes);
  GraphNodesReader::Row row;
  REQUIRE(reader.next(&row));
  CHECK(row.node == UINT64_MAX);
  CHECK(row.original == 5);
  CHECK(row.span == 2);
  REQUIRE(reader.next(&row));
  CHECK(row.node == 8);
  CHECK_FALSE(reader.next(&row));
  CHECK(reader.is_whole());

  xsp::GraphNodes nodes;
  nodes.add_node(1);
  nodes.add_node(2);
  const std::string alone = nodes.SerializeAsString();
  GraphNodesReader without(alone);
  REQUIRE(without.next(&row));
  REQUIRE(without.next(&row));
  CHECK(row.original == 0);
  CHECK_FALSE(without.next(&row));
  CHECK(without.is_whole());

  nodes.add_original(1);
  const std::string unequal = nodes.SerializeAsString();
  GraphNodesReader broken(unequal);
  while (broken.next(&row)) continue;
  CHECK_FALSE(broken.is_whole());
}

}  // namespace
