#include <sys/wait.h>
#include <unistd.h>

#include <memory>
#include <thread>
#include <vector>

#include "inject/library/capture/kept_texts.h"
#include "inject/library/capture/text_writer.h"
#include "test/catch.h"

namespace {

using namespace xsp::guest;

std::string written(double value) { return std::string(TextWriter().add(value).view()); }

TEST_CASE("numbers are written as printf writes them") {
  for (double value :
       {0.0, 1.0, -2.5, 0.1, 1e-5, 0.0001, 123456.0, 1234567.0, 3.14159265, 1e300, 99999.95, 0.75, 100.0}) {
    char expected[32];
    snprintf(expected, sizeof expected, "%g", value);
    std::string got = written(value);
    std::string wanted = expected;
    // C pads the exponent to two digits and signs it.
    for (const char* padded : {"e-0", "e+0", "e+"}) {
      const size_t at = wanted.find(padded);
      if (at != std::string::npos) wanted.replace(at, strlen(padded), padded[1] == '-' ? "e-" : "e");
    }
    CHECK(got == wanted);
  }
  CHECK(TextWriter().add(INT64_MIN).view() == "-9223372036854775808");
}

TEST_CASE("what does not fit a text is left out") {
  TextWriter text;
  for (int i = 0; i < 300; ++i) text.add("12345");
  CHECK(text.view().size() == TextWriter::kCapacity);
}

TEST_CASE("a text is found by its content, and by no other") {
  auto texts = std::make_unique<ContentTexts>();
  for (uint32_t i = 1; i <= 4000; ++i) texts->keep(Content(1).add(i), i);
  uint32_t found = 0;
  for (uint32_t i = 1; i <= 4000; ++i) {
    const uint32_t id = texts->find(Content(1).add(i));
    CHECK((id == i || id == 0));
    found += id == i;
  }
  CHECK(found > 3500);
  CHECK(texts->find(Content(2).add(1)) == 0);
}

TEST_CASE("an object's text ends with the object") {
  auto texts = std::make_unique<ObjectTexts>();
  int objects[3];
  texts->keep(&objects[0], {7, 0, 70});
  texts->keep(&objects[1], {8, 0, 80});
  CHECK(texts->find(&objects[0]).id == 7);
  CHECK(texts->find(&objects[1]).extra == 80);
  texts->forget(&objects[0]);
  CHECK(texts->find(&objects[0]).id == 0);
  texts->keep(&objects[0], {9, 0, 90});
  CHECK(texts->find(&objects[0]).id == 9);
  CHECK(texts->find(&objects[2]).id == 0);
}

TEST_CASE("with more objects than places the latest are known, and none wrongly") {
  auto texts = std::make_unique<ObjectTexts>();
  std::vector<int> objects(20000);
  for (size_t i = 0; i < objects.size(); ++i) {
    texts->keep(&objects[i], {static_cast<uint32_t>(i + 1), 0, i});
    REQUIRE(texts->find(&objects[i]).id == i + 1);
  }
  for (size_t i = 0; i < objects.size(); ++i) {
    const uint32_t id = texts->find(&objects[i]).id;
    REQUIRE((id == 0 || id == i + 1));
  }
}

TEST_CASE("readers and writers of different objects never see each other's texts") {
  auto texts = std::make_unique<ObjectTexts>();
  std::vector<int> objects(6000);
  std::atomic<bool> wrong{false};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int round = 0; round < 20; ++round) {
        for (size_t i = static_cast<size_t>(t); i < objects.size(); i += 4) {
          texts->keep(&objects[i], {static_cast<uint32_t>(i + 1), 0, i});
          const auto found = texts->find(&objects[i]);
          if (found.id != 0 && (found.id != i + 1 || found.extra != i)) wrong = true;
          if (i % 3 == 0) texts->forget(&objects[i]);
        }
      }
    });
  }
  for (auto& thread : threads) thread.join();
  CHECK_FALSE(wrong);
}

TEST_CASE("a lock held at a fork is free in the child") {
  static ProcessLock lock;
  REQUIRE(lock.try_lock());
  const pid_t child = fork();
  if (child == 0) _exit(lock.try_lock() && !lock.try_lock() ? 0 : 1);
  int status = 0;
  waitpid(child, &status, 0);
  CHECK(status == 0);
  CHECK_FALSE(lock.try_lock());
  lock.unlock();
}

}  // namespace
