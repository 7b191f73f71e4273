/// Entry for the texts that a program, or its environment, gives the guest: messages of NVTX and ITT in each of their
/// encodings, names of the CUDA API with lists of --cuda-api, lists of activities and metrics. The guest is awake, and
/// what it sends goes to a collector that reads all and keeps nothing. The first byte says which.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "inject/counters/metric_sets.h"
#include "inject/cupti/library/api_functions.h"
#include "inject/ranges/range_text.h"
#include "inject/record/process.h"
#include "proto/activities.h"
#include "test/fuzz/fuzz_input.h"

namespace {

using xsp::test::FuzzInput;
using namespace xsp::guest;

/// Listens where XSP_SOCKET says, before the guest wakes.
bool start_collector() {
  std::string folder = "/tmp/xsp-fuzz-XXXXXX";
  if (::mkdtemp(folder.data()) == nullptr) return false;
  const std::string path = folder + "/socket";
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  const int listener = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (::bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) return false;
  if (::listen(listener, 4) != 0) return false;
  ::setenv("XSP_SOCKET", path.c_str(), 1);
  std::thread([listener] {
    const int peer = ::accept(listener, nullptr, nullptr);
    std::vector<char> buffer(64 << 10);
    while (::recv(peer, buffer.data(), buffer.size(), 0) > 0) {
    }
  }).detach();
  const bool is_awake = wake_process() != nullptr;
  ::unlink(path.c_str());
  ::rmdir(folder.c_str());
  return is_awake;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const bool is_awake = start_collector();
  if (!is_awake) std::abort();
  FuzzInput input(data, size);
  switch (input.byte() % 7) {
    case 0:
      (void)range_text(input.rest());
      break;
    case 1:
      (void)range_text(std::string(input.rest()).c_str());
      break;
    case 2: {
      std::vector<wchar_t> text;
      while (!input.is_empty()) text.push_back(input.number<wchar_t>());
      text.push_back(0);
      (void)range_text(text.data());
      break;
    }
    case 3:
      (void)range_message(std::string(input.rest()).c_str());
      break;
    case 4: {
      const std::string_view function = input.line();
      (void)group_of(without_version(function));
      (void)launch_of(function);
      (void)is_chosen(input.rest(), function);
      break;
    }
    case 5: {
      std::string_view unknown;
      (void)xsp::activities_named(input.rest(), &unknown);
      break;
    }
    default: {
      const std::string_view chip = input.line();
      const std::string_view list = input.rest();
      ChosenMetrics metrics;
      FixedText<512> what_not;
      (void)choose_metrics(list, chip, &metrics, &what_not);
    }
  }
  return 0;
}
