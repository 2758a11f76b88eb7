#pragma once

#include <utility>  // std::exchange, std::move

#include <sinter/base/public_call.hpp>
#include <sinter/dist/collective/gpu_transport.hpp>
#include <sinter/dist/collective/operations.hpp>
#include <sinter/dist/collective/rules.hpp>
#include <sinter/dist/collective/transport.hpp>
#include <sinter/trace/core/axis.hpp>
#include <sinter/trace/core/evaluate.hpp>
#include <sinter/trace/core/recorder.hpp>
#include <sinter/trace/ops/creation/create.hpp>
#include <sinter/trace/ops/movement/movement.hpp>
#include <sinter/trace/subgraph/body.hpp>
#include <sinter/trace/transform/effects.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail::collective {

SINTER_INLINE Transport& group_of(const Collective& collective) {
  return group(collective.group, op_of(collective), collective.where);
}

SINTER_INLINE void require_gpu_transport(const Collective& collective, const Tensor& x) {
  const std::string reason = gpu_transport() == nullptr
                                 ? "the program was compiled without -DSINTER_CUDA=1"
                                 : gpu_transport()->why_not();
  if (reason.empty()) return;
  const Device device = x.device(collective.where);
  throw DeviceError(
      {.op = op_of(collective),
       .what = "there is no NCCL, which runs collectives on GPUs",
       .facts = {{"x", text(to_string(x), " on ", to_string(device))}, {"reason", reason}},
       .fix = "install it: Debian's package libnccl2, or pip install "
              "nvidia-nccl-cu12 with its folder in LD_LIBRARY_PATH; or move the "
              "tensor: x.to(cpu())",
       .where = collective.where,
       .see = "distributed"});
}

// Records the node itself.
SINTER_INLINE Tensor run(const Collective& collective, const Tensor& x, Shape shape) {
  const Where where = collective.where;
  const std::vector<Tensor> operands{x};
  Tensor y =
      record_all(node_of(collective, {x.dtype(where), std::move(shape)}), operands, where)[0];
  if (current_body != 0) return y;
  Recorder* const recorder = current_recorder();
  if (recorder == nullptr) {
    evaluate(y, where);
  } else {
    recorder->add_collective(y);
    if (collective.is_between_two()) recorder->order_collectives();
  }
  return y;
}

// On a GPU the ranks divide axis 0, and i16, which NCCL does not have, is reduced as i32.
SINTER_INLINE Tensor record_on_gpu(Collective collective, const Tensor& x, const Shape& shape) {
  const Where where = collective.where;
  require_gpu_transport(collective, x);
  collective.on_gpu = true;
  const bool reduces = collective.kind == Kind::all_reduce ||
                       collective.kind == Kind::reduce_scatter || collective.kind == Kind::reduce;
  if (reduces && x.dtype(where) == i16) {
    return record_on_gpu(collective, x.to(i32), shape).to(i16);
  }
  if (collective.axis == 0 || !collective.is_along_axis()) return run(collective, x, shape);
  const int axis = std::exchange(collective.axis, 0), rank = static_cast<int>(shape.size());
  const auto permuted = [&](const Tensor& tensor, const AxisList& axes) {
    return permute({tensor, where}, std::vector<int>(axes.begin(), axes.end()));
  };
  const Tensor y =
      run(collective, permuted(x, axis_first(axis, rank)), moved_to_front(shape, axis));
  return permuted(y, axis_back(axis, rank));
}

SINTER_INLINE Tensor record(const Collective& collective, const Tensor& x, Shape shape) {
  group_of(collective);
  const bool on_gpu = x.device(collective.where).is_cuda() && !collective.is_between_two();
  return on_gpu ? record_on_gpu(collective, x, shape) : run(collective, x, std::move(shape));
}

SINTER_INLINE void require_reducible(const Collective& collective, const Tensor& x) {
  const DType dtype = x.dtype(collective.where);
  const bool is_sum = collective.reduce == dist::Reduce::sum;
  const bool is_mean = collective.reduce == dist::Reduce::mean;
  const bool fits = (!is_sum || dtype != boolean) && (!is_mean || is_floating(dtype));
  if (fits) return;
  throw DTypeError({.op = op_of(collective),
                    .what = text("there is no ", dist::to_string(collective.reduce),
                                 " of elements of this dtype"),
                    .facts = {{"x", to_string(x)}},
                    .rule = "sum takes numbers, mean floating-point elements, min and max any",
                    .fix = "convert x, x.to(f32), or use another dist::Reduce",
                    .where = collective.where,
                    .see = "distributed"});
}

SINTER_INLINE void require_rank(const Collective& collective, std::string_view name) {
  const int size = group_of(collective).size();
  if (collective.peer >= 0 && collective.peer < size) return;
  throw IndexError({.op = op_of(collective),
                    .what = "there is no such rank",
                    .facts = {{std::string(name), text(collective.peer)}, {"ranks", text(size)}},
                    .rule = "ranks are numbered from 0 on",
                    .fix = text("pass a rank from 0 to ", size - 1),
                    .where = collective.where,
                    .see = "distributed"});
}

