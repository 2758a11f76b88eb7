#pragma once
// SINTER_CHECK=nan: stops at the first kernel that makes NaN or infinity of finite numbers.

#include <sinter/base/container/span.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/base/where.hpp>
#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>
#include <sinter/jit/interface/parts.hpp>
#include <sinter/jit/lower/program.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

/// An operation that made NaN or infinity of finite numbers.
struct NonFinite {
  CalledFunction called{};  ///< The function that the user called, and where.
  Op op{};
  std::string element{};                ///< "[0, 3]"
  std::string result{};                 ///< "-inf"
  std::vector<std::string> operands{};  ///< Their values; what a sum adds up as a range.
};

/// The operations of `graph` that make NaN or infinity of finite numbers, in order. Not those whose
/// result is masked at once, as by where(x > 0, log(x), 0).
Vector<NonFinite> non_finite_operations(const Graph& graph, Span<const Storage> inputs,
                                        Span<const std::int64_t> symbols);

/// True if an element of the array, of a floating dtype, is NaN or infinite.
bool has_non_finite(DType dtype, const void* elements, std::size_t count);

/// Runs `program` on `memory`. Throws ValueError, with the line of the operation, its operands and
/// the name of the kernel, if a kernel makes NaN or infinity of finite numbers.
void run_checked(const Program& program, const CallMemory& memory);
/// The same as runtime::interpret(), for expressions outside of compiled functions.
Vector<Storage> interpret_checked(const Graph& graph, Span<const Storage> inputs);

}  // namespace sinter::inline SINTER_ABI::detail::jit

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/lower/check_numerics.ipp>
#endif
