#pragma once
// Control flow that depends on elements, as part of the graph: branches and loops. The functions
// are called once, when they are recorded, and get tensors whose elements are not known yet.

#include <tuple>        // std::tuple
#include <type_traits>  // std::is_same_v
#include <utility>      // std::pair
#include <vector>       // std::vector

#include <sinter/config.hpp>
#include <sinter/trace/body.hpp>
#include <sinter/trace/call_at.hpp>
#include <sinter/trace/structure.hpp>
#include <sinter/trace/tensor.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

/// `x`, one element, as a boolean of rank 0.
///
/// Throws ShapeError if it has another number of elements.
Tensor as_predicate(Operand x, std::string_view op);

/// The results of the branch that `predicate` says. Throws unless both give the same types.
std::vector<Tensor> record_cond(const Tensor& predicate, const std::vector<Tensor>& operands,
                                const Body& then, const Body& otherwise, Where where);
/// The state when `predicate`, which gives a boolean of rank 0, does not hold any more.
std::vector<Tensor> record_while(const std::vector<Tensor>& state, const Body& predicate,
                                 const Body& body, Where where);
/// The last carries, then what the steps of `body` gave, stacked; the first `kept` of its results
/// are the next carries.
std::vector<Tensor> record_scan(const std::vector<Tensor>& carries, const std::vector<Tensor>& xs,
                                const Body& body, std::size_t kept, Where where);

/// Adds variables of the types of `tensors` to `body`: one step of them, if they are scanned.
void add_variables(Body& body, const std::vector<Tensor>& tensors, Where where);
void add_step_variables(Body& body, const std::vector<Tensor>& xs, std::string_view op,
                        Where where);

/// Calls `function`, which is `body`, with the variables of `body` in the place of the tensors in
/// `given`, a tuple.
template <class F, class Given>
auto trace_body(Body& body, F& function, Given given, Where where) {
  replace_tensors(given, body.variables, where);
  auto result = as_tensors(apply_at(where, function, given), where);
  body.results = tensors_in(result, where);
  return result;
}

template <class State, class P, class B>
State loop(P& predicate, B& function, State state, Where where) {
  const std::vector<Tensor> tensors = tensors_in(state, where);
  Body condition{.kind = BodyKind::loop}, body{.kind = BodyKind::loop};
  {
    const BodyScope scope(condition);
    add_variables(condition, tensors, where);
    const auto holds = [&](auto&... values) {
      return as_predicate({as_tensors(call_at(where, predicate, values...), where), where},
                          "while_loop");
    };
    trace_body(condition, holds, state, where);
  }
  {
    const BodyScope scope(body);
    add_variables(body, tensors, where);
    trace_body(body, function, state, where);
  }
  replace_tensors(state, record_while(tensors, condition, body, where), where);
  return state;
}

/// What `function` gives for each step, stacked: {carry, ys}.
template <class F, class Carry, class Xs>
auto scan_steps(F& function, Carry carry, Xs xs, std::string_view op, Where where) {
  const std::vector<Tensor> carries = tensors_in(carry, where), scanned = tensors_in(xs, where);
  Body body{.kind = BodyKind::loop};
  auto result = [&] {
    const BodyScope scope(body, BodyEffects::noted);
    add_variables(body, carries, where);
    add_step_variables(body, scanned, op, where);
    return trace_body(body, function, std::tuple{carry, xs}, where);
  }();
  static_assert(is_pair<std::remove_cvref_t<decltype(result)>> ||
                    std::tuple_size_v<std::remove_cvref_t<decltype(result)>> == 2,
                "sinter::scan(f, carry, xs) requires f to give a pair {carry, y}");
  const std::size_t kept = tensors_in(std::get<0>(result), where).size();
  auto ys = std::get<1>(result);
  const std::vector<Tensor> found = record_scan(carries, scanned, body, kept, where);
  const auto first_y = found.begin() + static_cast<std::ptrdiff_t>(carries.size());
  replace_tensors(carry, {found.begin(), first_y}, where);
  replace_tensors(ys, {first_y, found.end()}, where);
  return std::pair{std::move(carry), std::move(ys)};
}

}  // namespace detail

