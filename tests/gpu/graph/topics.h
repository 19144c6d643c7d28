// SPDX-License-Identifier: Apache-2.0

// Each file of this folder that is named here is a topic, which can be run by itself.
#pragma once

#include "tests/graph/walk/walk.h"

namespace gputest {

void owners();    // each kind x {graph, clone, child, body, executable}, every order of destruction
void slots();     // set_owner, get_owner, replaced owners, removed nodes
void operands();  // typed, raw, both: what is kept and what is refused
void arguments();     // of kernels, typed
void attributes();    // clusters, cooperative launches, priorities
void programmatic();  // programmatic dependent launch
void structure();     // edges and child graphs that change, memory nodes, adopted executables
void reading();       // nodes, edges, parameters, a picture
void results();       // launches compute from what only the graph holds
void bodies();        // conditional nodes
void raw();           // what others do to a graph by plain driver calls
void changes();       // new parameters for each kind of node
void updates();       // new parameters while a launch runs
void replacing();     // owners in an executable that later updates have replaced
void parameters();    // what no driver checks
void devices();       // two GPUs
void running();       // executables end while a launch runs
void faults();        // each driver call, and each allocation, fails once
void capturing();     // callbacks, forks, bodies
void capture_ends();  // what goes wrong with a capture
void views();
void threads();
void random_walk();             // tests/graph/walk
walk::Options& walk_options();  // its options, to be changed before it runs
void exits();                   // the process ends in the middle

}  // namespace gputest
