#pragma once
// The collectives that users call: operations of the graph that all ranks run in the same order.

#include <sinter/base/where.hpp>
#include <sinter/config.hpp>
#include <sinter/dist/collective/rank_error.hpp>
#include <sinter/dist/collective/reduce.hpp>
#include <sinter/trace/context/tensor_spec.hpp>
#include <sinter/trace/core/tensor.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail::collective {

struct Collective;

/// Records `collective` of `x`, with a result of this shape. Outside of recordings it runs at once,
/// so that collectives keep the order of the program.
Tensor record(const Collective& collective, const Tensor& x, Shape shape);
/// Throws DTypeError if `collective` cannot reduce elements of the dtype of `x`.
void require_reducible(const Collective& collective, const Tensor& x);

}  // namespace detail::collective

namespace dist {

/// A group of ranks, made by World::split() or a Mesh. By default it has all ranks.
class Group {
 public:
  Group() = default;
  explicit Group(int number) : number_(number) {}

  /// The rank of this process in the group, from 0 on. Throws ValueError without a World.
  int rank(Where where = Where::current()) const;
  /// The number of ranks. Throws ValueError without a World.
  int size(Where where = Where::current()) const;
  int number() const { return number_; }

 private:
  int number_ = 0;
};

/// The elementwise reduction of the tensors of all ranks, the same on each rank. On the host the
/// order of additions depends only on the number of ranks; on GPUs NCCL chooses it.
///
/// Shapes    x, the result: any, equal on all ranks
/// DTypes    sum: numbers, mean: floating, min and max: any; on the host 16-bit elements are added
///           in f32
/// Gradient  sum and mean: the same reduction of the gradients of all ranks; min and max: the sum
///           of the gradients, in equal parts for the ranks that hold the extremum
/// Throws    DTypeError if the dtype has no such reduction; DeviceError on a GPU without NCCL;
///           ValueError without a World, or if another thread runs a collective; RankError if the
///           calls of the ranks differ or a rank fails
Tensor all_reduce(Operand x, Reduce reduce = Reduce::sum, Group group = {});

/// The tensors of all ranks, concatenated along `axis` in rank order.
///
/// Shapes    x: equal on all ranks; the result: size(axis) times the number of ranks
/// Gradient  reduce_scatter, sum
/// Throws    IndexError if there is no such axis; otherwise as all_reduce
Tensor all_gather(Operand x, int axis = 0, Group group = {});

/// Reduces the tensors of all ranks; each rank gets its part of the result along `axis`.
///
/// Shapes    x: equal on all ranks; the result: size(axis) divided by the number of ranks
/// DTypes    as all_reduce
/// Gradient  sum: all_gather; mean: the same, divided by the number of ranks; min and max: the
///           gathered gradient, in equal parts for the ranks that hold the extremum
/// Throws    IndexError if there is no such axis; ShapeError unless the number of ranks divides it;
///           otherwise as all_reduce
Tensor reduce_scatter(Operand x, int axis = 0, Reduce reduce = Reduce::sum, Group group = {});

/// The tensor of rank `root`, on all ranks.
///
/// Shapes    x: equal on all ranks
/// Gradient  rank `root` gets the sum of the gradients of all ranks, the others zeros
/// Throws    IndexError if there is no rank `root`; otherwise as all_reduce
Tensor broadcast(Operand x, int root = 0, Group group = {});

/// Sends part i of x along `axis` to rank i, and concatenates the parts that it receives along
/// `axis`, in rank order.
///
/// Shapes    x, the result: equal on all ranks
/// Gradient  all_to_all
/// Throws    as reduce_scatter
Tensor all_to_all(Operand x, int axis = 0, Group group = {});

/// Waits until all ranks have called it. A compiled function waits in each call, at the same place.
///
/// Throws    GraphBreakError in a branch or a while_loop; otherwise as all_reduce
void barrier(Group group = {}, Where where = Where::current());

/// Sends x to rank `to`, which calls recv, and does not wait for it. Messages between two ranks
/// arrive in order. Tensors on a GPU go through the host. No gradient flows.
///
/// Throws    IndexError if there is no rank `to`; GraphBreakError in a branch or a while_loop;
///           ValueError without a World, or if another thread runs a collective; RankError after a
///           failure
void send(Operand x, int to);
/// Receives a tensor with the shape and dtype of `spec` from rank `from`. No gradient flows.
///
/// Throws    RankError if that rank sends another shape or dtype, or fails; otherwise as send
Tensor recv(const TensorSpec& spec, int from, Where where = Where::current());

}  // namespace dist

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/dist/collective/operations.ipp>
#endif
