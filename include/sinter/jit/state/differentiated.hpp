#pragma once
// Calls of compiled functions while gradients are being found outside of recordings: the program
// of the call keeps what a second program, that of the gradient, reads; the results remember both.

#include <cstdint>  // std::int64_t
#include <memory>   // std::shared_ptr
#include <span>     // std::span
#include <vector>   // std::vector

#include <sinter/config.hpp>
#include <sinter/device/host/storage.hpp>
#include <sinter/graph/callee.hpp>
#include <sinter/jit/state/variant.hpp>
#include <sinter/trace/core/evaluate.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

/// True if a call of a compiled function was differentiated outside of recordings in this process.
bool has_compiled_gradients();

/// What a call computed, and from what.
struct CalledValues {
  std::shared_ptr<const Callee> callee{};
  std::vector<std::int64_t> sizes{};
  std::vector<LazyValue> operands{};
  std::vector<TensorType> types{};  ///< Of the results.
  std::vector<Storage> elements{};  ///< Of the results.
};

/// The results that are wanted, as values that remember the call until the gradient is found;
/// the others are undefined.
std::vector<Tensor> remembering(CalledValues values, const std::vector<bool>& wanted, Where where);

namespace detail {

/// An operand that is no variable: with these elements, or one element of 64 bits at most.
LazyValue evaluated_operand(TensorType type, Storage elements);
LazyValue evaluated_operand(TensorType type, const void* element);

}  // namespace detail

/// Lets those tensors of the call that vary with the wanted leaves remember it.
void remember_call(const Variant& variant, std::span<const guard::Leaf> leaves,
                   std::span<const std::int64_t> symbols, Memory& memory);

}  // namespace sinter::inline SINTER_ABI::detail::jit

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/state/differentiated.ipp>
#endif
