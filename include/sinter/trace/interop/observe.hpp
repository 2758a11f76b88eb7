#pragma once
// observe(): names a value, for functions that look at the values of a compiled function.

#include <string_view>  // std::string_view

#include <sinter/config.hpp>
#include <sinter/trace/core/tensor.hpp>

namespace sinter::inline SINTER_ABI {

/// `x`, by a name that the patterns of observe(f, pattern, seen) find. Costs nothing, neither when
/// it is recorded nor in replays, while nobody looks.
Tensor observe(Operand x, std::string_view name);

namespace detail {

/// A function of the user that gets values with their names.
class ObserverFunction {
 public:
  virtual ~ObserverFunction() = default;
  virtual void operator()(std::string_view name, const Tensor& value) const = 0;
};

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/interop/observe.ipp>
#endif
