// The guard rails' verdicts in words. Every message has the rule that failed in its first line,
// then what was found where, then what would help.
#pragma once

#include <string>

#include "compat/library/guard_rails_order.h"

namespace anycuda::compat {

// Throws the error that a refusal is. `loaded`: the library is in the process already.
[[noreturn]] void refuse(const Policy& policy, const Finding& finding, const DriverKnown& driver,
                         const Judgement& judgement, bool loaded);

[[noreturn]] void refuse_pipeline(const BrokenFlow& flow);

// The driver rule needs a driver, and there is none or it does not answer.
[[noreturn]] void refuse_without_driver(const Policy& policy, const Finding& finding,
                                        const std::string& cause, bool loaded);

[[noreturn]] void refuse_unopened(const Item& item, const std::string& cause);

}  // namespace anycuda::compat
