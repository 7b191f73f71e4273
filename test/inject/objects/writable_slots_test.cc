#include "inject/objects/writable_slots.h"

#include "inject/objects/elf_object.h"
#include "test/catch.h"

namespace xsp::test {
namespace {

struct Animal {
  virtual ~Animal() = default;
  virtual int legs() const { return 4; }
};
struct Bird : Animal {
  int legs() const override { return 2; }
};

int six_legs(const Animal*) { return 6; }

const void* function_in_table(const Animal& animal) {
  // Two destructors come first.
  return (*reinterpret_cast<const void* const* const*>(&animal))[2];
}

TEST_CASE("a function's address is replaced in virtual tables that the loader has made read-only, and put back") {
  const Animal animal;
  const Bird bird;
  const Animal* volatile known = &animal;
  const Animal* volatile other = &bird;
  guest::ElfObject object;
  REQUIRE(guest::find_object(reinterpret_cast<uintptr_t>(&six_legs), &object));
  const void* legs = function_in_table(animal);
  CHECK(guest::replace_function(object, legs, reinterpret_cast<const void*>(six_legs)) >= 1);
  CHECK(known->legs() == 6);
  CHECK(other->legs() == 2);
  CHECK(guest::replace_function(object, reinterpret_cast<const void*>(six_legs), legs) >= 1);
  CHECK(known->legs() == 4);
  CHECK(guest::replace_function(object, &object, legs) == 0);
}

TEST_CASE("words that lie in no segment of the object are not made writable") {
  guest::ElfObject object;
  REQUIRE(guest::find_object(reinterpret_cast<uintptr_t>(&six_legs), &object));
  int on_the_stack = 0;
  CHECK_FALSE(guest::WritableSlots(object, &on_the_stack, sizeof on_the_stack));
}

}  // namespace
}  // namespace xsp::test
