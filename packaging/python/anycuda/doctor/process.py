# SPDX-License-Identifier: Apache-2.0
"""A process for each question, a time limit for all, and what became of them."""

from __future__ import annotations

import os
import resource
import selectors
import signal
import time
from collections.abc import Iterable
from typing import Callable

_PATIENCE = 2.0  # seconds that an ended or killed process has to go; one that the kernel holds is left
_UNABLE = 255  # exit status of a child that could not even ask


class Process:
    """A child that answers on one pipe; what it and its libraries say goes into another."""

    def __init__(self, task: Callable[[int], int]) -> None:
        """`task`, which gets the pipe to answer on and returns the exit status, runs in the child."""
        self.answer, self.said = bytearray(), bytearray()
        self.status: int | None = None
        self.late = False
        answer, said = os.pipe(), os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            _run(task, answer[1], said[1])
        os.close(answer[1])
        os.close(said[1])
        self.pipes = {answer[0]: self.answer, said[0]: self.said}

    def read(self, pipe: int) -> bool:
        """False at the pipe's end."""
        data = os.read(pipe, 1 << 16)
        self.pipes[pipe] += data
        return bool(data)

    def finish(self) -> None:
        """Kills it if it does not end by itself, and takes what is left in the pipes."""
        if not self._gone(0 if self.late else _PATIENCE):
            self.late = True
            os.kill(self.pid, signal.SIGKILL)
            self._gone(_PATIENCE)
        for pipe in self.pipes:
            # Not until the end: a daemon that a driver has started may hold the other side.
            os.set_blocking(pipe, False)
            try:
                while self.read(pipe):
                    pass
            except BlockingIOError:
                pass
            os.close(pipe)

    def ending(self, limit: float) -> str:
        """How it failed, "" if it did not."""
        if self.late or self.status is None:
            return f"no answer within {limit:g} s"
        if os.WIFSIGNALED(self.status):
            number = os.WTERMSIG(self.status)
            return f"crash: signal {number}, {signal.strsignal(number)}"
        code = os.WEXITSTATUS(self.status)
        if code == _UNABLE:
            return "it cannot be asked"
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
    """All at once, so that several that hang do not add up."""
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
    """Until every answer has come to its end. Those that have not at the deadline are late."""
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


def _run(task: Callable[[int], int], answer: int, said: int) -> None:
    """The child's whole life: whatever happens, it must not go on as a second command."""
    status = _UNABLE
    try:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # a crash is an answer here, and no file
        nothing = os.open(os.devnull, os.O_RDWR)
        for stream, target in ((0, nothing), (1, said), (2, said)):
            os.dup2(target, stream)
        status = task(answer)
    except OSError as error:
        os.write(2, f"{error}\n".encode("utf-8", "backslashreplace"))
    finally:
        os._exit(status)
