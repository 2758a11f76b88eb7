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

/// Records `collective` of `x`, whose result has this shape. Outside of recordings it runs at once:
/// in the order of the program.
Tensor record(const Collective& collective, const Tensor& x, Shape shape);
/// Throws DTypeError if the elements of `x` cannot be reduced so.
void require_reducible(const Collective& collective, const Tensor& x);

}  // namespace detail::collective

namespace dist {

/// Some ranks of the World, as World::split() makes them; all of them by default.
class Group {
 public:
  Group() = default;
  explicit Group(int number) : number_(number) {}

  /// This process in the group, from 0 on. Throws ValueError without a World.
  int rank(Where where = Where::current()) const;
  int size(Where where = Where::current()) const;
  int number() const { return number_; }

 private:
  int number_ = 0;
};

/// The elements of all ranks, reduced; the same on each rank. On the host the order of additions
/// depends on the number of ranks only; on GPUs it is that of NCCL.
///
/// Shapes    x, the result: any, equal on all ranks
/// DTypes    sum: numbers, mean: floating, min and max: any; on the host 16-bit elements are added
///           in f32
/// Gradient  sum and mean: of the gradients of all ranks; min and max: their sum goes to the ranks
///           that hold the extremum, in equal parts
/// Throws    DTypeError; DeviceError on a GPU without NCCL; ValueError without a World; RankError
/// if ranks
///           disagree or fail
Tensor all_reduce(Operand x, Reduce reduce = Reduce::sum, Group group = {});

/// The tensors of all ranks, concatenated along `axis` in their order.
///
/// Shapes    x: equal on all ranks; the result: size(axis) times the number of ranks
/// Gradient  reduce_scatter, sum
/// Throws    IndexError for the axis; as all_reduce
Tensor all_gather(Operand x, int axis = 0, Group group = {});

/// Reduces the tensors of all ranks, of which each gets one part along `axis`.
///
/// Shapes    x: equal on all ranks; the result: size(axis) divided by the number of ranks
/// DTypes    as all_reduce
/// Gradient  all_gather
/// Throws    IndexError for the axis; ShapeError unless the number of ranks divides it; as
///           all_reduce
Tensor reduce_scatter(Operand x, int axis = 0, Reduce reduce = Reduce::sum, Group group = {});

/// The tensor of rank `root`, on all ranks.
///
/// Shapes    x: equal on all ranks
/// Gradient  rank `root` gets the sum of those of all ranks, others zero
/// Throws    IndexError for the rank; as all_reduce
Tensor broadcast(Operand x, int root = 0, Group group = {});

/// Part i of x along `axis` goes to rank i; what comes from the ranks is concatenated along it.
///
/// Shapes    x, the result: equal on all ranks
/// Gradient  all_to_all
/// Throws    as reduce_scatter
Tensor all_to_all(Operand x, int axis = 0, Group group = {});

/// Returns when all ranks have called it. In a compiled function: at its place in each replay.
///
/// Throws    GraphBreakError in a branch or a while_loop; as all_reduce
void barrier(Group group = {}, Where where = Where::current());

/// Sends x to rank `to`, which calls recv. Messages between two ranks arrive in order; it does not
/// wait for the other rank. Those of a GPU go through the host. No gradient flows.
///
/// Throws    IndexError for the rank; GraphBreakError in a branch or a while_loop
void send(Operand x, int to);
/// The tensor that rank `from` sends, which must be as `spec` says.
///
/// Throws    RankError if it is not, or if that rank fails; as send
Tensor recv(const TensorSpec& spec, int from, Where where = Where::current());

}  // namespace dist

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/dist/collective/operations.ipp>
#endif
