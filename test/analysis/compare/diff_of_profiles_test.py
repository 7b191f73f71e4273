"""xsp-report --diff of profiles of other tools: diff_of_profiles_test.py XSP_IMPORT XSP_REPORT SOURCE_ROOT. Of profiles made
here, and, where the recordings of PyTorch's profiler are at hand, of those and of what is made of them.
"""
import gzip
import json
import os
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
from imported_trace import shared_data  # noqa: E402

IMPORT, REPORT, ROOT = [os.path.abspath(path) for path in sys.argv[1:4]]
FOLDER = os.path.join(shared_data(ROOT), "kineto")


def made_profile(waits, kernels=("ampere_sgemm_128x64_nn", "relu_kernel", "fill_kernel"), rank=None, pid=100):
    """Steps of a training that wait this many ms for input, then run one operator for each kernel; times in us."""
    events, at, correlation = [], 1000.0, 0

    def event(category, name, begin, duration, thread, **args):
        process = 0 if category == "kernel" else pid
        events.append(dict(ph="X", cat=category, name=name, pid=process, tid=thread, ts=begin, dur=duration, args=args))

    for step, wait in enumerate(waits):
        begin = at
        event("user_annotation", "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", at, wait * 1000.0, pid)
        at += wait * 1000 + 10
        for place, name in enumerate(kernels):
            correlation += 1
            event("cpu_op", f"aten::op{place}", at, 60, pid, **{"External id": correlation})
            event("cuda_runtime", "cudaLaunchKernel", at + 10, 5, pid, correlation=correlation)
            event("kernel", name, at + 20, 30.0 + 3 * ((step * 7 + place * 5) % 4), 7, correlation=correlation, stream=7,
                  device=0)
            at += 80
        event("user_annotation", f"ProfilerStep#{step}", begin, at - begin, pid)
        at += 20
    profile = {"traceEvents": events}
    if rank is not None:
        profile["distributedInfo"] = {"backend": "nccl", "rank": rank, "world_size": 8}
    return profile


