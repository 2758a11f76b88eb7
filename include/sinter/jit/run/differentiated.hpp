#pragma once
// What a traced call keeps for gradients that are being computed outside of it.

#include <vector>  // std::vector

#include <sinter/base/container/span.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/jit/record/tracer.hpp>
#include <sinter/jit/state/differentiated.hpp>
#include <sinter/jit/state/segment.hpp>
#include <sinter/trace/value/tape.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

/// A segment that was executed while gradients were being computed.
struct DifferentiatedSegment {
  DifferentiatedCall values{};
  Vector<bool> has_grad{};
  Vector<LazyRef>
      outputs{};  ///< The value of each output; null for those saved for the backward graph only.
};

namespace detail {

/// Which leaves, followed by captured tensors, require gradients; empty if none does.
Vector<bool> leaves_with_grad(const Tracer& tracer);
/// The same for the inputs of a segment. Values that earlier segments, `calls`, computed require
/// gradients if they depend on leaves that do.
Vector<bool> inputs_requiring_grad(const Tracer& tracer, const std::vector<Tensor>& inputs,
                                   Span<const DifferentiatedSegment> calls);
/// The value of each output of `segment`; null for those saved for the backward graph only.
Vector<LazyRef> values_of_outputs(const Segment& segment, const Tape& tape);
/// Gives the values of a traced call, which now are values of the program, their gradient function.
void attach_grad_fns(Vector<DifferentiatedSegment> calls, Where where);

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI::detail::jit

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/run/differentiated.ipp>
#endif
