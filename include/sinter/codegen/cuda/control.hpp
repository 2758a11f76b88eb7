#pragma once
// Branches and loops that a GPU decides by itself: how kernels in their bodies find their
// arguments, and the kernels that take the decisions.
//
// The nodes of a body cannot be changed once a graph is made, and a loop hands other memory to each
// of its steps. So the arguments of kernels in bodies are words in memory of the device, which the
// host and the kernels here write.

#include <array>   // std::array
#include <string>  // std::string

#include <sinter/base/source.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

/// The text of a kernel, but that its function is
///
///     name(const unsigned long long* words, long word0, long word1, ...)
///
/// and argument i is the word `wordi`.
std::string with_arguments_in_memory(const std::string& function);

/// Those of ControlKernel, which end with `words` and what they read there; a table is a LoopTable:
///
/// decide(condition, otherwise, words, at, faults, count): sets the condition, and the other one to
///   the contrary if it is not 0, to the bool whose address is the word `at`.
/// enter(condition, words, table, faults, count): a loop begins. Sets the condition of a scan.
/// step(condition, words, table, faults, count): the next step reads what the last one wrote. Sets
///   the condition of a scan.
/// finish(words, table): copies the states to the results where they are not there.
///
/// A loop ends where a step finds data at fault: where there is one among `count` words for faults,
/// the address of the first of which is the word `faults`.
///
/// They run in one block, but finish, which may have many.
std::array<Source, 4> cuda_control_kernels();

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/cuda/control.ipp>
#endif