class DiffOfProfiles(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def recording(self, name):
        path = os.path.join(FOLDER, name + ".json.gz")
        if not os.path.exists(path):
            self.skipTest(f"no recordings at {FOLDER}")
        with gzip.open(path) as file:
            return json.load(file)

    def imported(self, profile, name):
        source, trace = (os.path.join(self.folder.name, name + suffix) for suffix in (".json", ".pb"))
        # In one piece: json.dump writes each token, which MALLOC_PERTURB_ of meson can make ten times as slow.
        with open(source, "w") as file:
            file.write(json.dumps(profile))
        if os.path.exists(trace):
            os.remove(trace)
        subprocess.run([IMPORT, source, "-o", trace], check=True, capture_output=True)
        return trace

    def report(self, base, fresh, *args):
        done = subprocess.run([REPORT, "--diff", base, fresh, *args], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done)
        return done.stdout

    def diff(self, base, fresh):
        """The finding, and of each table its rows as dictionaries."""
        traces = [self.imported(profile, name) for name, profile in (("base", base), ("new", fresh))]
        tables = json.loads(self.report(*traces, "--format", "json"))
        rows = {}
        for name, table in tables.items():
            if name != "xsp":
                columns = [column["name"] for column in table["columns"]]
                rows[name] = [dict(zip(columns, row)) for row in table["rows"]]
        return tables["xsp"]["finding"], rows

    def check_sorted(self, rows):
        for name in ("A2", "A6", "A8", "A10", "A11"):
            sizes = [abs(row["difference"]) for row in rows[name]]
            self.assertEqual(sizes, sorted(sizes, reverse=True), name)

    def check_waits(self, finding, rows):
        """The wait for input comes first, is significant, and nothing of that is hidden by the last step."""
        self.assertIn("_SingleProcessDataLoaderIter.__next__ -", finding)
        self.assertNotIn("not significant", finding.split("significant: ")[-1])
        first = rows["A2"][0]
        self.assertEqual((first["type"], first["significant"]), ("DataLoader", True))
        self.check_sorted(rows)

    def test_waits_that_all_steps_but_the_last_lost_are_the_finding(self):
        waits = [44.1, 45.2, 45.0, 44.7, 46.0, 45.4]
        shorter = [1.4, 1.5, 1.4, 1.6, 1.4, 45.3]
        self.check_waits(*self.diff(made_profile(waits), made_profile(shorter)))

    def test_waits_that_all_steps_but_the_last_lost_in_a_recording(self):
        base, fresh = self.recording("resnet50_v100_workers0_a"), self.recording("resnet50_v100_workers0_a")
        events = [event for event in fresh["traceEvents"] if event.get("ph") == "X"]
        waits = sorted((e for e in events if "DataLoader" in e["name"]), key=lambda e: e["ts"])[:-1]
        cuts = [(wait["ts"], wait["dur"], wait["dur"] - 1400) for wait in waits]

        def earlier(at):
            """Where a time is once the waits are shorter; what is within one comes closer together."""
            return at - sum(cut * min(max(at - begin, 0) / duration, 1) for begin, duration, cut in cuts)

        for event in events:
            end = earlier(event["ts"] + event["dur"])
            event["ts"] = round(earlier(event["ts"]))
            event["dur"] = round(end - event["ts"])
        last = max((e for e in events if e["name"].startswith("ProfilerStep")), key=lambda e: e["ts"])
        last["dur"] += 250_000  # the profiler's own end
        finding, rows = self.diff(base, fresh)
        self.check_waits(finding, rows)
        self.assertRegex(finding, r"NEW is \d+\.\d % faster than BASE \(\d+\.\d → \d+\.\d ms, significant\): 1 layer accounts")

    def check_ranks(self, base, fresh, text):
        finding, rows = self.diff(base, fresh)
        self.assertIn(f"({text} of NEW): NEW is ", finding.split("\n")[0])
        self.assertEqual([row["change"] for row in rows["A1"]], ["same"])
        self.assertNotIn("removed", [row["change"] for row in rows["A2"]])

    def test_another_rank_and_pid_of_one_job(self):
        waits = [1.4, 1.5, 1.4, 1.6, 1.4]
        self.check_ranks(made_profile(waits, rank=0), made_profile(waits[::-1], rank=5, pid=333), "rank 0 of BASE compared with rank 5")
        finding, _ = self.diff(made_profile(waits), made_profile(waits, pid=333))
        self.assertTrue(finding.startswith("ProfilerStep: NEW is as fast as BASE"), finding)

    def test_another_rank_and_pid_of_a_recorded_job(self):
        base = self.recording("hta_sampled_rank0")
        text = json.dumps(base).replace('"rank": 0', '"rank": 5').replace('"pid": 4037', '"pid": 999')
        self.check_ranks(base, json.loads(text), "rank 0 of BASE compared with rank 5")

    def test_other_shapes_of_a_recording_are_said_and_not_only_the_name(self):
        base = self.recording("resnet50_v100_workers0_a")
        text = json.dumps(base).replace("[32, 3, 224, 224]", "[16, 3, 224, 224]")
        self.assertNotEqual(text, json.dumps(base))
        fresh = dict(json.loads(text), distributedInfo={"backend": "nccl", "rank": 1, "world_size": 8})
        finding, _ = self.diff(dict(base, distributedInfo={"backend": "nccl", "rank": 0, "world_size": 8}), fresh)
        self.assertIn("no model in common", finding)
        self.assertIn("input shapes (BASE [32,3,224,224]; NEW [16,3,224,224]), rank (BASE 0; NEW 1)", finding)

    def test_other_kernels_are_removed_and_added_and_only_versions_renamed(self):
        waits = [1.4, 1.5, 1.4, 1.6, 1.4]
        other = ("volta_sgemm_32x128_nn", "flash_fwd_kernel", "fill_kernel")
        _, rows = self.diff(made_profile(waits), made_profile(waits, kernels=other))
        self.assertEqual(
            sorted((row["what"], row["change"]) for row in rows["A8"]),
            [("ampere_sgemm_128x64_nn → volta_sgemm_32x128_nn", "renamed"), ("fill_kernel", "same"),
             ("flash_fwd_kernel", "added"), ("relu_kernel", "removed")],
        )  # fmt: skip

    def test_swapped_kernels_of_a_recording(self):
        base, fresh = self.recording("resnet50_v100_workers0_a"), self.recording("resnet50_v100_workers0_a")
        swapped = versions = 0
        for event in fresh["traceEvents"]:
            if event.get("cat") != "Kernel":
                continue
            if "128x64" in event["name"]:
                event["name"] = event["name"].replace("128x64", "256x32")
                versions += 1
            elif "max_pool" in event["name"]:
                event["name"] = "triton_poi_fused_pool_0"
                swapped += 1
        self.assertTrue(swapped and versions, (swapped, versions))
        _, rows = self.diff(base, fresh)
        changes = {row["change"] for row in rows["A8"]}
        self.assertEqual(changes, {"same", "renamed", "removed", "added"})
        for row in rows["A8"]:
            if row["change"] == "renamed":
                self.assertEqual(row["base_kernel"].replace("128x64", "256x32"), row["new_kernel"])
        self.check_sorted(rows)

    def test_recordings_of_different_networks_are_not_compared(self):
        finding, rows = self.diff(self.recording("resnet50_v100_workers0_a"), self.recording("tl_vit_h100"))
        self.assertIn("BASE and NEW have no model in common: they differ in model (BASE ", finding)
        self.assertIn("layers and kernels are not compared", finding)
        for name in ("A2", "A6", "A8", "A10", "A11"):
            self.assertEqual(rows[name], [])

    def test_narrow_lines_keep_what_is_significant(self):
        base, fresh = made_profile([44, 45, 45, 44, 46, 45]), made_profile([1.4, 1.5, 1.4, 1.6, 1.4, 1.5])
        traces = [self.imported(profile, name) for name, profile in (("base", base), ("new", fresh))]
        for width in (60, 80, 100, 120):
            done = subprocess.run([REPORT, "--diff", *traces, "-a", "A2"], capture_output=True, text=True,
                                  env=dict(os.environ, COLUMNS=str(width)))  # fmt: skip
            self.assertEqual(done.returncode, 0, done)
            head = next(line for line in done.stdout.splitlines() if line.startswith("what"))
            self.assertLessEqual(len(head), width)
            self.assertIn("significant", head, width)
            self.assertIn("difference", head, width)
            self.assertEqual("ci_low" in head, "ci_high" in head, width)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=1)
