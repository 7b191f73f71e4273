#include "analysis/study/recorded_processors.h"

#include "test/catch.h"

namespace xsp::analysis {

TEST_CASE("a restriction is said where a command cannot use the whole machine") {
  CHECK(restriction_text({.online = 64, .allowed = 2, .quota = 1.5}) == "2 of 64 processors, quota 1.5");
  CHECK(restriction_text({.online = 64, .quota = 1.5}) == "quota 1.5");
  CHECK(restriction_text({.online = 4, .allowed = 4, .quota = 0.5}) == "quota 0.5");
  CHECK(restriction_text({.online = 4, .allowed = 4, .quota = 4}).empty());
  CHECK(restriction_text({.online = 4, .allowed = 4}).empty());
  CHECK(restriction_text({}).empty());
}

TEST_CASE("the cores that can be used are those of the header, a part of one that is granted counted as one") {
  CHECK(usable_cores_of({.online = 8, .allowed = 8, .cores = 4}) == 4);
  CHECK(usable_cores_of({.online = 8, .allowed = 8, .cores = 4, .quota = 2.5}) == 3);
  CHECK(usable_cores_of({.online = 8, .allowed = 6}) == 6);
  CHECK(usable_cores_of({.online = 8}) == 0);
}

}  // namespace xsp::analysis
