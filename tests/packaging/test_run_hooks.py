# SPDX-License-Identifier: Apache-2.0
"""`anycuda run` of a program whose CUDA functions a preloaded library hooks."""

import unittest
from pathlib import Path
from unittest import mock

from analysis_support import BUILD, Folder, artifact, library_file, table, with_real_libraries
from doctor_support import Machine, place
from test_run import run

from anycuda.installation import Installation
from anycuda.run import environment

# A limiter of GPU memory: it is linked with the driver, and its dlsym returns its own functions, or what it is linked
# with, for every name of the driver.
_LIMITER = """
    #define _GNU_SOURCE
    #include <dlfcn.h>
    #include <stdio.h>
    extern int cuCtxGetCurrent(void**);
    void* keep(void) { return (void*)cuCtxGetCurrent; }
    static void* (*real)(void*, const char*);
    static void *self, *driver;
    static void init(void) {
        if (real) return;
        for (const char* const* version = (const char* const[]){"GLIBC_2.2.5", "GLIBC_2.17", "GLIBC_2.34", 0};
             !real && *version; ++version)
            real = dlvsym(RTLD_NEXT, "dlsym", *version);
        Dl_info info;
        dladdr((void*)init, &info);
        self = dlopen(info.dli_fname, RTLD_LAZY);
        driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NODELETE);
    }
    int cuInit(unsigned flags) {
        init();
        fputs("limited cuInit\\n", stderr);
        return ((int (*)(unsigned))real(driver, "cuInit"))(flags);
    }
    void* dlsym(void* handle, const char* name) {
        init();
        void* own = handle != RTLD_NEXT && name[0] == 'c' && name[1] == 'u' ? real(self, name) : 0;
        return own ? own : real(handle, name);
    }
"""
_PROGRAM = """
    #include <stdio.h>
    int cuInit(unsigned), cuDriverGetVersion(int*);
    int main(void) {
        int version = 0;
        cuInit(0);
        cuDriverGetVersion(&version);
        return !printf("%d", version);
    }
"""
_HOOK = """
    #define _GNU_SOURCE
    #include <dlfcn.h>
    #include <stdio.h>
    int cudaRuntimeGetVersion(int* version) {
        fputs("hooked\\n", stderr);
        return ((int (*)(int*))dlsym(RTLD_NEXT, "cudaRuntimeGetVersion"))(version);
    }
"""


@with_real_libraries
class Hooks(Folder):
    def test_limiter_that_hooks_dlsym_works_with_dropins_and_preload(self):
        driver = artifact("driver-550")
        flags = (driver / "libcuda.so.1", "-ldl", "-Wl,--allow-shlib-undefined")
        limiter = self.compile("limiter.so", _LIMITER, *flags)
        program = self.compile("program", _PROGRAM, *flags)
        machine = Machine(self).env(LD_PRELOAD=str(limiter), LD_LIBRARY_PATH=str(driver))
        for arguments in ((), ("--preload",)):
            done = run(machine, *arguments, "--", program)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "12040", "limited cuInit\n"), arguments)

    def test_hook_of_the_user_precedes_preloaded_stubs(self):
        machine = Machine(self)
        real = machine.root / "cuda" / "libcudart.so.12"
        place(library_file("cudart", "12.9"), real)
        hook = self.compile("hook.so", _HOOK, "-ldl")
        main = "int main(void) { int version = 0; cudaRuntimeGetVersion(&version); return !printf(\"%d\", version); }"
        program = self.compile("program", f"int cudaRuntimeGetVersion(int*), printf(const char*, ...); {main}", real)
        machine.env(LD_PRELOAD=str(hook), LD_LIBRARY_PATH=str(real.parent))
        done = run(machine, "--preload", "--log", "info", "--", program)
        self.assertEqual(done.stdout, "12090")
        self.assertTrue(done.stderr.startswith("hooked\nanycuda: cudart: using"), done.stderr)

    def test_preloads_of_the_system_precede_the_stubs(self):
        listed = self.folder / "ld.so.preload"
        listed.write_text("/opt/a.so /opt/b.so:c.so # not this\n\n\t/opt/d.so")
        installed = Installation("1", "x86_64", {"dropins": BUILD / "lib" / "dropin", "stubs": BUILD / "lib"})
        with mock.patch.object(environment, "_SYSTEM_PRELOAD", str(listed)):
            value = environment.changes(installed, table(), True, None, {"LD_PRELOAD": "/own.so"})["LD_PRELOAD"]
        entries = value.split(":")
        self.assertEqual(entries[:5], ["/own.so", "/opt/a.so", "/opt/b.so", "c.so", "/opt/d.so"])
        self.assertTrue(all(Path(entry).name.endswith("_stub.so") for entry in entries[5:]), value)


if __name__ == "__main__":
    unittest.main()
