#!/usr/bin/env python3
"""What a recording of CUPTI (programs/cupti_recorder.cc, doc/recorder.md) says about what XSP assumes of it: python3 recording.py
FILE prints a JSON list of {"question", "answer", "evidence"}; --text prints it for people.
"""
import argparse
import json
import sys

import recording_answers as answers
from recording_lines import Recording, read_recording  # noqa: F401

UNKNOWN = "not in this recording"
# In the order of doc/device.md, "Assumptions not yet seen on a device", and what else has been asked.
QUESTIONS = [
    ("Which CUPTI, driver and devices?", answers.facts),
    ("Which attributes has CUPTI?", answers.attributes),
    ("Do kernels have the ids of their launches' callbacks?", answers.ids_of_callbacks),
    ("Does a driver call inside a call of the runtime have its id?", answers.nested_calls),
    ("Is a driver call inside a call of the runtime a record of its own?", answers.nested_records),
    ("By which functions are kernels launched?", answers.launch_functions),
    ("Does what a graph runs have the id of the graph's launch?", answers.graph_ids),
    ("In which order is a graph's node created and cloned?", answers.node_order),
    ("Inside which call is a graph's node created?", answers.node_place),
    ("Inside which call does CUPTI ask for a buffer?", answers.buffer_requests),
    ("How long does CUPTI keep a buffer?", answers.buffers_held),
    ("Does FlushAll(0) return records of what still runs?", answers.unfinished_records),
    ("How long does a flush take?", answers.flush_times),
    ("On which threads are buffers completed?", answers.completing_threads),
    ("Which clock is CUPTI's?", answers.clock),
    ("Are there executions without times, or inverted ones?", answers.wrong_times),
    ("How soon behind its launch does a kernel start?", answers.least_lead),
    ("Are the ids of graphs' launches right in later sessions?", answers.sessions),
    ("What does the STATE domain tell?", answers.state_events),
    ("How many records were dropped?", answers.dropped),
    ("Are records laid out as XSP assumes?", answers.record_layout),
    ("What comes at the end of the program?", answers.exit_of_program),
    ("What does the Range Profiler answer, SetConfig called again included?", answers.ranges),
]  # fmt: skip


def ask(recording):
    """[{"question", "answer", "evidence"}] of a Recording; what it cannot tell has the answer UNKNOWN."""
    rows = []
    for question, find in QUESTIONS:
        answer, evidence = find(recording) or (UNKNOWN, "")
        rows.append({"question": question, "answer": answer, "evidence": evidence})
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file")
    parser.add_argument("--text", action="store_true", help="for people")
    arguments = parser.parse_args()
    try:
        rows = ask(read_recording(arguments.file))
    except (OSError, ValueError, KeyError) as error:
        sys.exit(f"recording.py: error: {arguments.file}: {error!r}")
    if not arguments.text:
        print(json.dumps(rows, indent=1))
        return
    for row in rows:
        print(f"{row['question']}\n    {row['answer']}" + (f"\n    ({row['evidence']})" if row["evidence"] else ""))


if __name__ == "__main__":
    main()
