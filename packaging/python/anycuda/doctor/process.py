# SPDX-License-Identifier: Apache-2.0
"""Runs a process for each question, with a time limit for all, and collects the outcomes."""

from __future__ import annotations

import os
import resource
import selectors
import signal
import time
from collections.abc import Iterable
from typing import Callable

_PATIENCE = 2.0  # seconds to wait for an ended or killed process; one that hangs in the kernel is abandoned
UNABLE = "the query could not be sent"
_UNABLE = 255  # exit status of a child that could not ask


class Process:
    """A child that answers on one pipe; the output of its libraries goes into another."""

    def __init__(self, task: Callable[[int], int]) -> None:
        """Runs `task` in the child; it gets the pipe to answer on, and returns the exit status."""
        self.answer, self.output = bytearray(), bytearray()
        self.status: int | None = None
        self.late = False
        answer, output = os.pipe(), os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            _run(task, answer[1], output[1])
        os.close(answer[1])
        os.close(output[1])
        self.pipes = {answer[0]: self.answer, output[0]: self.output}

    def read(self, pipe: int) -> bool:
        """Reads from the pipe; returns False at its end."""
        data = os.read(pipe, 1 << 16)
        self.pipes[pipe] += data
        return bool(data)

    def finish(self) -> None:
        """Kills the process if it does not end, and reads the rest of the pipes."""
        if not self._gone(0 if self.late else _PATIENCE):
            self.late = True
            os.kill(self.pid, signal.SIGKILL)
            self._gone(_PATIENCE)
        for pipe in self.pipes:
            # Does not wait for the end of the pipe: a daemon that a driver started may keep it open.
            os.set_blocking(pipe, False)
            try:
                while self.read(pipe):
                    pass
            except BlockingIOError:
                pass
            os.close(pipe)

    def ending(self, limit: float) -> str:
        """How the process failed, or ""."""
        if self.late or self.status is None:
            return f"no answer within {limit:g} s"
        if os.WIFSIGNALED(self.status):
            number = os.WTERMSIG(self.status)
            return f"crash: signal {number}, {signal.strsignal(number)}"
        code = os.WEXITSTATUS(self.status)
        if code == _UNABLE:
            return UNABLE
        return f"no answer: {os.strerror(code)}" if code else ""

    def _gone(self, patience: float) -> bool:
        deadline = time.monotonic() + patience
        while self.status is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.status = status
            elif time.monotonic() >= deadline:
                return False
            else:
                time.sleep(0.005)
        return True


def run_all(tasks: Iterable[Callable[[int], int]], limit: float) -> list[Process]:
    """Runs all tasks in parallel, so that waiting times for hanging ones do not add up."""
    processes: list[Process] = []
    try:
        for task in tasks:
            processes.append(Process(task))
        _listen(processes, time.monotonic() + limit)
    finally:
        for process in processes:
            process.finish()
    return processes


def _listen(processes: list[Process], deadline: float) -> None:
    """Reads until every answer has ended, or until the deadline; unfinished ones are marked late."""
    with selectors.DefaultSelector() as selector:
        waiting = {}
        for process in processes:
            for pipe in process.pipes:
                selector.register(pipe, selectors.EVENT_READ, process)
            waiting[next(iter(process.pipes))] = process
        while waiting and time.monotonic() < deadline:
            for key, _ in selector.select(deadline - time.monotonic()):
                if not key.data.read(key.fd):
                    selector.unregister(key.fd)
                    waiting.pop(key.fd, None)
    for process in waiting.values():
        process.late = True


def _run(task: Callable[[int], int], answer: int, output: int) -> None:
    """Runs the child; it must end here in every case, and not continue as a second command."""
    status = _UNABLE
    try:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # a crash is an answer, and needs no core file
        nothing = os.open(os.devnull, os.O_RDWR)
        for stream, target in ((0, nothing), (1, output), (2, output)):
            os.dup2(target, stream)
        status = task(answer)
    except OSError as error:
        os.write(2, f"{error}\n".encode("utf-8", "backslashreplace"))
    finally:
        os._exit(status)
