#pragma once
// Axis arguments: one axis, several or all; negative axes count from the end.

#include <concepts>          // std::integral
#include <cstdint>           // std::int64_t
#include <initializer_list>  // std::initializer_list
#include <string_view>       // std::string_view
#include <vector>            // std::vector

#include <sinter/base/container/vector.hpp>
#include <sinter/base/where.hpp>
#include <sinter/config.hpp>
#include <sinter/trace/core/handle.hpp>

namespace sinter::inline SINTER_ABI {

/// An axis, a list of axes, or all_axes.
class Axes {
 public:
  Axes() = default;
  Axes(std::integral auto axis) : list_{static_cast<int>(axis)}, all_(false) {}
  Axes(std::initializer_list<int> axes);
  Axes(const std::vector<int>& axes);

  bool all() const { return all_; }
  const detail::Vector<int>& list() const { return list_; }

 private:
  detail::Vector<int> list_;
  bool all_ = true;
};

/// Every axis: what reductions work on unless told otherwise.
inline const Axes all_axes{};

namespace detail {

/// `axis` as a non-negative number. Throws IndexError in the name of `op` if `x` has no such axis.
int axis_of(int axis, const Tensor& x, std::string_view op, Where where);

/// The axes as non-negative numbers, ascending. Axes 0 and -1 of a rank-0 tensor give an empty
/// list. Throws IndexError if `x` has no such axis; ValueError if one is named twice.
std::vector<std::int64_t> axes_of(const Axes& axes, const Tensor& x, std::string_view op,
                                  Where where);

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI

#include <sinter/trace/core/tensor.hpp>

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/core/axis.ipp>
#endif
