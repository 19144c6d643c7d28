// SPDX-License-Identifier: Apache-2.0

// 10,000 links do not make the process grow: neither its heap nor its resident memory. An image is
// loaded and launched now and then.
#include <malloc.h>
#include <unistd.h>

#include <fstream>

#include "linker/fixture.h"
#include "linker/raw_links.h"
#include "linker/topics.h"

namespace gputest {

namespace {

struct Memory {
  double resident;  // KiB
  double heap;      // KiB that the process has from malloc
};

Memory now() {
  long pages = 0;
  long resident = 0;
  std::ifstream("/proc/self/statm") >> pages >> resident;
  const struct mallinfo2 heap = mallinfo2();
  return {static_cast<double>(resident * sysconf(_SC_PAGESIZE)) / 1024,
          static_cast<double>(heap.uordblks + heap.hblkhd) / 1024};
}

std::string describe(const Memory& memory) {
  return show(static_cast<long>(memory.heap)) + " KiB of heap and " +
         show(static_cast<long>(memory.resident)) + " KiB resident";
}

void link_once(Check& check, const Options& options, int i) {
  Linker linker(both(InputType::cubin), options);
  const std::string image = linker.link();
  if (i % 100 == 0) runs(check, image);
}

void fail_once(Check& check, const Options& options) {
  Linker wrong({Input::bytes(InputType::cubin, code(InputType::cubin).kernel, "alone")}, options);
  try {
    (void)wrong.link();
    check.fail("a symbol is missing, and it was linked");
  } catch (const LinkError&) {
  }
}

// Bytes a link, of heap and resident, after a warm-up.
struct Growth {
  double heap = 0;
  double resident = 0;
  std::string text;
};

template <typename LinkOnce>
Growth growth_of(Check& check, int links, LinkOnce link) {
  const int warm_up = links / 5;
  Memory before = {};
  for (int i = 0; check && i < links; ++i) {
    if (i == warm_up) before = now();
    link(i);
  }
  const Memory after = now();
  Growth growth;
  growth.heap = (after.heap - before.heap) * 1024 / (links - warm_up);
  growth.resident = (after.resident - before.resident) * 1024 / (links - warm_up);
  growth.text = "after " + show(warm_up) + " links " + describe(before) + ", after " + show(links) +
                " " + describe(after) + ": " + show(growth.heap) + " and " + show(growth.resident) +
                " bytes a link";
  return growth;
}

void good_links(Backend backend) {
  Check check(std::string("10,000 links: ") + name_of(backend));
  const Options options = options_for({"", backend});
  const Growth growth =
      growth_of(check, quick() ? 100 : 10000, [&](int i) { link_once(check, options, i); });
  check.detail(growth.text);
  if (quick()) return;  // a memory checker holds freed memory back
  // One image or log that is kept would be thousands of bytes a link.
  EXPECT(check, growth.heap < 64);
  EXPECT(check, growth.resident < 256);
}

// NVIDIA's linkers keep memory after a failed link; calls of their functions without anycuda keep
// the same.
void failing_links(Backend backend) {
  Check check(std::string("1,000 links that fail keep no more than the backend itself: ") +
              name_of(backend));
  const int links = quick() ? 20 : 1000;
  const Options options = options_for({"", backend});
  const Code& parts = code(InputType::cubin);
  const Growth own = growth_of(check, links, [&](int) {
    EXPECT(check, (backend == Backend::driver ? raw_driver_link(check, parts, false)
                                              : raw_nvjitlink_link(check, parts, false))
                      .empty());
  });
  const Growth ours = growth_of(check, links, [&](int) { fail_once(check, options); });
  check.detail(ours.text);
  check.detail("by the backend's own functions " + own.text);
  if (!quick()) EXPECT(check, ours.heap < own.heap + 512);
}

void grows(Backend backend) {
  use_device();
  good_links(backend);
  failing_links(backend);
}

}  // namespace

void growth_nvjitlink() {
  if (has_nvjitlink()) grows(Backend::nvjitlink);
}
void growth_driver() { grows(Backend::driver); }

}  // namespace gputest
