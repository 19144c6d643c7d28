// SPDX-License-Identifier: Apache-2.0

// Each file of this folder that is named here is a topic, which can be run by itself.
#pragma once

namespace gputest {

void cycles();            // compile, link, load, launch; and once more after everything is dropped
void inputs();            // each type, from memory and from files
void rules();             // which linker is chosen with this driver and this nvJitLink
void failing();           // a link that fails, and what can be read afterwards
void workers();           // several threads, each with its own linkers
void libraries();         // loaded once, used in two contexts, on threads and in a graph
void library_at_exit();   // unloaded after main()
void cached();            // links that a cache on disk has
void walk_links();        // random links, for some time
void growth_nvjitlink();  // 10,000 links, and the memory of the process
void growth_driver();

}  // namespace gputest
