"""The order of a run: stage after stage; in a stage the checks one after the other, or side by side."""
import os
import threading
import time
import traceback
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path

from running import OutOfTime
from verdict import CUT, DONE, TIMED_OUT, CheckVerdicts

SHARE_OF_TIME_ALONE = 0.33  # of the time that is left when the checks begin that run side by side
LAST_SECONDS = 12  # kept for the table and the evidence
STACKS_S = 10  # for looking at what hangs when a stage ends


class Course:
    """Runs the checks; results are written as they come."""

    def __init__(self, acceptance, verdicts, results, say):
        self.acceptance, self.verdicts, self.results, self.say = acceptance, verdicts, results, say

    def run(self, stages, checks):
        stopped = threading.Event()
        threading.Thread(target=self._keep_writing, args=(stopped,), daemon=True).start()
        try:
            for stage in stages:
                of_stage = [check for check in checks if check.stage == stage.name]
                if not of_stage or self.acceptance.running.left() <= LAST_SECONDS:
                    continue
                if stage.side_by_side:
                    later = any(check.stage == other.name for other in stages[stages.index(stage) + 1:] for check in checks)
                    self._run_side_by_side(of_stage, later)
                else:
                    self._run_in_turn(of_stage, stage.limit)
                self.results.write_all()
        finally:
            stopped.set()
            self.acceptance.running.end_all(kept_too=True)
            self.results.failed_for_want_of_time()

    def _keep_writing(self, stopped):
        while not stopped.wait(5):
            self.results.write_all_now_and_then()

    def _run_in_turn(self, checks, limit):
        """Each has its limit, or what is left of the stage's."""
        running = self.acceptance.running
        end_of_stage = time.monotonic() + min(limit or running.left(), running.left() - LAST_SECONDS)
        for check in checks:
            end = min(end_of_stage, time.monotonic() + (check.limit or float("inf")))
            if end - time.monotonic() < 1:
                continue
            thread = threading.Thread(target=self._run, args=(check, end), daemon=True)
            thread.start()
            thread.join(end - time.monotonic() + STACKS_S)
            running.end_all()  # it would disturb what comes now
            thread.join(5)

    def _run_side_by_side(self, checks, something_comes_later):
        left = self.acceptance.running.left()
        end = time.monotonic() + left * (1 - SHARE_OF_TIME_ALONE if something_comes_later else 1) - LAST_SECONDS
        pool = ThreadPoolExecutor(max(2, min(8, (os.cpu_count() or 2) // 2)))
        futures = [pool.submit(self._run, check, end) for check in checks]
        try:
            wait(futures, timeout=max(1.0, end - time.monotonic()))
        finally:
            for future in futures:
                future.cancel()
        wait(futures, timeout=STACKS_S)
        self.acceptance.running.end_all()  # it would disturb what comes now
        wait(futures, timeout=5)

    def _run(self, check, end):
        begin = time.monotonic()
        limits = self.acceptance.running.begin_check(end)
        self.say(f"{check.name}: {check.what}")
        self.results.begin(check.name)
        verdicts, state = CheckVerdicts(self.verdicts, check.name), DONE
        try:
            check.run(self.acceptance, verdicts, *check.arguments)
        except OutOfTime as error:
            state = CUT
            verdicts.fail("all of it", "an end", f"{error}: --continue runs it")
        except Exception as error:  # costs this check only
            where = traceback.extract_tb(error.__traceback__)[-1]
            verdicts.fail("all of it", "an end", f"{type(error).__name__}: {error} ({Path(where.filename).name}:{where.lineno})")
        if limits.timed_out and state == DONE:
            state = TIMED_OUT
        self.results.end(check.name, state, time.monotonic() - begin)
        self.say(f"{check.name}: {state} in {time.monotonic() - begin:.0f} s")
