/// Runs a libFuzzer entry over a corpus that is the same on every machine: random bytes, and mutations of short
/// sequences of well-formed fields. The first argument is the number of inputs.

#include <cstddef>
#include <cstdint>
#include <cstdio>
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

/// A message of some fields with numbers up to 25, values small or extreme.
Bytes make_body(std::mt19937& random) {
  Bytes body;
  for (uint32_t fields = random() % 12; fields > 0; --fields) {
    const uint32_t field = 1 + random() % 25;
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

/// A column of `rows` values below `limit`, sometimes one too short, sometimes with an extreme.
Bytes make_column(std::mt19937& random, uint32_t rows, uint32_t limit) {
  Bytes column;
  if (random() % 24 == 0 && rows > 0) --rows;
  for (; rows > 0; --rows) add_varint(column, random() % 40 == 0 ? ~uint64_t{random() % 3} : random() % limit);
  return column;
}

/// Launches, nodes of graphs, readings of CUPTI's clock and a batch of activities, mostly well-formed: the records of
/// one ring follow each other.
void add_activities(Bytes& out, std::mt19937& random, uint32_t (&next_record)[4]) {
  const uint32_t rows = random() % 8;
  const uint32_t ring = random() % 4;
  const auto add_head = [&](Bytes& body, uint32_t first_field) {
    add_number(body, first_field, ring);
    add_number(body, first_field + 1, next_record[ring]);
    add_number(body, first_field + 2, rows);
    add_number(body, first_field + 3, rows);
    next_record[ring] += rows;
  };
  Bytes body;
  switch (random() % 6) {
    case 0: {  // a reading
      add_number(body, 1, 2);
      add_number(body, 2, random() % 3 == 0 ? random() : 1'000'000'000'000 + random());
      add_number(body, 3, random());
      add_packet(out, 9, body);
      return;
    }
    case 1: {
      add_number(body, 1, ring);
      for (uint32_t field = 2; field <= 4; ++field) add_field(body, field, make_column(random, rows, 6));
      add_packet(out, 19, body);
      return;
    }
    case 2: {  // launches
      add_head(body, 2);
      for (const uint32_t field : {7U, 8U, 9U, 11U, 16U, 22U, 25U})
        add_field(body, field, make_column(random, rows, 40));
      add_packet(out, 6, body);
      return;
    }
    default: {
      add_head(body, 1);
      if (random() % 4 != 0) add_number(body, 5, 2);
      for (uint32_t queues = random() % 3; queues > 0; --queues) {
        Bytes queue;
        add_number(queue, 1 + random() % 3, random() % 5);
        add_field(body, 6, queue);
      }
      add_field(body, 8, make_column(random, rows, 1000));
      add_field(body, 9, make_column(random, rows, 1000));
      Bytes kinds;
      for (uint32_t i = 0; i < rows; ++i) add_varint(kinds, 6 | (random() % 3 == 0 ? 9 : 12 + random() % 9) << 3);
      add_field(body, 10, kinds);
      for (const uint32_t field : {7U, 11U, 12U, 14U, 15U, 17U, 19U, 20U, 21U}) {
        if (random() % 3 != 0) add_field(body, field, make_column(random, rows, field == 7 ? 2 : 12));
      }
      add_packet(out, 18, body);
    }
  }
}

Bytes make_stream(std::mt19937& random) {
  Bytes stream = {static_cast<uint8_t>(random()), static_cast<uint8_t>(random())};
  for (uint32_t memory = random() % 1200; memory > 0; --memory) {
    stream.push_back(static_cast<uint8_t>(random() % 3 == 0 ? random() : 0));
  }
  Bytes hello = {8, 1};
  add_packet(stream, 4, hello);
  uint32_t next_record[4] = {};
  const bool is_of_device = random() % 2 == 0;
  for (uint32_t packets = random() % 16; packets > 0; --packets) {
    if (random() % 8 == 0) {
      add_calls(stream, random);
    } else if (is_of_device && random() % 8 != 0) {
      add_activities(stream, random, next_record);
    } else {
      add_packet(stream, 3 + random() % 20, make_body(random));
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
