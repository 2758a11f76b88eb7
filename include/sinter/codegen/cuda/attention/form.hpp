#pragma once
// Which row-tiled kernels a GPU runs in streaming form (online softmax), and in which types.

#include <utility>  // std::move

#include <sinter/base/container/optional.hpp>
#include <sinter/codegen/cuda/nest/options.hpp>
#include <sinter/codegen/cuda/nest/piece.hpp>
#include <sinter/codegen/text/layout.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/tile/streaming_form.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

using schedule::RunningReduction;
using schedule::StreamingAccumulator;
using schedule::StreamingDot;
using schedule::StreamingForm;

/// The streaming form of a kernel, and how its products are computed.
struct CudaStreamingForm {
  StreamingForm form{};
  bool mma = false;  ///< Products on tensor cores, else on CUDA cores.
  DType dtype{};     ///< Type of the operands.
};

/// Type in which scores and output sums are accumulated.
inline DType sum_dtype(const CudaStreamingForm& how) { return how.mma ? DType(f32) : how.dtype; }

namespace detail {

// The operand type that all products of `form` share, if it is bf16 or f16.
inline std::optional<DType> common_operand_dtype(const StreamingForm& form) {
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
inline bool is_long_function(const Instruction& one) {
  return one.code == Code::compute &&
         (one.op == Op::tanh || one.op == Op::sin || one.op == Op::cos || one.op == Op::erf ||
          one.op == Op::pow || one.op == Op::log);
}

/// True if computing a score needs few registers: few instructions, no long functions, and no loads
/// indexed by row and step.
inline bool needs_few_registers(const StreamingForm& form) {
  for (std::size_t id = 0; id < form.code.instructions.size(); ++id) {
    const Instruction& one = form.code.instructions[id];
    const schedule::StreamingFacts& of = form.facts[id];
    if (one.code == Code::random || is_long_function(one)) return false;
    if (one.code == Code::load && of.row && of.step && !of.inner) return false;
  }
  return form.code.instructions.size() <= 36;
}

/// True if computing a score needs many registers: random bits, long functions, fault reports.
inline bool needs_many_registers(const StreamingForm& form) {
  for (std::size_t id = 0; id < form.code.instructions.size(); ++id) {
    const Instruction& one = form.code.instructions[id];
    const bool wide = one.code == Code::random || is_long_function(one) || schedule::can_fault(one);
    if (wide && form.facts[id].step && !form.facts[id].inner) return true;
  }
  return false;
}

}  // namespace detail

/// The streaming form of `kernel`, if it has one. None if `strict`, where sums keep their order.
/// With `tf32`, tensor cores multiply f32 as well.
inline Optional<CudaStreamingForm> cuda_streaming_form(const Kernel& kernel,
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
