// SPDX-License-Identifier: Apache-2.0

// Nothing but the precompiled headers that the tests share (CMakeLists.txt).
