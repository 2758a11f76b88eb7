#pragma once
// Concatenation and splitting along an axis.

#include <concepts>          // std::convertible_to
#include <initializer_list>  // std::initializer_list
#include <string_view>       // std::string_view
#include <vector>            // std::vector

#include <sinter/config.hpp>
#include <sinter/trace/core/tensor.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

/// Several operands, in braces or any container, with the source line where they were written.
class OperandList {
 public:
  OperandList(std::initializer_list<Operand> operands, Where at = Where::current());
  template <class Container>
  requires(!std::convertible_to<Container, Operand> &&
           requires(const Container& container) {
             { *container.begin() } -> std::convertible_to<Tensor>;
             container.end();
           }) OperandList(const Container& operands, Where at = Where::current())
      : where(at) {
    for (const auto& operand : operands) list.emplace_back(operand, at);
  }

  std::vector<Operand> list{};
  Where where;
};

/// Extents along an axis: one for all parts (the last may be smaller), or one for each part.
class SplitSizes {
 public:
  SplitSizes(std::integral auto size) : SplitSizes(Extent(size)) {}
  SplitSizes(Extent size);
  SplitSizes(std::initializer_list<Extent> sizes);
  SplitSizes(std::vector<Extent> sizes);
  SplitSizes(const std::vector<std::int64_t>& sizes);

  bool for_each() const { return for_each_; }
  const std::vector<Extent>& list() const { return list_; }

 private:
  std::vector<Extent> list_;
  bool for_each_ = false;
};

}  // namespace detail

/// The tensors one after the other along `axis`.
///
/// Shapes   equal but for `axis`, along which extents are added
/// DTypes   promoted
/// Throws   ValueError for an empty list; ShapeError if ranks or other extents differ
/// Gradient the corresponding slice of g
Tensor concatenate(detail::OperandList tensors, int axis = 0);
/// torch's name for concatenate.
Tensor cat(detail::OperandList tensors, int axis = 0);
/// Stacks tensors of equal shape along a new axis.
Tensor stack(detail::OperandList tensors, int axis = 0);
/// Along the second axis; along the first one for vectors.
Tensor hstack(detail::OperandList tensors);
/// Along the first axis; vectors are rows.
Tensor vstack(detail::OperandList tensors);

/// The `length` elements along `axis` from `start` on.
///
/// Throws   ValueError if they are out of range
/// Gradient g with zeros around it
Tensor narrow(Operand x, int axis, Extent start, Extent length);
/// Parts of the given `sizes` along `axis`; with a single size, the last part may be smaller. For a
/// symbolic extent only the number of parts is fixed: a call with another number is recorded again.
///
/// Throws   ValueError for a size of 0 or less, or if the sizes do not add up to the extent
std::vector<Tensor> split(Operand x, detail::SplitSizes sizes, int axis = 0);
/// At most `chunks` parts along `axis`; all but the last are of equal size.
///
/// Throws   ValueError if chunks < 1
std::vector<Tensor> chunk(Operand x, std::int64_t chunks, int axis = 0);
/// The slices along `axis`, which is dropped.
std::vector<Tensor> unbind(Operand x, int axis = 0);

namespace detail {

/// Throws ValueError in the name of `op` if the list is empty.
void require_tensors(const OperandList& tensors, std::string_view op);
/// A slice along `axis` that is known to be in range: nothing is checked or clipped.
Tensor part(const Tensor& x, int axis, Extent start, Extent length, Where where);

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/ops/movement/concatenate.ipp>
#endif
