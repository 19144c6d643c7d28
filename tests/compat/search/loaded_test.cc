// Look-ups in what the process has loaded, of real objects.
#include "compat/search/machine/loaded.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <initializer_list>
#include <string>

#include "compat/base/arena.h"
#include "compat/search/machine/interpreter.h"

namespace anycuda {
namespace {

// The values are those of the ELF specification's example and of DT_GNU_HASH's first description.
TEST(GnuHash, IsTheLinkers) {
  EXPECT_EQ(gnu_hash(""), 0x1505U);
  EXPECT_EQ(gnu_hash("printf"), 0x156b2bb8U);
  EXPECT_EQ(gnu_hash("exit"), 0x7c967e3fU);
  EXPECT_EQ(gnu_hash("syscall"), 0xbac212a0U);
}

TEST(LoadedSymbols, AreFoundWhereDlsymFindsThem) {
  for (const char* name :
       {"printf", "malloc", "dlsym", "qsort", "strlen", "__cxa_throw", "_Znwm"}) {
    ASSERT_NE(dlsym(RTLD_DEFAULT, name), nullptr) << name;
    EXPECT_TRUE(is_defined(name));
    for (const char* end : {"_", "1", "x", "_of_nobody"}) {
      const std::string other = std::string(name) + end;
      if (dlsym(RTLD_DEFAULT, other.c_str()) == nullptr) EXPECT_FALSE(is_defined(other.c_str()));
    }
  }
  EXPECT_FALSE(is_defined(""));
}

// A program reads dlerror() after its own failed look-up, whenever the first call was made.
TEST(ThisInterpreter, LeavesThePendingErrorOfTheDynamicLinker) {
  Arena arena;
  ASSERT_EQ(dlsym(RTLD_DEFAULT, "anycuda_no_such_symbol"), nullptr);
  EXPECT_FALSE(this_interpreter(&arena).is_python());
  const char* error = dlerror();
  ASSERT_NE(error, nullptr);
  EXPECT_NE(std::string(error).find("anycuda_no_such_symbol"), std::string::npos) << error;
}

}  // namespace
}  // namespace anycuda
