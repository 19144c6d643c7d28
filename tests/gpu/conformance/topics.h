// SPDX-License-Identifier: Apache-2.0

// The topics; each runs in a separate process.
#pragma once

#include <cuda_runtime.h>

namespace conformance {

void properties();
void pointers();
void functions();
void textures();
void surfaces();
#if CUDART_VERSION < 12000
void references();
#endif
void managed();
void pools();
#if CUDART_VERSION >= 12000
void batches();
#endif
void graphs();
void edges();
#if CUDART_VERSION >= 12020
void nodes();
#endif
#if CUDART_VERSION >= 12030
void conditionals();
#endif
void node_attributes();
void capture();
void capture_updates();
void launches();
void streams();
void external();
void entry_points();
void threads();
#if CUDART_VERSION >= 12020
void libraries();
#endif
#if CUDART_VERSION >= 12040
void notices();
#endif
#if CUDART_VERSION >= 13000
void contexts();
#endif

}  // namespace conformance
