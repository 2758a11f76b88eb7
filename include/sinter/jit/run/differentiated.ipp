#pragma once

#include <utility>  // std::move

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/graph/callee.hpp>
#include <sinter/jit/run/differentiated.hpp>
#include <sinter/jit/run/tape_graph.hpp>
#include <sinter/trace/core/evaluate.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

namespace detail {

SINTER_INLINE Vector<bool> leaves_with_grad(const Tracer& tracer) {
  Vector<bool> result;
  const auto note = [&](const Tensor& tensor) {
    result.push_back(is_floating(tensor.type().dtype) && depends_on_variable(tensor));
  };
  const RecorderScope outside(nullptr);
  for (const guard::Leaf& leaf : tracer.real().list) note(*leaf.tensor);
  for (const Outside& one : tracer.recorder().outside()) note(one.tensor);
  const bool any = contains(result, true);
  return any ? result : Vector<bool>();
}

SINTER_INLINE Vector<bool> inputs_requiring_grad(const Tracer& tracer,
                                                 const std::vector<Tensor>& inputs,
                                                 Span<const DifferentiatedSegment> calls) {
  Vector<bool> result;
  for (const Tensor& input : inputs) {
    const LazyRef& lazy = input.lazy();
    const Tensor* const real = is_input(*lazy) ? real_of(tracer, *lazy) : nullptr;
    bool is_wanted = real != nullptr && is_floating(real->lazy()->node.results[0].dtype) &&
                     depends_on_variable(*real);
    for (const DifferentiatedSegment& called : calls) {
      for (std::size_t i = 0; i < called.outputs.size(); ++i) {
        is_wanted = is_wanted || (called.has_grad[i] && called.outputs[i] == lazy);
      }
    }
    result.push_back(is_wanted);
  }
  return result;
}

SINTER_INLINE Vector<LazyRef> values_of_outputs(const Segment& segment, const Tape& tape) {
  Vector<LazyRef> result;
  for (const std::uint32_t position : segment.outputs) {
    const LazyRef& lazy = tape.values()[position];
    const bool is_one = lazy->node.results.size() == 1;
    for (std::size_t i = 0; i < lazy->node.results.size(); ++i) {
      result.push_back(is_one ? lazy : LazyRef());
    }
  }
  return result;
}

SINTER_INLINE void attach_grad_fns(Vector<DifferentiatedSegment> calls, Where where) {
  for (DifferentiatedSegment& called : calls) {
    const std::vector<Tensor> results =
        with_grad_fn(std::move(called.values), called.has_grad, where);
    for (std::size_t i = 0; i < called.outputs.size(); ++i) {
      const LazyRef& lazy = called.outputs[i];
      if (!lazy || !called.has_grad[i] || !results[i].defined()) continue;
      lazy->node = results[i].lazy()->node;
      lazy->operands = results[i].lazy()->operands;
      lazy->expression = nullptr;
      values_with_operands->push_back(lazy);
    }
  }
}

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI::detail::jit
