#pragma once
// Calls of compiled functions that are differentiated outside of recordings: the forward program
// saves what the backward program reads, and the results refer to both.

#include <cstdint>  // std::int64_t
#include <vector>   // std::vector

#include <sinter/base/container/shared_ptr.hpp>
#include <sinter/base/container/span.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/device/host/storage.hpp>
#include <sinter/graph/callee.hpp>
#include <sinter/jit/state/variant.hpp>
#include <sinter/trace/core/evaluate.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

/// True if a call of a compiled function was differentiated outside of recordings in this process.
bool has_compiled_gradients();

/// The operands and the results of a call that is differentiated.
struct DifferentiatedCall {
  SharedPtr<const Callee> callee{};
  std::vector<std::int64_t> sizes{};
  Vector<LazyValue> operands{};
  Vector<TensorType> types{};  ///< Of the results.
  Vector<Storage> elements{};  ///< Of the results.
};

/// The results for which `wanted` is true, as values that keep the call for the backward pass. The
/// others are undefined.
std::vector<Tensor> with_grad_fn(DifferentiatedCall values, const Vector<bool>& wanted,
                                 Where where);

namespace detail {

/// An operand that is not a variable: with these elements, or with one element of at most 64 bits.
LazyValue evaluated_operand(TensorType type, Storage elements);
LazyValue evaluated_operand(TensorType type, const void* element);

}  // namespace detail

/// Gives the tensors of the call that depend on leaves requiring gradients their gradient function.
void attach_grad_fn(const Variant& variant, Span<const guard::Leaf> leaves,
                    Span<const std::int64_t> symbols, CallMemory& memory);

}  // namespace sinter::inline SINTER_ABI::detail::jit

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/state/differentiated.ipp>
#endif
