#pragma once

#include <utility>  // std::move

#include <sinter/codegen/cuda/attention/form.hpp>
#include <sinter/codegen/cuda/nest/piece.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

namespace detail {

// The operand type that all products of `form` share, if it is bf16 or f16.
SINTER_INLINE std::optional<DType> common_operand_dtype(const StreamingForm& form) {
  const auto dtype = [&](ValueId id) {
    return form.code.instructions[before_widening(form.code, id)].dtype;
  };
  std::optional<DType> result;
  const auto add = [&](ValueId id) {
    const DType one = dtype(id);
    const bool first = !result;
    if (first) result = one;
    return *result == one && is_half(one);
  };
  for (const StreamingDot& dot : form.dots) {
    if (!add(dot.left) || !add(dot.right)) return {};
  }
  for (const StreamingAccumulator& sum : form.accumulators) {
    if (!add(sum.value) || !add(sum.right)) return {};
  }
  return result;
}

// A function that compiles to many instructions.
SINTER_INLINE bool is_long_function(const Instruction& one) {
  return one.code == Code::compute &&
         (one.op == Op::tanh || one.op == Op::sin || one.op == Op::cos || one.op == Op::erf ||
          one.op == Op::pow || one.op == Op::log);
}

SINTER_INLINE bool needs_few_registers(const StreamingForm& form) {
  for (std::size_t id = 0; id < form.code.instructions.size(); ++id) {
    const Instruction& one = form.code.instructions[id];
    const schedule::StreamingFacts& of = form.facts[id];
    if (one.code == Code::random || is_long_function(one)) return false;
    if (one.code == Code::load && of.row && of.step && !of.inner) return false;
  }
  return form.code.instructions.size() <= 36;
}

SINTER_INLINE bool needs_many_registers(const StreamingForm& form) {
  for (std::size_t id = 0; id < form.code.instructions.size(); ++id) {
    const Instruction& one = form.code.instructions[id];
    const bool wide = one.code == Code::random || is_long_function(one) || schedule::can_fault(one);
    if (wide && form.facts[id].step && !form.facts[id].inner) return true;
  }
  return false;
}

}  // namespace detail

SINTER_INLINE Optional<CudaStreamingForm> cuda_streaming_form(const Kernel& kernel,
                                                              const CudaOptions& options) {
  if (options.strict || !schedule::is_row_tiled(kernel)) return {};
  auto form = schedule::streaming_form(kernel, options.target.streaming);
  if (!form) return {};
  const DType sums = form->dtype;
  const auto factors = detail::common_operand_dtype(*form);
  const bool has_cores = options.target.multiprocessors.has_tensor_cores;
  const bool half = has_cores && factors && sums == f32;
  const bool mma = half || (has_cores && options.tf32 && sums == f32);
  return CudaStreamingForm{std::move(*form), mma, half ? *factors : sums};
}

}  // namespace sinter::inline SINTER_ABI::detail::codegen
