#pragma once
// Additions to elements that are found by an index: which of their steps threads may make at once.

#include <optional>  // std::optional

#include <sinter/codegen/text/layout.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

/// True if a store of the kernel adds to what is there. Steps of its loops may meet at one element.
bool adds_to_memory(const Kernel& kernel);

/// True if what is added to one element may be added in any order, by any thread: an instruction of
/// the GPU adds it. Sums of floating numbers keep their order under `strict`; GPUs have no such
/// instruction for bytes.
bool adds_at_once(const Instruction& store, bool strict);

/// `kernel` with each step of its loops as a point of the grid, so that all threads share them, if
/// all that it does is to add at once. The loops that neighbouring threads share come last.
std::optional<Kernel> spread_additions(const Kernel& kernel, bool strict);

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/cuda/nest/atomics.ipp>
#endif
