#pragma once
// Device-side control flow in CUDA graphs: the kernels that evaluate conditions and advance loops,
// and how kernels inside a body read their arguments.
//
// The nodes of a body are fixed once a graph is instantiated, but each iteration of a loop uses
// different buffers. So kernels in bodies read their arguments from words in device memory, which
// the host and the kernels below write.

#include <array>  // std::array

#include <sinter/base/source.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

/// The kernels of ControlKernel. `table` is the position of a LoopTable in `words`:
///
/// decide(condition, otherwise, words, at, faults, count): sets `condition` to the bool whose
///   address is words[at], and `otherwise`, unless it is 0, to its negation.
/// enter(condition, words, table, faults, count): starts a loop. Sets the condition of a scan.
/// step(condition, words, table, faults, count): makes the states that the last iteration wrote the
///   input of the next. Sets the condition of a scan.
/// finish(words, table): copies final states to the results unless they are there already.
///
/// A loop ends early when an iteration reports a fault, that is, when one of `count` fault words is
/// not 0; words[faults] is the address of the first.
///
/// All run in one block, except finish, which may use many.
std::array<Source, 4> cuda_control_kernels();

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/cuda/control.ipp>
#endif
