#pragma once

/// Small exports of Nsight Systems, made with SQL.

#include <cstdint>
#include <string>

#include <sqlite3.h>

#include "test/catch.h"

namespace xsp::test {

/// Runs statements on a database, which is created if it is new.
inline void run_sql(const std::string& path, const std::string& statements) {
  sqlite3* database = nullptr;
  REQUIRE(sqlite3_open(path.c_str(), &database) == SQLITE_OK);
  char* error = nullptr;
  sqlite3_exec(database, statements.c_str(), nullptr, nullptr, &error);
  INFO((error != nullptr ? error : ""));
  REQUIRE(error == nullptr);
  sqlite3_close(database);
}

/// A serialized id of a thread of a process; of the process itself if the thread is 0.
constexpr int64_t serialized(int64_t pid, int64_t tid = 0) { return int64_t{1} << 48 | pid << 24 | tid; }

/// What every export has, in the 2024 version. One process with pid 7 and a thread with tid 70, device 0.
inline std::string newer_tables() {
  return R"sql(
    CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);
    INSERT INTO StringIds VALUES (1, 'cudaLaunchKernel_v7000'), (2, 'void gemm<float>(float*)'), (3, 'gemm'),
      (4, '_Z4gemmIfEvPT_'), (5, 'cuLaunchKernel'), (6, 'cudnnConvolutionForward'), (7, 'cudaGraphLaunch_v10000'),
      (8, 'registered range'), (9, 'cudaMemcpyAsync_v3020'), (10, 'Lazy function loading'), (11, 'NCCL'),
      (12, 'cuDNN profiling started');
    CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER NOT NULL, end INTEGER NOT NULL, eventClass INTEGER NOT NULL,
      globalTid INTEGER, correlationId INTEGER, nameId INTEGER NOT NULL, returnValue INTEGER NOT NULL,
      callchainId INTEGER);
    CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL,
      contextId INTEGER NOT NULL, greenContextId INTEGER, streamId INTEGER NOT NULL, correlationId INTEGER,
      globalPid INTEGER, demangledName INTEGER NOT NULL, shortName INTEGER NOT NULL, mangledName INTEGER,
      registersPerThread INTEGER NOT NULL, gridX INTEGER NOT NULL, gridY INTEGER NOT NULL, gridZ INTEGER NOT NULL,
      blockX INTEGER NOT NULL, blockY INTEGER NOT NULL, blockZ INTEGER NOT NULL, staticSharedMemory INTEGER NOT NULL,
      dynamicSharedMemory INTEGER NOT NULL, graphNodeId INTEGER, graphId INTEGER);
    CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL,
      contextId INTEGER NOT NULL, streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER,
      bytes INTEGER NOT NULL, copyKind INTEGER NOT NULL, graphNodeId INTEGER);
    CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL,
      contextId INTEGER NOT NULL, streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER,
      value INTEGER NOT NULL, bytes INTEGER NOT NULL, graphNodeId INTEGER);
    CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start INTEGER NOT NULL, end INTEGER NOT NULL,
      deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, streamId INTEGER NOT NULL, correlationId INTEGER,
      globalPid INTEGER, syncType INTEGER NOT NULL);
    CREATE TABLE CUPTI_ACTIVITY_KIND_OVERHEAD (start INTEGER NOT NULL, end INTEGER NOT NULL, globalTid INTEGER,
      correlationId INTEGER, nameId INTEGER, overheadType INTEGER NOT NULL);
    CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER,
      contextId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER, graphId INTEGER);
    CREATE TABLE CUDA_GPU_MEMORY_USAGE_EVENTS (start INTEGER NOT NULL, globalPid INTEGER, deviceId INTEGER,
      contextId INTEGER, bytes INTEGER, memKind INTEGER, memoryOperationType INTEGER, correlationId INTEGER,
      streamId INTEGER);
    CREATE TABLE CUDNN_EVENTS (start INTEGER NOT NULL, end INTEGER NOT NULL, eventClass INTEGER NOT NULL,
      globalTid INTEGER, nameId INTEGER NOT NULL);
    CREATE TABLE NVTX_EVENTS (start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT NULL, text TEXT,
      globalTid INTEGER, endGlobalTid INTEGER, textId INTEGER, domainId INTEGER);
  )sql";
}

/// A range, a library call, a launch and its kernel, nested in each other.
inline std::string one_kernel() {
  const std::string pid = std::to_string(serialized(7));
  const std::string tid = std::to_string(serialized(7, 70));
  return "INSERT INTO NVTX_EVENTS VALUES (1000, 9000, 59, 'step', " + tid + ", NULL, NULL, 0);" +
         "INSERT INTO CUDNN_EVENTS VALUES (2000, 5000, 28, " + tid + ", 6);" +
         "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (3000, 4000, 0, " + tid + ", 12, 1, 0, NULL);" +
         "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (4500, 6500, 0, 1, NULL, 7, 12, " + pid +
         ", 2, 3, 4, 32, 80, 1, 1, 256, 1, 1, 48, 16384, NULL, NULL);";
}

}  // namespace xsp::test
