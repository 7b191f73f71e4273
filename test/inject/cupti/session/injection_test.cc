#include "inject/cupti/session/injection.h"

#include <dlfcn.h>

#include <cstdlib>

#include "inject/cupti/session/session_control.h"
#include "test/catch.h"
#include "test/inject/listening_peer.h"

namespace {

using namespace xsp::guest;
using xsp::test::ListeningPeer;
using xsp::test::Received;

Received run(const std::function<void()>& program) {
  ListeningPeer peer;
  int status = 1;
  auto received = peer.run(
      [&] {
        dlopen(SMALL_DRIVER, RTLD_NOW | RTLD_GLOBAL);
        setenv("XSP_CUPTI", SMALL_CUPTI, 1);
        program();
      },
      &status);
  CHECK(status == 0);
  REQUIRE(received.size() == 1);
  return std::move(received[0]);
}

void check(bool condition) {
  if (!condition) abort();
}

TEST_CASE("inside cuInit the session starts") {
  run([] {
    check(initialize_injection() == 1);
    check(device_session() != nullptr && device_session()->mode == SessionMode::kCallbacks);
  });
}

TEST_CASE("the injection library that the user named is initialised too, once and first") {
  run([] {
    setenv("XSP_CUDA_INJECTION", SMALL_CUPTI, 1);
    initialize_injection();
    void* users = dlopen(SMALL_CUPTI, RTLD_NOW | RTLD_NOLOAD);
    auto* injections = reinterpret_cast<int (*)()>(dlsym(users, "small_cupti_injections"));
    check(injections != nullptr && injections() == 1);
    check(device_session() != nullptr);
  });
}

TEST_CASE("an injection library of the user's that is not there is told by name") {
  const auto received = run([] {
    setenv("XSP_CUDA_INJECTION", "/nowhere/libother.so", 1);
    initialize_injection();
    check(device_session() != nullptr);
  });
  CHECK(received.notices().find("/nowhere/libother.so, which cannot be loaded") != std::string::npos);
}

TEST_CASE("behind a call of the runtime the session starts when the driver is up") {
  run([] {
    setenv("SMALL_DRIVER_RESULT", "3", 1);
    start_session_behind_call(false);
    check(device_session() == nullptr);
    setenv("SMALL_DRIVER_RESULT", "0", 1);
    start_session_behind_call(true);
    check(device_session() == nullptr);
    start_session_behind_call(false);
    check(device_session() != nullptr);
    finish_session();
  });
}

}  // namespace
