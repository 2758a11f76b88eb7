#pragma once
// vmap: turns a function of one sample into a function of a batch.

#include <initializer_list>  // std::initializer_list
#include <optional>          // std::optional
#include <string>            // std::string
#include <tuple>             // std::tuple
#include <type_traits>       // std::decay_t
#include <utility>           // std::forward
#include <vector>            // std::vector

#include <sinter/base/container/optional.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/trace/core/axis.hpp>
#include <sinter/trace/module/call_at.hpp>
#include <sinter/trace/module/structure.hpp>
#include <sinter/trace/subgraph/body.hpp>

namespace sinter::inline SINTER_ABI {

/// In place of an axis: the argument is the same for all samples.
inline constexpr std::nullopt_t unbatched = std::nullopt;

namespace detail {

/// The batch axis: one for all arguments, or one for each; negative axes count from the end.
class BatchAxes {
 public:
  BatchAxes(int axis);
  BatchAxes(std::nullopt_t);
  BatchAxes(std::initializer_list<std::optional<int>> axes);
  BatchAxes(const std::vector<std::optional<int>>& axes);

  bool is_list() const { return is_list_; }
  std::size_t size() const { return axes_.size(); }
  std::optional<int> operator[](std::size_t i) const { return axes_[is_list_ ? i : 0]; }

 private:
  Vector<std::optional<int>> axes_;
  bool is_list_ = true;
};

/// A tensor in an argument or result, with its batch axis.
struct BatchLeaf {
  Tensor tensor{};
  std::optional<int> axis{};
  std::string name{};
};

/// Traces a function with one sample in place of the batch.
class Batch {
 public:
  Batch(Vector<BatchLeaf> arguments, Where where);

  Body& body() { return body_; }
  /// The tensors of one sample, which the function receives; valid while it is traced.
  std::vector<Tensor> samples();
  /// The results for all samples, given the `results` of one.
  std::vector<Tensor> results(const Vector<BatchLeaf>& results);

 private:
  void note_size(const BatchLeaf& leaf, Extent size);

  Vector<BatchLeaf> arguments_;  // batch axis 0, if batched
  Where where_;
  Body body_{.kind = BodyKind::batch};
  Optional<Extent> count_{};
  std::string first_{};  // the argument that determines the number of samples
};

/// Throws ValueError unless `axes` is one axis, or one for each of `count`.
void require_axes(const BatchAxes& axes, std::size_t count, std::string_view name, Where where);

// Collects tensors with the axis of their argument; scalars and numbers have none.
struct BatchLeafCollector : LeafVisitor {
  Vector<BatchLeaf> leaves{};
  Where where{};
  std::optional<int> axis{};
  std::string owner{};

  void note(const Tensor& value, std::optional<int> at, const LeafName& name);
  void tensor(const Tensor& value, const LeafName& name) { note(value, axis, name); }
  void typed(const auto& value, const LeafName& name) { note(value.tensor(), axis, name); }
  void buffer(const nn::Buffer& value, const LeafName& name) { note(value.value, axis, name); }
  void scalar(const Scalar& value, const LeafName& name) { note(value.tensor(), {}, name); }
};

/// The tensors in the elements of a tuple, each with its axis.
template <class Tuple>
Vector<BatchLeaf> batch_leaves(Tuple& values, const BatchAxes& axes, std::string_view name,
                               Where where) {
  BatchLeafCollector collector;
  collector.where = where;
  std::size_t i = 0;
  const auto collect = [&](auto& value) {
    collector.axis = axes[i];
    collector.owner = std::string(name) + " " + std::to_string(i++);
    walk(value, collector, {});
  };
  std::apply([&](auto&... value) { (collect(value), ...); }, values);
  return std::move(collector.leaves);
}

// Numbers and scalars stay unchanged.
template <class T>
auto as_batch_argument(const T& value, Where where) {
  if constexpr (std::is_same_v<T, Scalar>) {
    return value;
  } else {
    return as_argument(value, where);
  }
}

template <class T>
Vector<BatchLeaf> result_leaves(T& result, const BatchAxes& axes, Where where) {
  if constexpr (TupleLike<T> && !Range<T> && !Module<T>) {
    require_axes(axes, std::tuple_size_v<T>, "out_axes", where);
    return batch_leaves(result, axes, "result", where);
  } else {
    require_axes(axes, 1, "out_axes", where);
    std::tuple<T&> one(result);
    return batch_leaves(one, axes, "result", where);
  }
}

}  // namespace detail

/// The result of vmap(f).
template <class F>
struct VmapOf {
  using Transformed = F;
  [[no_unique_address]] F function;
  detail::BatchAxes in_axes, out_axes;
  Where where{};

