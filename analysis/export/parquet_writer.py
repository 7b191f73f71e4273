"""Writes Parquet from column buffers: run by xsp-report with the script as -c, the data on standard input.

Input: a line of JSON with target, partitioned, metadata and columns ({"name", "type", "meaning"}); then for each part a line
of JSON with rows, partition (values of the columns that are the same in all of them) and buffers (bytes of each), and the
buffers: of each column validity, values, and of text the offsets and bytes of its dictionary. Ends with "end".

Output: "ready" once pyarrow is there, and "written ROWS" at the end. Exit status 3: there is no pyarrow.
"""

import sys

# Nothing is imported from the folder in which the report is made.
sys.path[:] = [folder for folder in sys.path if folder]

try:
    import pyarrow as pa
    import pyarrow.parquet as pq
except ImportError as error:
    print(error, file=sys.stderr)
    sys.exit(3)

import json
import os

NUMBERS = {"int64": pa.int64(), "int32": pa.int32(), "double": pa.float64(), "bool": pa.bool_()}
PARTITIONS = ("run", "process", "level")


def read_exactly(source, size):
    data = source.read(size)
    if len(data) != size:
        sys.exit("the data ends early")
    return data


def column_type(name):
    return NUMBERS.get(name) or pa.dictionary(pa.int32(), pa.string())


def schema_of(header):
    fields = [pa.field(column["name"], column_type(column["type"]), metadata={"meaning": column["meaning"]})
              for column in header["columns"]]
    return pa.schema(fields, metadata=header["metadata"])


def read_array(kind, rows, buffers):
    validity = next(buffers)
    values = next(buffers)
    if kind in NUMBERS:
        return pa.Array.from_buffers(NUMBERS[kind], rows, [validity, values])
    offsets = next(buffers)
    texts = next(buffers)
    dictionary = pa.Array.from_buffers(pa.large_string(), offsets.size // 8 - 1, [None, offsets, texts])
    indices = pa.Array.from_buffers(pa.int32(), rows, [validity, values])
    return pa.DictionaryArray.from_arrays(indices, dictionary.cast(pa.string()))


def parts(source, header, schema):
    """The rows as tables, each of one process."""
    kinds = [column["type"] for column in header["columns"]]
    while True:
        line = source.readline()
        if not line.endswith(b"\n"):
            sys.exit("the data ends early")
        if line == b"end\n":
            return
        part = json.loads(line)
        data = memoryview(read_exactly(source, sum(part["buffers"])))
        buffers = []
        offset = 0
        for size in part["buffers"]:
            buffers.append(pa.py_buffer(data[offset : offset + size]))
            offset += size
        remaining = iter(buffers)
        arrays = [read_array(kind, part["rows"], remaining) for kind in kinds]
        yield part["partition"], pa.Table.from_arrays(arrays, schema=schema)


class Dataset:
    """Files in folders named by the partition columns (run=1/process=2/level=device/part.parquet)."""

    def __init__(self, target, schema):
        self.target = target
        self.schema = pa.schema([field for field in schema if field.name not in PARTITIONS], metadata=schema.metadata)
        self.writers = {}

    def write(self, partition, table):
        levels = table.column("level").combine_chunks()
        for level in levels.dictionary.to_pylist():
            rows = table.filter(pa.compute.equal(table.column("level"), level)).select(self.schema.names)
            key = (partition["run"], partition["process"], level)
            if key not in self.writers:
                folder = os.path.join(self.target, *(f"{name}={value}" for name, value in zip(PARTITIONS, key)))
                os.makedirs(folder)
                self.writers[key] = open_writer(os.path.join(folder, "part.parquet"), self.schema)
            self.writers[key].write_table(rows)

    def close(self):
        for writer in self.writers.values():
            writer.close()


class File:
    def __init__(self, target, schema):
        self.writer = open_writer(target, schema)

    def write(self, partition, table):
        self.writer.write_table(table)

    def close(self):
        self.writer.close()


def open_writer(path, schema):
    return pq.ParquetWriter(path, schema, compression="zstd", version="2.6")


def main():
    print("ready", flush=True)
    source = sys.stdin.buffer
    header = json.loads(source.readline())
    schema = schema_of(header)
    target = (Dataset if header["partitioned"] else File)(header["target"], schema)
    rows = 0
    for partition, table in parts(source, header, schema):
        target.write(partition, table)
        rows += table.num_rows
    target.close()
    print(f"written {rows}", flush=True)


main()
