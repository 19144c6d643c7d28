// The doctor's questions. Each is asked in a process of its own: it opens what a stub would open,
// and what a library or a driver does then, crashing among it, is the finding. Answers are records
// (record.h), written to `file`, an open file descriptor of the caller's. No exceptions, no heap;
// one question at a time in a process.
//
// All return 0, or ENOENT: no such library or no such caller; EIO: `file` took not all of the
// answer.
#pragma once

#define ANYCUDA_DOCTOR_API extern "C" __attribute__((visibility("default")))

// What can be asked, and the settings that steer the answers.
//   format  number=1 version=
//   library name= product= stub= variable= install_hint= is_driver= driver_bound= majors="11 12 13"
//   ("" without) setting name= value= understood= values=
ANYCUDA_DOCTOR_API int anycuda_doctor_about(int file);

// What the stub of `library` ("cudart") does at the first call of a program that was built for
// `caller_major` (0: for none, it has no symbol versions).
//   answer    path= major= minor= refused= advice=
//   place     name= title= searched= folders= left_out=
//   candidate path= place= state= major= minor= exact= source= file= problem=
//             verdict= reason= driver= tried= stays_open= target= taken=
// An empty `path` is nothing that would be loaded; `refused` is then a setting that is not
// understood. `exact`: an authoritative source says the version, from `file`; else the file exports
// what came with that minor, and may be newer. `problem`: why no source says it. `verdict` is empty
// for a file that cannot be used, which `state` and `reason` tell; "not_looked_at" where the search
// ended before. `driver`: how the driver stands to it (anycuda/compat/driver.h). `stays_open`: it
// was opened, refused and cannot be closed. `target`: of a link, the missing file.
ANYCUDA_DOCTOR_API int anycuda_doctor_ask(const char* library, int caller_major, int file);

// The driver that the rules ask, and the GPUs that it sees.
//   tried     path= state= size= target= stays_open= reason=
//   driver    path= file= present= major= minor= status= problem=
//   branch    number= problem=
//   call      name= status= error= text=
//   gpu       name= major= minor= memory=
// `tried`: a file that is named like a driver and does not serve as one; `target`: the missing file
// that it is a link to. `file`: behind all links.
// `status`: of cuDriverGetVersion.
ANYCUDA_DOCTOR_API int anycuda_doctor_driver(int file);

// What the computer's files say: containers, WSL, GPUs that are built in, device files, limits.
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