  template <class... Args>
  auto operator()(const Args&... args) const {
    detail::require_axes(in_axes, sizeof...(Args), "in_axes", where);
    std::tuple<decltype(detail::as_batch_argument(args, where))...> given{
        detail::as_batch_argument(args, where)...};
    detail::Batch batch(detail::batch_leaves(given, in_axes, "argument", where), where);
    auto result = [&] {
      const detail::BodyScope scope(batch.body(), detail::BodyEffects::noted);
      detail::replace_tensors(given, batch.samples(), where);
      return detail::as_tensors(detail::result_at(where, function, given), where);
    }();
    const auto leaves = detail::result_leaves(result, out_axes, where);
    detail::replace_tensors(result, batch.results(leaves), where);
    return result;
  }
};

namespace detail {

// A function of the library, called without its default arguments.
struct ReductionOf {
  using Transformed = Tensor (*)(Operand, Axes, bool);
  Transformed function;
  Tensor operator()(Operand x, Axes axes = all_axes, bool keepdim = false) const {
    return function(x, axes, keepdim);
  }
};

}  // namespace detail

/// A function that applies `function` to each sample of a batch: its operations are recorded once
/// and run for all samples together. Samples lie along axis `in_axes` of the tensors in the
/// arguments; one axis for each argument may be given, {0, unbatched, -1}. Results have them along
/// axis `out_axes`. Unbatched arguments, captured tensors, numbers and Scalars are the same for all
/// samples. Arguments and results are tensors, or tuples, containers, structs and modules of them:
/// see nn::stack_modules for ensembles.
///
/// Shapes   inside `function`, tensors have the shape of one sample
/// Random   each sample draws its own numbers
/// Throws   ShapeError unless all batches have one size, and for more than max_rank dimensions;
///          ValueError for axes that do not match the arguments; IndexError for an axis that does
///          not exist; GraphBreakError if `function` reads elements on the host
/// Gradient supported in both orders: vmap(grad(f)) returns per-sample gradients
template <class F>
auto vmap(F&& function, detail::BatchAxes in_axes = 0, detail::BatchAxes out_axes = 0,
          Where where = Where::current()) {
  return VmapOf<std::decay_t<F>>{std::forward<F>(function), std::move(in_axes), std::move(out_axes),
                                 where};
}
template <class F, detail::TensorLike X, class... Rest>
Tensor vmap(F&&, const X&, const Rest&...) {  // meant as vmap(f)(x, ...)
  detail::require_no_arguments<F>();
  return {};
}

/// vmap(sum), vmap(mean): selects the untyped overload of a library function.
inline auto vmap(Tensor (*function)(Operand, Axes, bool), detail::BatchAxes in_axes = 0,
                 detail::BatchAxes out_axes = 0, Where where = Where::current()) {
  return VmapOf<detail::ReductionOf>{{function}, std::move(in_axes), std::move(out_axes), where};
}
/// vmap(exp)
inline auto vmap(Tensor (*function)(Operand), detail::BatchAxes in_axes = 0,
                 detail::BatchAxes out_axes = 0, Where where = Where::current()) {
  return VmapOf<Tensor (*)(Operand)>{function, std::move(in_axes), std::move(out_axes), where};
}
/// vmap(matmul)
inline auto vmap(Tensor (*function)(Operand, Operand), detail::BatchAxes in_axes = 0,
                 detail::BatchAxes out_axes = 0, Where where = Where::current()) {
  return VmapOf<Tensor (*)(Operand, Operand)>{function, std::move(in_axes), std::move(out_axes),
                                              where};
}

namespace nn {

/// A module whose tensors are those of `modules`, stacked along a new axis 0; its numbers and
/// Scalars are those of the first. An ensemble is vmap over it: vmap([](const Model& m, const
/// Tensor& x) { return m(x); }, {0, unbatched})(nn::stack_modules(models), x).
///
/// Throws ValueError for an empty list; ShapeError unless the tensors have equal shapes
template <class M>
M stack_modules(const std::vector<M>& modules, Where where = Where::current());

}  // namespace nn

namespace detail {

/// Stacks the tensors of several modules, given by module; those without an axis are taken from the
/// first.
std::vector<Tensor> stacked(const Vector<Vector<BatchLeaf>>& parts, Where where);

}  // namespace detail

template <class M>
M nn::stack_modules(const std::vector<M>& modules, Where where) {
  sinter::detail::Vector<sinter::detail::Vector<sinter::detail::BatchLeaf>> parts;
  for (const M& module : modules) {
    std::tuple<const M&> one(module);
    parts.push_back(sinter::detail::batch_leaves(one, 0, "module", where));
  }
  const std::vector<Tensor> tensors = sinter::detail::stacked(parts, where);
  M result = modules[0];
  sinter::detail::replace_tensors(result, tensors, where);
  return result;
}

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/transform/vmap.ipp>
#endif
