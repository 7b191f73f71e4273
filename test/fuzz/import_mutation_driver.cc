/// Runs the entry of import_fuzz.cc over mutations of seeds, the same ones on every machine:
///
///     import_fuzz FORMAT ROUNDS SEED...
///
/// A seed is a file of the format; one that ends in .sql makes an SQLite database, of which values are changed before
/// it is made, or bytes of what was made. Stops with the number of the round at the first crash, and at a round that
/// takes longer than ten seconds; with XSP_FUZZ_ROUND only that one is run, and its input is left in import_fuzz.input.

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include <unistd.h>

#include "test/fuzz/sql_database.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

constexpr unsigned kMaxSeconds = 10;

volatile std::sig_atomic_t current_round = 0;

void say_round(int signal) {
  char text[64];
  const int size =
      std::snprintf(text, sizeof text, "import_fuzz: signal %d in round %d\n", signal, static_cast<int>(current_round));
  (void)!::write(STDERR_FILENO, text, static_cast<size_t>(size));
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

struct Seed {
  std::string text;
  bool is_sql;
};

Seed read_seed(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  if (!file) {
    std::fprintf(stderr, "import_fuzz: cannot read %s\n", path.c_str());
    std::exit(2);
  }
  return {bytes.str(), path.ends_with(".sql")};
}

/// Texts that are hard to read: numbers at and beyond their limits, broken UTF-8, brackets.
const char* const kTokens[] = {"-1",
                               "0",
                               "1e308",
                               "-1e308",
                               "1e999",
                               "18446744073709551615",
                               "9223372036854775807",
                               "-9223372036854775808",
                               "99999999999999999999999",
                               "0.0000001",
                               "null",
                               "true",
                               "\"\"",
                               "{}",
                               "[]",
                               "[",
                               "]",
                               "{",
                               "}",
                               "\"",
                               "\\",
                               "\\u0000",
                               "\\ud800",
                               ",",
                               ":",
                               "\n",
                               "\xff",
                               "\xc0\x80",
                               "nan",
                               "Infinity",
                               "[[[[[[[[",
                               "2147483648",
                               "4294967295",
                               "1700000000000000000"};

class Mutations {
 public:
  explicit Mutations(uint32_t seed) : random_(seed) {}

  std::string mutate(std::string text) {
    for (size_t edits = 1 + pick(8); edits > 0 && !text.empty(); --edits) edit(text);
    return text;
  }
  /// Pages stay where they are, or it is only their number that is wrong.
  std::string mutate_database(std::string bytes) {
    if (pick(16) == 0) return mutate(bytes);
    for (size_t edits = 1 + pick(12); edits > 0; --edits) {
      const size_t at = pick(bytes.size());
      switch (pick(4)) {
        case 0:
          bytes[at] = static_cast<char>(bytes[at] ^ 1 << pick(8));
          break;
        case 1:
          bytes.replace(at, 4, std::string(std::min<size_t>(4, bytes.size() - at), pick(2) == 0 ? '\xff' : '\0'));
          break;
        case 2: {
          const std::string part = bytes.substr(pick(bytes.size()), 1 + pick(64));
          bytes.replace(at, std::min(part.size(), bytes.size() - at), part, 0,
                        std::min(part.size(), bytes.size() - at));
          break;
        }
        default:
          bytes[at] = static_cast<char>(random_());
      }
    }
    return bytes;
  }
  std::string mutate_values(std::string text) {
    for (size_t edits = 1 + pick(12); edits > 0; --edits) replace_value(text, pick(text.size()));
    return text;
  }
  std::string make(const Seed& seed, bool as_it_is) {
    if (!seed.is_sql) return as_it_is ? seed.text : mutate(seed.text);
    if (as_it_is) return xsp::test::database_of(seed.text);
    return pick(2) == 0 ? xsp::test::database_of(mutate_values(seed.text))
                        : mutate_database(xsp::test::database_of(seed.text));
  }
  size_t pick(size_t limit) { return static_cast<size_t>(random_()) % limit; }

 private:
  const char* token() { return kTokens[pick(std::size(kTokens))]; }

  void edit(std::string& text) {
    const size_t at = pick(text.size());
    switch (pick(10)) {
      case 0:
        text[at] = static_cast<char>(random_());
        return;
      case 1:
        text[at] = static_cast<char>(text[at] ^ 1 << pick(8));
        return;
      case 2:
        text.erase(at, 1 + pick(16));
        return;
      case 3:
        text.erase(at, 1 + pick(text.size()));
        return;
      case 4:
        text.insert(at, text.substr(pick(text.size()), pick(200)));
        return;
      case 5:
        text.insert(at, token());
        return;
      case 6:
        if (pick(8) == 0) text.resize(at);
        return;
      case 7:
        text.replace(at, 4, std::string("\xff\xff\xff\xff"));
        return;
      default:
        replace_value(text, at);
    }
  }

  /// The next number or string becomes another one, or that of another place.
  void replace_value(std::string& text, size_t from) {
    const auto value_at = [&](size_t at, size_t* begin, size_t* size) {
      *begin = text.find_first_of("0123456789-\"", at);
      if (*begin == std::string::npos) return false;
      const size_t end =
          text[*begin] == '"' ? text.find('"', *begin + 1) : text.find_first_not_of("0123456789.eE+-", *begin + 1);
      *size = end == std::string::npos ? 1 : end - *begin + (text[*begin] == '"' ? 1 : 0);
      return true;
    };
    size_t begin = 0;
    size_t size = 0;
    if (!value_at(from, &begin, &size)) return;
    size_t other = 0;
    size_t other_size = 0;
    std::string value = token();
    if (pick(2) == 0 && value_at(pick(text.size()), &other, &other_size)) value = text.substr(other, other_size);
    text.replace(begin, size, value);
  }

  std::mt19937 random_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fprintf(stderr, "usage: import_fuzz FORMAT ROUNDS SEED...\n");
    return 2;
  }
  ::setenv("XSP_FUZZ_FORMAT", argv[1], 1);
  const int rounds = std::atoi(argv[2]);
  std::vector<Seed> seeds;
  for (int i = 3; i < argc; ++i) seeds.push_back(read_seed(argv[i]));
  for (const int signal : {SIGALRM, SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL}) std::signal(signal, say_round);

  const char* only = std::getenv("XSP_FUZZ_ROUND");
  for (int round = 0; round < rounds; ++round) {
    if (only != nullptr && std::atoi(only) != round) continue;
    current_round = round;
    Mutations mutations(static_cast<uint32_t>(round));
    // The seeds themselves first, then what they become.
    const Seed& seed = seeds[static_cast<size_t>(round) % seeds.size()];
    std::string input(1, static_cast<char>(mutations.pick(64)));
    input += mutations.make(seed, static_cast<size_t>(round) < seeds.size());
    if (only != nullptr) std::ofstream("import_fuzz.input", std::ios::binary) << input.substr(1);
    ::alarm(kMaxSeconds);
    LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(input.data()), input.size());
  }
  ::alarm(0);
  std::printf("%s: %d inputs\n", argv[1], rounds);
}
