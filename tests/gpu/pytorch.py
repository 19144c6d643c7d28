# SPDX-License-Identifier: Apache-2.0
"""What a PyTorch program does, checked: run by run.py with the stubs preloaded. Exit status 0: all right.

Prints the CUDA runtimes that the process has in the end: with stubs or without, there must be one."""

import copy
import importlib.util
import os
import sys
import unittest

os.environ["USE_PYTORCH_KERNEL_CACHE"] = "0"  # what PyTorch compiles, it shall compile now

import torch  # noqa: E402

from pytorch_runtimes import runtimes  # noqa: E402


class Device(unittest.TestCase):
    def test_properties(self) -> None:
        properties = torch.cuda.get_device_properties(0)
        self.assertEqual((properties.major, properties.minor), torch.cuda.get_device_capability(0))
        self.assertNotEqual(properties.name, "")
        self.assertGreater(properties.multi_processor_count, 0)
        self.assertEqual(properties.warp_size, 32)
        self.assertEqual(properties.total_memory, torch.cuda.mem_get_info(0)[1])


class Memory(unittest.TestCase):
    def test_is_counted(self) -> None:
        size = 64 << 20
        torch.cuda.empty_cache()  # what other tests left behind
        allocated, reserved = torch.cuda.memory_allocated(), torch.cuda.memory_reserved()
        block = torch.empty(size, dtype=torch.uint8, device="cuda")
        self.assertEqual(torch.cuda.memory_allocated() - allocated, size)
        self.assertEqual(torch.cuda.memory_stats()["allocated_bytes.all.current"], allocated + size)
        del block
        torch.cuda.empty_cache()
        self.assertEqual(torch.cuda.memory_allocated(), allocated)
        self.assertLessEqual(torch.cuda.memory_reserved(), reserved)

    def test_that_is_pinned_is_known_by_its_address(self) -> None:
        pinned = torch.arange(1 << 20).pin_memory()
        self.assertTrue(pinned.is_pinned())
        self.assertFalse(torch.arange(10).is_pinned())
        back = torch.empty_like(pinned, pin_memory=True)
        back.copy_(pinned.to("cuda", non_blocking=True), non_blocking=True)
        torch.cuda.synchronize()
        self.assertTrue(torch.equal(back, pinned))

    def test_that_is_not_there_leaves_no_error_behind(self) -> None:
        with self.assertRaises(torch.cuda.OutOfMemoryError):
            torch.empty(1 << 50, dtype=torch.uint8, device="cuda")
        self.assertEqual(float(torch.ones(8, device="cuda").sum()), 8)


class Work(unittest.TestCase):
    def test_in_streams_with_events(self) -> None:
        a, b = torch.randn(2, 512, 512, device="cuda")
        first, second = torch.cuda.Stream(), torch.cuda.Stream(priority=-1)
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        first.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(first):
            start.record()
            product = a @ b
            end.record()
        second.wait_event(end)
        with torch.cuda.stream(second):
            twice = product * 2
        second.synchronize()
        exact = 2 * (a.double() @ b.double())
        self.assertLess(float((twice.double() - exact).norm() / exact.norm()), 1e-3)
        self.assertTrue(end.query())
        self.assertGreater(start.elapsed_time(end), 0)

    def test_training_as_on_the_cpu(self) -> None:
        def losses(device: str) -> list[float]:
            torch.manual_seed(0)
            model = torch.nn.Sequential(torch.nn.Linear(32, 64), torch.nn.Tanh(), torch.nn.Linear(64, 1))
            x, y = torch.randn(256, 32).to(device), torch.randn(256, 1).to(device)
            optimizer = torch.optim.Adam(model.to(device).parameters(), lr=0.01)
            seen = []
            for _ in range(20):
                optimizer.zero_grad()
                loss = torch.nn.functional.mse_loss(model(x), y)
                loss.backward()
                optimizer.step()
                seen.append(float(loss))
            return seen

        torch.testing.assert_close(losses("cuda"), losses("cpu"), rtol=0.02, atol=1e-3)


class Graph(unittest.TestCase):
    def test_captured_and_replayed(self) -> None:
        counter = torch.zeros(1000, device="cuda")
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            counter += 1
        for _ in range(10):
            graph.replay()
        torch.cuda.synchronize()
        self.assertTrue(bool((counter == 10).all()))

    def test_of_a_module_forwards_and_backwards(self) -> None:
        # Made before the model has run anywhere: a gradient that is alive keeps the weights' place in the
        # autograd graph in the default stream, which no capture may wait for.
        model = torch.nn.Linear(64, 64).cuda().train()
        other = copy.deepcopy(model)
        sample = torch.randn(16, 64, device="cuda", requires_grad=True)
        graphed = torch.cuda.make_graphed_callables(model, (sample,))
        x = torch.randn(16, 64, device="cuda", requires_grad=True)
        result, expected = graphed(x), other(x)
        torch.testing.assert_close(result, expected, rtol=1e-3, atol=1e-4)
        gradients = [torch.autograd.grad(y.sum(), x)[0] for y in (result, expected)]
        torch.testing.assert_close(*gradients, rtol=1e-3, atol=1e-4)


class Compiled(unittest.TestCase):
    """At run time: by NVRTC, which PyTorch opens itself, and by Triton."""

    def test_kernel(self) -> None:
        if not hasattr(torch.cuda, "_compile_kernel"):
            self.skipTest("this PyTorch has no torch.cuda._compile_kernel")
        source = "__global__ void triple(float* x, int n) { int i = threadIdx.x; if (i < n) x[i] *= 3; }"
        try:
            triple = torch.cuda._compile_kernel(source, "triple")
        except OSError as error:  # it looks for NVRTC and headers in a toolkit
            self.skipTest(f"torch.cuda._compile_kernel cannot be used here: {error}")
        x = torch.ones(100, device="cuda")
        triple((1, 1, 1), (128, 1, 1), (x, 100))
        self.assertTrue(bool((x == 3).all()))

    def test_elementwise_function(self) -> None:
        double = torch.cuda.jiterator._create_jit_fn("template <typename T> T f(T x) { return x + x; }")
        x = torch.randn(1000, device="cuda")
        self.assertTrue(torch.equal(double(x), x + x))

    def test_python_function(self) -> None:
        if importlib.util.find_spec("triton") is None:
            self.skipTest("torch.compile needs Triton, which is not installed")
        x = torch.randn(512, 512, device="cuda")
        compiled = torch.compile(lambda t: torch.sin(t) * 2 + t)
        torch.testing.assert_close(compiled(x), torch.sin(x) * 2 + x)


def main() -> int:
    result = unittest.main(exit=False, verbosity=2).result
    found = runtimes()
    print("runtimes:", *found)
    return 0 if result.wasSuccessful() and len(found) == 1 else 1


if __name__ == "__main__":
    sys.exit(main())