SINTER_INLINE void require_parts(const Collective& collective, const Tensor& x) {
  const int size = group_of(collective).size();
  if (divides(size, x.shape()[collective.axis], collective.where)) return;
  throw ShapeError(
      {.op = op_of(collective),
       .what = "the axis cannot be divided among the ranks",
       .facts = {{"x", to_string(x)}, {"axis", text(collective.axis)}, {"ranks", text(size)}},
       .rule = "the number of ranks divides x.size(axis)",
       .fix = "pad the axis, or choose another one",
       .where = collective.where,
       .see = "distributed"});
}

// Records a collective that runs even if its result is not read.
SINTER_INLINE void record_effect(const Collective& collective, const Tensor& x, Shape shape) {
  const Tensor done = record(collective, x, std::move(shape));
  keep_side_effects(done, false, op_of(collective), collective.where);
}

}  // namespace detail::collective

SINTER_INLINE int dist::Group::rank(Where where) const {
  return detail::collective::group(number_, "dist::Group::rank", where).rank();
}

SINTER_INLINE int dist::Group::size(Where where) const {
  return detail::collective::group(number_, "dist::Group::size", where).size();
}

SINTER_INLINE Tensor dist::all_reduce(Operand x, Reduce reduce, Group group) {
  const detail::PublicCall call("dist::all_reduce", x.where);
  const detail::collective::Collective collective{.kind = detail::collective::Kind::all_reduce,
                                                  .reduce = reduce,
                                                  .group = group.number(),
                                                  .where = x.where};
  const Tensor tensor = x.tensor();
  detail::collective::require_reducible(collective, tensor);
  return detail::collective::record(collective, tensor, tensor.shape());
}

SINTER_INLINE Tensor dist::all_gather(Operand x, int axis, Group group) {
  const detail::PublicCall call("dist::all_gather", x.where);
  const Tensor tensor = x.tensor();
  const detail::collective::Collective collective{
      .kind = detail::collective::Kind::all_gather,
      .axis = detail::axis_of(axis, tensor, "dist::all_gather", x.where),
      .group = group.number(),
      .where = x.where};
  Shape shape = tensor.shape();
  Extent& extent = shape[collective.axis];
  extent = extent * Extent(group.size(x.where));
  return detail::collective::record(collective, tensor, std::move(shape));
}

SINTER_INLINE Tensor dist::reduce_scatter(Operand x, int axis, Reduce reduce, Group group) {
  const detail::PublicCall call("dist::reduce_scatter", x.where);
  const Tensor tensor = x.tensor();
  const detail::collective::Collective collective{
      .kind = detail::collective::Kind::reduce_scatter,
      .reduce = reduce,
      .axis = detail::axis_of(axis, tensor, "dist::reduce_scatter", x.where),
      .group = group.number(),
      .where = x.where};
  detail::collective::require_reducible(collective, tensor);
  detail::collective::require_parts(collective, tensor);
  Shape shape = tensor.shape();
  shape[collective.axis] = shape[collective.axis] / Extent(group.size(x.where));
  return detail::collective::record(collective, tensor, std::move(shape));
}

SINTER_INLINE Tensor dist::broadcast(Operand x, int root, Group group) {
  const detail::PublicCall call("dist::broadcast", x.where);
  const detail::collective::Collective collective{.kind = detail::collective::Kind::broadcast,
                                                  .peer = root,
                                                  .group = group.number(),
                                                  .where = x.where};
  detail::collective::require_rank(collective, "root");
  const Tensor tensor = x.tensor();
  return detail::collective::record(collective, tensor, tensor.shape());
}

SINTER_INLINE Tensor dist::all_to_all(Operand x, int axis, Group group) {
  const detail::PublicCall call("dist::all_to_all", x.where);
  const Tensor tensor = x.tensor();
  const detail::collective::Collective collective{
      .kind = detail::collective::Kind::all_to_all,
      .axis = detail::axis_of(axis, tensor, "dist::all_to_all", x.where),
      .group = group.number(),
      .where = x.where};
  detail::collective::require_parts(collective, tensor);
  return detail::collective::record(collective, tensor, tensor.shape());
}

SINTER_INLINE void dist::barrier(Group group, Where where) {
  const detail::PublicCall call("dist::barrier", where);
  const detail::collective::Collective collective{
      .kind = detail::collective::Kind::barrier, .group = group.number(), .where = where};
  detail::collective::record_effect(collective, zeros({}, i32, where), {});
}

SINTER_INLINE void dist::send(Operand x, int to) {
  const detail::PublicCall call("dist::send", x.where);
  const detail::collective::Collective collective{
      .kind = detail::collective::Kind::send, .peer = to, .where = x.where};
  detail::collective::require_rank(collective, "to");
  detail::collective::record_effect(collective, x.tensor(), {});
}

SINTER_INLINE Tensor dist::recv(const TensorSpec& spec, int from, Where where) {
  const detail::PublicCall call("dist::recv", where);
  const detail::collective::Collective collective{
      .kind = detail::collective::Kind::receive, .peer = from, .where = where};
  detail::collective::require_rank(collective, "from");
  const Tensor result =
      detail::collective::record(collective, zeros({}, spec.dtype, where), spec.shape);
  detail::keep_side_effects(result, false, detail::collective::op_of(collective), where);
  return result;
}

}  // namespace sinter::inline SINTER_ABI
