// SPDX-License-Identifier: Apache-2.0

// The doctor's questions. Each is asked in a separate process: it opens the library or driver that
// a stub would open, and whatever that does then, even a crash, is the finding. Answers are records
// (record_writer.h), written to `file`, the caller's open file descriptor. No exceptions, no heap;
// one question at a time in a process.
//
// All return 0, or ENOENT: no such library or no such caller; EIO: a part of the answer could not
// be written to `file`.
#pragma once

#define ANYCUDA_DOCTOR_API extern "C" __attribute__((visibility("default")))

// The list of questions, and the settings that affect the answers.
//   format  number=1 version=
//   library name= product= stub= variable= install_hint= is_driver= driver_bound= majors="11 12 13"
//   ("" without) setting name= value= understood= values=
ANYCUDA_DOCTOR_API int anycuda_doctor_about(int file);

// The behaviour of the stub of `library` ("cudart") at the first call of a program built for
// `caller_major` (0: for none, it has no symbol versions).
//   answer    path= major= minor= refused= advice=
//   place     name= title= searched= folders= left_out=
//   candidate path= place= state= major= minor= exact= source= file= problem=
//             verdict= reason= driver= tried= stays_open= target= taken=
// With an empty `path` no library would be loaded; `refused` is then an invalid setting, if there
// is one. `exact`: an authoritative source, `file`, states the version; else the file exports the
// symbols of that minor, and may be newer. `problem`: why no source states it. `verdict` is empty
// for an unusable file, which `state` and `reason` explain; "not_looked_at" if the search ended
// before. `driver`: whether the driver serves it (anycuda/compat/driver.h). `stays_open`: it was
// opened, refused and cannot be closed. `target`: of a link, the missing file.
ANYCUDA_DOCTOR_API int anycuda_doctor_ask(const char* library, int caller_major, int file);

// The driver that the rules ask, and the GPUs that it sees.
//   tried     path= state= size= target= stays_open= reason=
//   driver    path= file= present= major= minor= status= problem=
//   branch    number= version= problem=
//   call      name= status= error= text=
//   gpu       name= major= minor= memory=
// `tried`: a file that is named like a driver and does not serve as one; `target`: the missing file
// that it is a link to. `file`: behind all links.
// `status`: of cuDriverGetVersion.
ANYCUDA_DOCTOR_API int anycuda_doctor_driver(int file);

// Facts from the computer's files: containers, WSL, installed GPUs, device files, limits.
//   limit      name= bytes= (-1: none)
//   fact       name= path= error= text=
//   device     name= error=                  /dev/nvidia*; error: of opening it to read and write
//   driver_gpu address= text=                /proc/driver/nvidia/gpus
//   pci_gpu    address= driver=              a display controller of NVIDIA's, and who drives it
ANYCUDA_DOCTOR_API int anycuda_doctor_machine(int file);

// The environment at paths[0] ("": none), and what may not be entered of the folders paths[1...]
// and the system's.
//   environment prefix= real= conda= pixi= history=
//   real        path= real=           behind links, where that is another text
//   denied      path= blocker=
ANYCUDA_DOCTOR_API int anycuda_doctor_folders(int count, const char* const* paths, int file);
