/// Entry for a database of xsp-bound: everything that reads one, and merging it into another. An input that begins with
/// 255 is a list of changes to a sound database: two bytes that say where, one how many bytes follow.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include <sqlite3.h>

#include "bound/database/database.h"
#include "test/fuzz/fuzz_input.h"
#include "test/temporary_folder.h"

namespace {

using xsp::bound::BenchmarkStatus;
using xsp::bound::Database;
using xsp::bound::Library;
using xsp::bound::Measurement;
using xsp::test::TemporaryFolder;

constexpr uint8_t kChanges = 255;
const Library kFirst{"onednn", "onednn", "3.2.0", "", ""};
const Library kSecond{"blas", "openblas", "0.3.21", "", ""};

Measurement made(const char* implementation, double nanoseconds, BenchmarkStatus status) {
  Measurement row;
  row.backend = "onednn";
  row.implementation = implementation;
  row.dtype = "f32";
  row.min_ns = row.median_ns = row.p90_ns = nanoseconds;
  row.status = status;
  row.samples_ns = {1, 2};
  row.started_at = 1000;
  return row;
}

xsp::bound::SystemFacts made_system() {
  xsp::bound::SystemFacts facts;
  facts.device = "CPU";
  facts.cores = 1;
  return facts;
}

/// In pages of 512 bytes, so that there is little between the places that matter.
std::string sound_database() {
  const TemporaryFolder folder;
  const std::string path = folder / "sound";
  {
    Database database;
    if (!database.open(path, false).ok()) std::exit(2);
    for (const char* const problem : {"matmul a", "conv b"}) {
      const Measurement quick = made("quick", 1e6, BenchmarkStatus::kOk);
      Measurement cold = quick;
      cold.cold = true;
      if (!database.add(made_system(), kFirst, problem, 1, 2, {quick, cold}).ok() ||
          !database.add(made_system(), kSecond, problem, 1, 2, {made("no", 0, BenchmarkStatus::kError)}).ok()) {
        std::exit(2);
      }
    }
  }
  sqlite3* file = nullptr;
  if (sqlite3_open(path.c_str(), &file) != SQLITE_OK) std::exit(2);
  sqlite3_exec(file, "PRAGMA journal_mode = DELETE; PRAGMA page_size = 512; VACUUM", nullptr, nullptr, nullptr);
  sqlite3_close(file);
  return xsp::test::read_file(path);
}

std::string changed_database(xsp::test::FuzzInput input) {
  static const std::string sound = sound_database();
  std::string bytes = sound;
  input.byte();
  while (!input.is_empty()) {
    const size_t at = input.number<uint16_t>() % bytes.size();
    const std::string_view change = input.take(input.byte());
    bytes.replace(at, std::min(change.size(), bytes.size() - at), change.substr(0, bytes.size() - at));
  }
  return bytes;
}

void check(bool is_true) {
  if (!is_true) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const bool is_changes = size > 0 && data[0] == kChanges;
  const TemporaryFolder folder;
  const std::string path = xsp::test::write_file(
      folder / "input", is_changes ? changed_database({data, size}) : std::string(data, data + size));
  {
    Database database;
    const xsp::Status opened = database.open(path, true);
    check(opened.ok() || opened.exit_code == 3);
    if (!opened.ok()) return 0;
    xsp::bound::LookUp look_up;
    look_up.system_key = made_system().key();
    look_up.libraries = {kFirst, kSecond};
    for (const char* const problem : {"matmul a", "conv b", "none"}) {
      const auto found = database.find(problem, look_up);
      check(found.hot ? found.hot->best_ns() > 0 : !found.reason.empty());
      check(found.hot || !found.cold);
      (void)database.has(look_up.system_key, kFirst, 1, problem);
    }
    (void)database.systems();
    size_t bytes = 0;
    const xsp::Status exported = database.export_csv([&](std::string_view text) { bytes += text.size(); });
    check(exported.ok() || exported.exit_code == 3);
    check(database.failure().ok() || database.failure().exit_code == 3);
  }
  Database target;
  check(target.open(folder / "target", false).ok());
  uint64_t rows = 0;
  const xsp::Status merged = target.merge(path, &rows);
  check(merged.ok() || merged.exit_code == 3);
  if (merged.ok()) check(target.merge(path, &rows).ok() && rows == 0);
  return 0;
}
