// operator_work_lines: reads calls of operators from standard input, a line each: name, inputs, outputs and values,
// separated by tabs; writes flops, bytes read and bytes written, or "none". For tests that have other implementations.
#include <cstdio>
#include <iostream>
#include <string>
#include <vector>

#include "analysis/work/operator_work.h"

int main() {
  std::string line;
  while (std::getline(std::cin, line)) {
    std::vector<std::string> fields(1);
    for (const char c : line) {
      if (c == '\t') {
        fields.emplace_back();
      } else {
        fields.back() += c;
      }
    }
    fields.resize(4);
    const auto work = xsp::analysis::operator_work({fields[0], fields[1], fields[2], fields[3]});
    if (!work) {
      std::puts("none");
    } else {
      std::printf("%.0f\t%.0f\t%.0f\n", work->flops, work->has_bytes ? work->read_bytes : -1,
                  work->has_bytes ? work->write_bytes : -1);
    }
  }
}
