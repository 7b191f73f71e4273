/// Runs a libFuzzer entry over a corpus that is the same on every machine: random bytes, and mutations of short
/// sequences of well-formed fields. The first argument is the number of inputs.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

using Bytes = std::vector<uint8_t>;

void add_varint(Bytes& out, uint64_t value) {
  for (; value >= 0x80; value >>= 7) out.push_back(static_cast<uint8_t>(value | 0x80));
  out.push_back(static_cast<uint8_t>(value));
}

void add_field(Bytes& out, uint32_t field, const Bytes& bytes) {
  add_varint(out, field << 3 | 2);
  add_varint(out, bytes.size());
  out.insert(out.end(), bytes.begin(), bytes.end());
}

/// A message of some fields with numbers up to 20, values small or extreme.
Bytes make_body(std::mt19937& random) {
  Bytes body;
  for (uint32_t fields = random() % 12; fields > 0; --fields) {
    const uint32_t field = 1 + random() % 20;
    if (random() % 2 == 0) {
      add_varint(body, field << 3);
      add_varint(body, random() % 4 == 0 ? ~uint64_t{random() % 3} : random() % 6);
    } else {
      Bytes packed;
      for (uint32_t values = random() % 6; values > 0; --values) add_varint(packed, random() % 300);
      add_field(body, field, packed);
    }
  }
  return body;
}

void add_number(Bytes& out, uint32_t field, uint64_t value) {
  add_varint(out, field << 3);
  add_varint(out, value);
}

/// A packet of a body.
void add_packet(Bytes& out, uint32_t number, const Bytes& body) {
  Bytes packet;
  add_field(packet, number, body);
  add_field(out, 1, packet);
}

/// The arguments of some calls, and mostly strings for their layouts and the spans that they belong to.
void add_calls(Bytes& out, std::mt19937& random) {
  Bytes strings;
  add_number(strings, 1, 1);
  for (int i = 0; i < 3; ++i) add_field(strings, 2, {'m', ':', 'i', static_cast<uint8_t>('1' << i)});
  if (random() % 8 != 0) add_packet(out, 5, strings);
  Bytes spans;
  Bytes layouts;
  Bytes lengths;
  Bytes values;
  const uint32_t calls = 1 + random() % 5;
  for (uint32_t i = 0; i < calls; ++i) {
    const uint32_t length = random() % 3 == 0 ? 180 + random() % 20 : random() % 60;
    add_varint(spans, random() % 4);
    add_varint(layouts, 1 + random() % 4);
    add_varint(lengths, length);
    values.insert(values.end(), length, static_cast<uint8_t>(i));
  }
  Bytes arguments;
  add_number(arguments, 1, random() % 3);
  add_number(arguments, 2, random() % 3);
  add_field(arguments, 3, spans);
  add_field(arguments, 4, layouts);
  add_field(arguments, 5, lengths);
  add_field(arguments, 6, values);
  add_packet(out, 15, arguments);
  if (random() % 2 == 0) add_packet(out, 6, make_body(random));
}

Bytes make_stream(std::mt19937& random) {
  Bytes stream = {static_cast<uint8_t>(random()), static_cast<uint8_t>(random())};
  for (uint32_t memory = random() % 1200; memory > 0; --memory) {
    stream.push_back(static_cast<uint8_t>(random() % 3 == 0 ? random() : 0));
  }
  Bytes hello = {8, 1};
  add_packet(stream, 4, hello);
  for (uint32_t packets = random() % 16; packets > 0; --packets) {
    if (random() % 8 == 0) {
      add_calls(stream, random);
    } else {
      add_packet(stream, 3 + random() % 15, make_body(random));
    }
  }
  for (uint32_t flips = random() % 4; flips > 0; --flips) {
    stream[random() % stream.size()] = static_cast<uint8_t>(random());
  }
  return stream;
}

}  // namespace

int main(int argc, char** argv) {
  const int inputs = argc > 1 ? std::atoi(argv[1]) : 10'000;
  std::mt19937 random(1);
  for (int i = 0; i < inputs; ++i) {
    const Bytes input = make_stream(random);
    LLVMFuzzerTestOneInput(input.data(), input.size());
  }
  std::printf("%d inputs\n", inputs);
}
