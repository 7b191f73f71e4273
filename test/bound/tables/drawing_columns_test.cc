#include "bound/tables/drawing_columns.h"

#include "test/catch.h"

using namespace xsp::bound;

TEST_CASE("a shallow graph is one column") {
  const std::vector<DrawingColumn> columns = columns_of(std::vector<RankExtent>(10, {-50, 50, 1}), 40);
  REQUIRE(columns.size() == 1);
  CHECK(columns[0].begin == 0);
  CHECK(columns[0].end == 10);
  CHECK(columns[0].shift == 50);
  CHECK(columns[0].right == 100);
}

TEST_CASE("a deep and narrow graph is cut where the fewest links cross") {
  std::vector<RankExtent> ranks(30, {-200, 200, 3});
  ranks[16].links_above = 1;
  const std::vector<DrawingColumn> columns = columns_of(ranks, 40);
  REQUIRE(columns.size() == 2);
  CHECK(columns[0].end == 16);
  CHECK(columns[1].begin == 16);
  CHECK(columns[1].end == 30);
  CHECK(columns[1].right == 840);
}

TEST_CASE("columns are as many as fit beside one another") {
  CHECK(columns_of(std::vector<RankExtent>(70, {-500, 500, 1}), 40).size() == 1);
  CHECK(columns_of(std::vector<RankExtent>(70, {-150, 150, 1}), 40).size() == 3);
  CHECK(columns_of({}, 40).empty());
}
