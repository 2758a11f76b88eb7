#pragma once
// Tensors put together along an axis, and taken apart again.

#include <concepts>          // std::convertible_to
#include <initializer_list>  // std::initializer_list
#include <string_view>       // std::string_view
#include <vector>            // std::vector

#include <sinter/config.hpp>
#include <sinter/trace/core/tensor.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

/// Several operands, in braces or in any container, and the place where they were written.
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

/// Extents along an axis: one for all parts, the last of which may be smaller; or one for each.
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

/// The tensors behind each other along `axis`.
///
/// Shapes   equal but for `axis`, along which extents are added
/// DTypes   promoted
/// Throws   ValueError if there are none; ShapeError if another extent, or a rank, differs
/// Gradient the part of g that each tensor was
Tensor concatenate(detail::OperandList tensors, int axis = 0);
/// concatenate by its name in torch.
Tensor cat(detail::OperandList tensors, int axis = 0);
/// The tensors, of one shape, along a new axis.
Tensor stack(detail::OperandList tensors, int axis = 0);
/// Along the second axis; along the first one for vectors.
Tensor hstack(detail::OperandList tensors);
/// Along the first axis; vectors are rows.
Tensor vstack(detail::OperandList tensors);

/// `length` elements along `axis` from `start` on.
///
/// Throws   ValueError if they are not all there
/// Gradient g with zeros around it
Tensor narrow(Operand x, int axis, Extent start, Extent length);
/// Parts of `sizes` along `axis`; of one size, all but the last have it. Of a symbolic extent only
/// the number of parts is fixed: calls that take another number of them are recorded anew.
///
/// Throws   ValueError for a size of 0 or less, or if the sizes of all parts do not add up
std::vector<Tensor> split(Operand x, detail::SplitSizes sizes, int axis = 0);
/// At most `chunks` parts along `axis`, which are equal but for the last one.
///
/// Throws   ValueError if chunks < 1
std::vector<Tensor> chunk(Operand x, std::int64_t chunks, int axis = 0);
/// The slices along `axis`, which they do without.
std::vector<Tensor> unbind(Operand x, int axis = 0);

namespace detail {

/// Throws ValueError in the name of `op` if the list is empty.
void require_tensors(const OperandList& tensors, std::string_view op);
/// Elements along `axis` that are there: nothing is checked or clipped.
Tensor part(const Tensor& x, int axis, Extent start, Extent length, Where where);

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/ops/movement/concatenate.ipp>
#endif
