#include <cmath>
#include <ctime>
#include <limits>

#include "test/bound/database/made_rows.h"
#include "test/contains.h"

namespace xsp::bound {
namespace {

using test::contains;

TEST_CASE("a row that was added is found with all that it says") {
  MadeDatabase database;
  Measurement row = made_row("brgconv:avx512_core", 1.5e6, 1'700'000'000);
  row.layout = "any: aBcd16b";
  row.math_mode = "strict";
  row.numerics = Numerics::kTransform;
  row.cpu_min_ns = 1.25e6;
  row.workspace_bytes = 4096;
  database.add({row, cold(row, 2.5e6)});

  const Found found = database->find(kConvolution, made_look_up());
  REQUIRE(found.hot);
  CHECK(found.reason.empty());
  CHECK(found.rows == 2);
  CHECK(found.hot->problem == kConvolution);
  CHECK(found.hot->backend == "onednn");
  CHECK(found.hot->library == "onednn");
  CHECK(found.hot->library_version == "3.2.0");
  CHECK(found.hot->implementation == "brgconv:avx512_core");
  CHECK(found.hot->numerics == Numerics::kTransform);
  CHECK(found.hot->math_mode == "strict");
  CHECK(found.hot->layout == "any: aBcd16b");
  CHECK(found.hot->dtype == "f32");
  CHECK(found.hot->threads == 1);
  CHECK(!found.hot->cold);
  CHECK(found.hot->status == BenchmarkStatus::kOk);
  CHECK(found.hot->samples_taken == 3);
  CHECK(found.hot->min_ns == 1.5e6);
  CHECK(found.hot->median_ns == row.median_ns);
  CHECK(found.hot->p90_ns == row.p90_ns);
  CHECK(found.hot->cpu_min_ns == 1.25e6);
  CHECK(found.hot->workspace_bytes == 4096);
  CHECK(found.hot->load_average == 0.5);
  CHECK(found.hot->started_at == 1'700'000'000);
  CHECK(found.hot->xsp_version == "0.1.0");
  REQUIRE(found.cold);
  CHECK(found.cold->cold);
  CHECK(found.cold->min_ns == 2.5e6);
}

TEST_CASE("samples are kept as float32, little endian") {
  MadeDatabase database;
  database.add({made_row("jit", 1.0)});
  sqlite3* file = nullptr;
  REQUIRE(sqlite3_open(database.path().c_str(), &file) == SQLITE_OK);
  sqlite3_stmt* statement = nullptr;
  REQUIRE(sqlite3_prepare_v2(file, "SELECT hex(samples) FROM measurement", -1, &statement, nullptr) == SQLITE_OK);
  REQUIRE(sqlite3_step(statement) == SQLITE_ROW);
  // 1, 2e6, 3e6
  CHECK(std::string(reinterpret_cast<const char*>(sqlite3_column_text(statement, 0))) == "0000803F0024F449001B374A");
  sqlite3_finalize(statement);
  sqlite3_close(file);
}

TEST_CASE("the quickest implementation counts, by thread CPU time where there is one") {
  MadeDatabase database;
  Measurement quick_wall = made_row("quick wall", 1e6);
  Measurement quick_cpu = made_row("quick cpu", 3e6);
  quick_cpu.cpu_min_ns = 0.5e6;
  database.add({made_row("slow", 2e6), quick_wall, quick_cpu});
  CHECK(database->find(kConvolution, made_look_up()).hot->implementation == "quick cpu");
}

TEST_CASE("CPU time of one thread says nothing of several") {
  MadeDatabase database;
  Measurement row = made_row("jit", 2e6);
  row.threads = 2;
  row.cpu_min_ns = 1e5;
  Measurement other = made_row("gemm", 1e6);
  other.threads = 2;
  database.add({row, other});
  LookUp look_up = made_look_up();
  look_up.threads = 2;
  const Found found = database->find(kConvolution, look_up);
  CHECK(found.hot->implementation == "gemm");
  CHECK(!found.hot->cpu_min_ns);
}

TEST_CASE("of equal rows the newest counts, by its start, then by when it came") {
  MadeDatabase database;
  database.add({made_row("jit", 1e6, 2000)});
  database.add({made_row("jit", 0.5e6, 1000)});
  CHECK(database->find(kConvolution, made_look_up()).hot->min_ns == 1e6);
  database.add({made_row("jit", 3e6, 2000)});
  CHECK(database->find(kConvolution, made_look_up()).hot->min_ns == 3e6);
  CHECK(database->find(kConvolution, made_look_up()).rows == 1);

  // What fails now did not become quicker for having worked once.
  database.add({failed(made_row("jit", 0, 3000), BenchmarkStatus::kError, "killed by SIGABRT")});
  const Found found = database->find(kConvolution, made_look_up());
  CHECK(!found.hot);
  CHECK(found.reason == "onednn 3.2.0: error: killed by SIGABRT (--refresh tries again)");
}

TEST_CASE("rows that differ in what they measured do not replace one another") {
  MadeDatabase database;
  const Measurement row = made_row("jit", 1e6, 1000);
  Measurement layout = made_row("jit", 4e6, 2000), mode = layout, type = layout, numerics = layout, backend = layout;
  layout.layout = "channels_last";
  mode.math_mode = "tf32";
  type.dtype = "bf16";
  numerics.numerics = Numerics::kTransform;
  backend.backend = "blas";
  database.add({row, layout, mode, type, numerics, backend, cold(layout, 1)});
  const Found found = database->find(kConvolution, made_look_up());
  CHECK(found.hot->min_ns == 1e6);
  CHECK(found.rows == 7);
  CHECK(!found.cold);  // the one there is belongs to another layout
}

TEST_CASE("a row of another system, thread count or problem is never used") {
  MadeDatabase database;
  Measurement two_threads = made_row("jit", 1e6);
  two_threads.threads = 2;
  database.add({two_threads});
  database.add({made_row("jit", 1e6)}, kConvolution, made_library(), made_system("Slow CPU"));
  database.add({made_row("jit", 1e6)}, kConvolution + " ");
  const Found found = database->find(kConvolution, made_look_up());
  CHECK(!found.hot);
  CHECK(found.rows == 0);
  CHECK(found.reason == "not measured");
}

TEST_CASE("versions of a library stay apart, and the quickest of those looked for counts") {
  MadeDatabase database;
  database.add({made_row("jit", 3e6)}, kConvolution, made_library("3.2.0"));
  database.add({made_row("jit", 1e6)}, kConvolution, made_library("2.6.3"));
  database.add({made_row("jit", 0.5e6)}, kConvolution, made_library("2.6.3", "mkl"));

  CHECK(database->find(kConvolution, made_look_up()).hot->library_version == "3.2.0");
  const Found both = database->find(kConvolution, made_look_up({made_library("3.2.0"), made_library("2.6.3")}));
  CHECK(both.hot->library_version == "2.6.3");
  CHECK(both.hot->library == "onednn");
  CHECK(both.hot->min_ns == 1e6);
  CHECK(both.rows == 2);

  const Found none = database->find(kConvolution, made_look_up({made_library("3.3.0")}));
  CHECK(!none.hot);
  CHECK(none.reason == "not measured with these libraries (only with onednn 3.2.0)");
  CHECK(!database->find(kConvolution, made_look_up({})).hot);
}

TEST_CASE("a library that was built again replaces its own rows") {
  MadeDatabase database;
  Library rebuilt = made_library();
  rebuilt.build = "tbb";
  database.add({made_row("jit", 1e6, 1000)});
  database.add({made_row("jit", 2e6, 2000)}, kConvolution, rebuilt);
  CHECK(database->find(kConvolution, made_look_up()).hot->min_ns == 2e6);
}

TEST_CASE("--exact leaves out transforms; reduced numerics never count for f32") {
  MadeDatabase database;
  Measurement transform = made_row("wino", 1e6), reduced = made_row("tf32", 0.5e6);
  transform.numerics = Numerics::kTransform;
  reduced.numerics = Numerics::kReduced;
  database.add({made_row("jit", 2e6), transform, reduced});
  LookUp look_up = made_look_up();
  CHECK(database->find(kConvolution, look_up).hot->implementation == "wino");
  look_up.exact = true;
  CHECK(database->find(kConvolution, look_up).hot->implementation == "jit");

  const std::string reduced_problem = "matmul src=2x2 wei=2x2 ta=0 tb=0 bias=0 post= dtype=tf32";
  reduced.dtype = "tf32";
  database.add({reduced}, reduced_problem);
  CHECK(!database->find(reduced_problem, look_up).hot);
  CHECK(contains(database->find(reduced_problem, look_up).reason, "reduced"));
  look_up.exact = false;
  CHECK(database->find(reduced_problem, look_up).hot);

  for (const std::string problem : {"cast src=2 from=u8 to=f32", "Gather in=f32[2];i64[1] out=f32[1]",
                                    "matmul src=2x2 wei=2x2 ta=0 tb=0 bias=0 post= dtype=u8:s8:f32"}) {
    database.add({reduced}, problem);
    INFO(problem);
    CHECK(!database->find(problem, look_up).hot);
  }
}

TEST_CASE("the cold row is that of the quickest hot implementation, or there is none") {
  MadeDatabase database;
  const Measurement quick = made_row("quick", 1e6), slow = made_row("slow", 2e6);
  database.add({quick, slow, cold(slow, 2.5e6)});
  CHECK(!database->find(kConvolution, made_look_up()).cold);
  database.add({cold(quick, 3e6)});
  CHECK(database->find(kConvolution, made_look_up()).cold->min_ns == 3e6);
  Measurement broken = failed(quick, BenchmarkStatus::kTimeout, "");
  broken.cold = true;
  broken.started_at = 5000;
  database.add({broken});
  CHECK(database->find(kConvolution, made_look_up()).hot->implementation == "quick");
  CHECK(!database->find(kConvolution, made_look_up()).cold);
}

TEST_CASE("the reason is that of the row which tells most") {
  MadeDatabase database;
  const Measurement row = made_row("jit", 0);
  database.add({failed(row, BenchmarkStatus::kUnsupported, "ceil_mode")});
  CHECK(database->find(kConvolution, made_look_up()).reason == "onednn 3.2.0: unsupported: ceil_mode");
  database.add({failed(made_row("gemm", 0), BenchmarkStatus::kTimeout, "")});
  CHECK(database->find(kConvolution, made_look_up()).reason == "onednn 3.2.0: timeout (--refresh tries again)");
  database.add(
      {failed(made_row("ref", 0), BenchmarkStatus::kError, "wrong result\n\x1b[31m" + std::string(1000, 'x'))});
  const std::string reason = database->find(kConvolution, made_look_up()).reason;
  CHECK(reason.starts_with("onednn 3.2.0: error: wrong result??[31mxxx"));
  CHECK(reason.size() < 400);
  database.add({cold(made_row("jit2", 1), 1e6)}, "p");
  CHECK(database->find("p", made_look_up()).reason == "onednn 3.2.0: only with a cold cache");
}

TEST_CASE("imported rows count as measured") {
  MadeDatabase database;
  Measurement row = made_row("elsewhere", 1e6);
  row.status = BenchmarkStatus::kImported;
  database.add({row});
  CHECK(database->find(kConvolution, made_look_up()).hot->status == BenchmarkStatus::kImported);
}

TEST_CASE("what has a time that is none is not found") {
  MadeDatabase database;
  database.add({made_row("nan", std::nan("")), made_row("nought", 0),
                made_row("infinite", std::numeric_limits<double>::infinity())});
  const Found found = database->find(kConvolution, made_look_up());
  CHECK(!found.hot);
  CHECK(contains(found.reason, "damaged"));
}

TEST_CASE("a problem was measured with a library whatever came of it") {
  MadeDatabase database;
  database.add({failed(made_row("jit", 0), BenchmarkStatus::kUnsupported, "no")});
  const std::string key = made_system().key();
  CHECK(database->has(key, made_library(), 1, kConvolution));
  CHECK(!database->has(key, made_library("2.6.3"), 1, kConvolution));
  CHECK(!database->has(key, made_library("3.2.0", "mkl"), 1, kConvolution));
  CHECK(!database->has(key, made_library(), 2, kConvolution));
  CHECK(!database->has("another", made_library(), 1, kConvolution));
  CHECK(!database->has(key, made_library(), 1, "another"));
  CHECK(database->failure().ok());
}

TEST_CASE("texts are data, whatever they look like") {
  MadeDatabase database;
  const std::string text =
      "'); DROP TABLE measurement; --\"\0 \xff"
      "x";
  Measurement row = made_row(text, 1e6);
  row.layout = text;
  database.add({row}, text);
  const Found found = database->find(text, made_look_up());
  REQUIRE(found.hot);
  CHECK(found.hot->implementation == text);
  CHECK(found.hot->layout == text);
}

TEST_CASE("ten thousand problems are looked up in a second") {
  MadeDatabase database;
  database.add({made_row("jit", 1e6)});
  run_sql(database.path(),
          "WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 10001) "
          "INSERT INTO problem SELECT i, 'conv ' || i || ' ' || printf('%.100c', 'x'), 'conv', 1, 1 FROM n;"
          "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 59999) "
          "INSERT INTO measurement (problem, system, library, backend, implementation, numerics, math_mode, layout, "
          "dtype, threads, cache, status, n, min_ns, median_ns, p90_ns, workspace_bytes, load_average, started_at, "
          "xsp_version, message, samples) SELECT 2 + i / 6, system, library, backend, 'i' || (i % 6), numerics, "
          "math_mode, layout, dtype, threads, cache, status, n, 7 - i % 6, 7, 7, 0, 0, 1, '', '', zeroblob(1600) "
          "FROM n, measurement WHERE id = 1;");
  const std::clock_t begin = std::clock();
  size_t found = 0;
  for (int i = 2; i < 10002; ++i) {
    const Found row = database->find("conv " + std::to_string(i) + " " + std::string(100, 'x'), made_look_up());
    found += row.hot && row.rows == 6 && row.hot->implementation == "i5" ? 1 : 0;
  }
  const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  CHECK(found == 10000);
  CHECK(seconds < 5);  // 0.2 s of processor time; sanitizers take many times as long
}

TEST_CASE("all rows of a problem stand in the order in which a library proposed them, the newest of equal ones") {
  MadeDatabase database;
  const Measurement crashed = failed(made_row("second", 0), BenchmarkStatus::kError, "SIGSEGV while running");
  database.add({made_row("first", 3e6), crashed, made_row("third", 1e6), cold(made_row("third", 1e6), 2e6)});
  database.add({made_row("other", 5e6)}, kConvolution, made_library("2.6.3"));
  const auto names = [&](const LookUp& look_up) {
    std::string text;
    for (const Measurement& row : database->rows(kConvolution, look_up)) text += row.implementation + " ";
    return text;
  };
  CHECK(names(made_look_up()) == "first second third ");
  CHECK(names(made_look_up({made_library("2.6.3")})) == "other ");
  CHECK(database->rows("conv src=1", made_look_up()).empty());
  // Measured again, the library proposes another order.
  database.add({made_row("third", 2e6, 2000), made_row("first", 3e6, 2000)});
  CHECK(names(made_look_up()) == "second third first ");
  CHECK(database->rows(kConvolution, made_look_up()).at(1).min_ns == 2e6);
  CHECK(database->rows(kConvolution, made_look_up()).at(0).message == "SIGSEGV while running");
}

}  // namespace
}  // namespace xsp::bound