/// then(operands...) if `predicate`, one element, is not 0, else otherwise(operands...). Only the
/// branch that is taken is computed; the predicate is read when the graph runs, so that a compiled
/// function stays one graph. Both functions are called to be recorded, once each; what they use
/// from around them is an operand as well. If `predicate` is a bool of the program, its branch is
/// called, and nothing else happens.
///
/// Operands and results are tensors, numbers, or tuples, containers and structs of these. Both
/// functions give the same structure of the same dtypes and shapes.
///
/// Throws ShapeError and DTypeError if they do not, or if `predicate` is not one element;
/// GraphBreakError if a branch reads elements on the host.
template <class F, class G, class... Operands>
auto cond(Operand predicate, F&& then, G&& otherwise, const Operands&... operands) {
  const Where where = predicate.where;
  using Result = decltype(detail::as_tensors(then(operands...), where));
  using Other = decltype(detail::as_tensors(otherwise(operands...), where));
  static_assert(
      std::is_same_v<Result, Other>,
      "sinter::cond(predicate, f, g, operands...) requires f and g to give the same type");
  if (const auto* const known = std::get_if<detail::Constant>(&predicate.value)) {
    return *known == detail::constant(0, known->dtype)
               ? detail::as_tensors(detail::call_at(where, otherwise, operands...), where)
               : detail::as_tensors(detail::call_at(where, then, operands...), where);
  }
  const Tensor condition = detail::as_predicate(predicate, "cond");
  std::tuple given{detail::as_argument(operands, where)...};
  const std::vector<Tensor> tensors = detail::tensors_in(given, where);
  detail::Body first, second;
  const auto trace = [&](detail::Body& body, auto& function) {
    const detail::BodyScope scope(body);
    detail::add_variables(body, tensors, where);
    return detail::trace_body(body, function, given, where);
  };
  Result result = trace(first, then);
  trace(second, otherwise);
  detail::replace_tensors(result, detail::record_cond(condition, tensors, first, second, where),
                          where);
  return result;
}

/// while (predicate(state...)) state = body(state...): the last state, a Tensor if it is one, else
/// a tuple. `predicate` gives one element, `body` one tensor, or a tuple, of the dtypes and shapes
/// of the state. Numbers become tensors of rank 0. No gradient flows through it: use scan.
///
/// Throws ShapeError and DTypeError if a dtype or shape changes; GraphBreakError if a function
/// reads elements on the host.
template <class P, class B, class... State>
auto while_loop(P&& predicate, B&& body, Operand first, const State&... state) {
  const Where where = first.where;
  std::tuple states{first.tensor(), detail::as_tensors(state, where)...};
  auto result = detail::loop(predicate, body, std::move(states), where);
  if constexpr (sizeof...(State) == 0) {
    return std::get<0>(result);
  } else {
    return result;
  }
}

/// The same for a state that is one tuple, container or struct.
template <class P, class B, class State>
requires(!std::convertible_to<const State&, Operand>) auto while_loop(
    P&& predicate, B&& body, const State& state, Where where = Where::current()) {
  auto states = std::tuple{detail::as_tensors(state, where)};
  return std::get<0>(detail::loop(predicate, body, std::move(states), where));
}

/// for each x along axis 0 of `xs`: {carry, y} = f(carry, x). Gives {carry, ys}: the last carry,
/// and each y, stacked along a new axis 0. `carry`, `xs` and y are tensors, numbers, or tuples,
/// containers and structs of these; the tensors of `xs` have the same size along axis 0. The carry
/// keeps its dtypes and shapes. Random numbers are others in each step. Gradients flow through it.
///
/// Throws ShapeError and DTypeError if the carry changes its type, or sizes differ; GraphBreakError
/// if `f` reads elements on the host.
template <class F, class Carry, class Xs>
auto scan(F&& f, const Carry& carry, const Xs& xs, Where where = Where::current()) {
  return detail::scan_steps(f, detail::as_tensors(carry, where), detail::as_tensors(xs, where),
                            "scan", where);
}

/// f(x) for each x along axis 0 of `xs`, stacked along a new axis 0: scan without a carry.
template <class F, class Xs>
auto map(F&& f, const Xs& xs, Where where = Where::current()) {
  const auto step = [&](const std::tuple<>& none, auto& x) {
    return std::pair{none, detail::call_at(where, f, x)};
  };
  return detail::scan_steps(step, std::tuple<>(), detail::as_tensors(xs, where), "map", where)
      .second;
}

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/control.ipp>
#endif
