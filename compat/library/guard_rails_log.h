// SPDX-License-Identifier: Apache-2.0

// What the guard rails write to ANYCUDA_LOG (compat/base/log.h), in the form of the stubs' lines.
// info: the accepted components, and those that were passed over. debug: every step. A text is made
// only if it is written.
#pragma once

#include <string>

#include "compat/library/guard_rails_messages.h"

namespace anycuda::compat {

void log_candidate(const ComponentInstance& candidate);
void log_refused(const Component& component, const Refusal& refusal);
void log_used(const ComponentInstance& instance);
void log_no_driver(const Component& component, const std::string& cause);
void log_not_found(const Component& component, const std::string& what);
void log_opening(const Component& component, const std::string& name);
void log_not_opened(const Component& component, const std::string& name, const std::string& cause);
void log_pipeline(const Pipeline& pipeline, bool declared);

}  // namespace anycuda::compat
