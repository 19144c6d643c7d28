// SPDX-License-Identifier: Apache-2.0

// The facts of a set of headers, in words and numbers that do not depend on the headers. Two sets,
// which cannot be included in one file, are compared by them.
#pragma once
#include <cxxabi.h>

#include <cstdlib>
#include <map>
#include <string>
#include <type_traits>
#include <typeinfo>

namespace api_test {

struct Facts {
  std::map<std::string, long long> numbers;
  std::map<std::string, std::string> functions;
};

// A type as both sets spell it: enumerations are their integers, anycuda's without a namespace.
template <typename T>
struct Spelled {
  static std::string text() {
    if constexpr (std::is_enum_v<T>) {
      return Spelled<std::underlying_type_t<T>>::text();
    } else {
      // Of a pointer: the type itself may be undefined.
      char* demangled = abi::__cxa_demangle(typeid(T*).name(), nullptr, nullptr, nullptr);
      std::string name = demangled;
      std::free(demangled);
      name.pop_back();
      const std::string space = "anycuda::api::";
      return name.rfind(space, 0) == 0 ? name.substr(space.size()) : name;
    }
  }
};
template <typename T>
struct Spelled<const T> {
  static std::string text() { return Spelled<T>::text() + " const"; }
};
template <typename T>
struct Spelled<T*> {
  static std::string text() { return Spelled<T>::text() + "*"; }
};
template <typename Result, typename... Arguments>
struct Spelled<Result(Arguments...)> {
  static std::string text() {
    std::string all = Spelled<Result>::text() + "(";
    return ((all += Spelled<Arguments>::text() + ", "), ...), all + ")";
  }
};

struct Number {
  const char* name;
  long long value;
};
struct Function {
  const char* name;
  std::string (*text)();
};

Facts ours();
Facts nvidias_12_9();
Facts nvidias_13_5();

}  // namespace api_test
