#pragma once
// What a run keeps for gradients that are being found outside of it.

#include <span>    // std::span
#include <vector>  // std::vector

#include <sinter/config.hpp>
#include <sinter/jit/record/session.hpp>
#include <sinter/jit/state/differentiated.hpp>
#include <sinter/jit/state/segment.hpp>
#include <sinter/trace/value/tape.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

/// A segment that ran while gradients were being found.
struct Called {
  CalledValues values{};
  std::vector<bool> varying{};
  std::vector<LazyRef> outputs{};  ///< The value of each output, but for those that are kept only.
};

namespace detail {

/// Which leaves, and then which tensors of outside, gradients are being found for outside of the
/// session; empty if there are none.
std::vector<bool> wanted_of(const RecordingSession& session);
/// The same for inputs of a segment. Values that were computed before a graph break, by `calls`,
/// are wanted if they vary.
std::vector<bool> wanted_inputs(const RecordingSession& session, const std::vector<Tensor>& inputs,
                                std::span<const Called> calls);
/// The value of each output of the graph of `segment`, but for those that are kept only.
std::vector<LazyRef> values_of_outputs(const Segment& segment, const Tape& tape);
/// The values of a run, which are values of the program now, remember what they were computed by.
void install_operands(std::vector<Called> calls, Where where);

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI::detail::jit

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/run/differentiated.ipp>
#endif
