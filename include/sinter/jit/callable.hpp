#pragma once
// How a callable of any type is recorded and replayed: arguments bound to its parameters, copied,
// called with placeholders; results filled with what was computed.

#include <chrono>       // std::chrono::steady_clock
#include <functional>   // std::invoke
#include <memory>       // std::shared_ptr
#include <tuple>        // std::tuple
#include <type_traits>  // std::is_empty_v
#include <utility>      // std::forward

#include <sinter/config.hpp>
#include <sinter/jit/parameters.hpp>
#include <sinter/jit/state.hpp>
#include <sinter/trace/transform.hpp>

namespace sinter::inline SINTER_ABI::jit {

namespace detail {

template <class F>
inline constexpr bool is_closed = std::is_empty_v<F> || std::is_pointer_v<F> ||
                                  std::is_function_v<F> || Module<std::remove_const_t<F>>;
template <class F>
inline constexpr bool is_closed<GradOf<F>> = is_closed<F>;
template <class F>
inline constexpr bool is_closed<ValueAndGradOf<F>> = is_closed<F>;

[[noreturn]] void throw_open(Where where);
[[noreturn]] void throw_changed_number(const guard::PlainValue& before,
                                       const guard::PlainValue& after, Where where);

// Throws if the function changed a plain number of its arguments.
void require_same_numbers(std::span<const guard::PlainValue> before,
                          std::span<const guard::PlainValue> after, Where where);

// The callable as an argument of itself, if it is a module.
template <class F, class Visit>
void with_self(F& function, Visit visit) {
  if constexpr (Module<std::remove_const_t<F>>) visit(function, "self");
}

template <class F, class Tuple, class Visit>
void for_each_argument(F& function, Tuple& arguments, Visit visit) {
  with_self(function, visit);
  std::apply(
      [&](auto&... argument) {
        int position = 0;
        (visit(argument, text("argument ", position++)), ...);
      },
      arguments);
}

}  // namespace detail

/// Throws ValueError if `F` may hold what a recording would not see change.
template <class F>
void require_closed(Where where) {
  if (!detail::is_closed<std::remove_const_t<F>>) detail::throw_open(where);
}

/// The leaves of a call, and the hash of the rest.
template <class F, class... Bound>
CallSignature signature_of(F& function, std::tuple<Bound...>& bound) {
  CallSignature result;
  Hasher& hasher = result.leaves.structure;
  hasher.add(reinterpret_cast<std::uintptr_t>(&sinter::detail::type_tag<std::tuple<Bound...>>));
  detail::for_each_argument(function, bound, [&](auto& argument, const auto&) {
    guard::collect(argument, result.leaves);
  });
  result.structure = hasher.result();
  return result;
}

/// A copy of each argument; functions are recorded on these.
template <class F, class... Bound>
struct Copies {
  std::remove_const_t<F> function;
  std::tuple<std::decay_t<Bound>...> arguments;
};

namespace detail {

template <class F, class... Bound>
Copies<F, Bound...> copy_of(const F& function, const std::tuple<Bound...>& bound) {
  return {function, std::tuple<std::decay_t<Bound>...>(bound)};
}

// Calls the copy of the function with the copies of the arguments, as lvalues or rvalues, const or
// not, as the call did.
template <class F, class... Bound>
decltype(auto) invoke(Copies<F, Bound...>& copies) {
  F& function = copies.function;
  return std::apply(
      [&function](auto&... argument) -> decltype(auto) {
        return std::invoke(function, static_cast<Bound&&>(argument)...);
      },
      copies.arguments);
}

// Plain values and names of leaves of a call or of its copies.
struct Names {
  std::vector<std::string> leaves{};
  std::vector<guard::PlainValue> plain{};
};

template <class F, class Tuple>
Names names_of(F& function, Tuple& arguments) {
  Names result;
  for_each_argument(function, arguments, [&](auto& argument, std::string_view name) {
    guard::collect_names(argument, name, result.leaves, result.plain);
  });
  return result;
}

// The signature of the copies, with the constness of the arguments that they are copies of.
template <class F, class... Bound>
CallSignature signature_of_copies(Copies<F, Bound...>& copies) {
  F& function = copies.function;
  return std::apply(
      [&](auto&... argument) {
        std::tuple<Bound...> bound(static_cast<Bound>(argument)...);
        return signature_of(function, bound);
      },
      copies.arguments);
}

// Gives the arguments the state that the function created, as if it had been there before the call.
template <class F, class... Bound>
void adopt_created_state(F& function, std::tuple<Bound...>& bound, Copies<F, Bound...>& copies,
                         const CallSignature& before, const Names& names_before,
                         const Names& names_after, const std::vector<CreatedState>& created) {
  const CallSignature copied = signature_of_copies(copies);
  std::vector<Tensor> values;
  for (std::size_t i = 0; i < copied.leaves.list.size(); ++i) {
    const Tensor* value = nullptr;
    for (const CreatedState& state : created) {
      if (state.member == copied.leaves.list[i].tensor) value = &state.initial;
    }
    for (std::size_t j = 0; value == nullptr && j < names_before.leaves.size(); ++j) {
      if (names_before.leaves[j] == names_after.leaves[i]) value = before.leaves.list[j].tensor;
    }
    values.push_back(*value);
  }
  const auto assign = [](auto& to, const auto& from) {
    if constexpr (!std::is_const_v<std::remove_reference_t<decltype(to)>>) to = from;
  };
  if constexpr (Module<std::remove_const_t<F>>) assign(function, copies.function);
  std::apply(
      [&](auto&... to) {
        std::apply([&](auto&... from) { (assign(to, from), ...); }, copies.arguments);
      },
      bound);
  const CallSignature real = signature_of(function, bound);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (real.leaves.list[i].is_mutable) *real.leaves.list[i].tensor = values[i];
  }
}

}  // namespace detail

/// Calls the function once with placeholders, compiles what it recorded, and adds it to `state`.
template <class Result, class F, class... Bound>
std::shared_ptr<const Variant> record(State& state, F& function, std::tuple<Bound...>& bound,
                                      const CallSignature& call,
                                      std::chrono::steady_clock::time_point start) {
  const detail::Names names = detail::names_of(function, bound);
  state.explain_miss(call, names.leaves, names.plain);
  auto copies = std::make_shared<Copies<F, Bound...>>(
      detail::copy_of<F, Bound...>(function, bound));
  RecordingSession session(call.leaves, names.leaves, state.options(), state.varying());
  std::shared_ptr<void> result;
  guard::Leaves result_leaves;
  {
    const RecorderScope scope(&session.recorder());
    session.begin(detail::signature_of_copies(*copies).leaves);
    detail::for_each_argument(copies->function, copies->arguments, [&](auto& argument, auto&&) {
      guard::name_modules(argument, session.recorder());
    });
    if constexpr (std::is_void_v<Result>) {
      detail::invoke(*copies);
    } else {
      auto held = std::make_shared<Result>(detail::invoke(*copies));
      guard::collect(*held, result_leaves);
      result = held;
    }
  }
  const CallSignature after = detail::signature_of_copies(*copies);
  const detail::Names names_after = detail::names_of(copies->function, copies->arguments);
  Recording recording = session.finish(after.leaves, names_after.leaves, result_leaves,
                                       call.structure, after.structure);
  if (!recording.changes_structure) {
    detail::require_same_numbers(names.plain, names_after.plain, state.where());
    if (!session.created().empty()) {
      detail::adopt_created_state(function, bound, *copies, call, names, names_after,
                                  session.created());
    }
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  std::shared_ptr<const void> arguments = recording.changes_structure ? copies : nullptr;
  return state.add(std::move(recording), names_after.plain, result, arguments, seconds.count());
}

namespace detail {

inline void fill(const guard::Leaves& leaves, std::span<const Tensor> tensors) {
  for (std::size_t i = 0; i < tensors.size(); ++i) *leaves.list[i].tensor = tensors[i];
}

// The new values of leaves that were not updated in place.
template <class F, class... Bound>
void write_back(const Variant& variant, F& function, std::tuple<Bound...>& bound,
                const CallSignature& call, std::span<const Tensor> values) {
  const Recording& recording = variant.recording;
  if (!recording.changes_structure) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto leaf = static_cast<std::size_t>(recording.changed[i]);
      if (values[i].defined()) *call.leaves.list[leaf].tensor = values[i];
    }
    return;
  }
  // The arguments as the function left them, with the new values in them.
  Copies<F, Bound...> copies =
      *static_cast<const Copies<F, Bound...>*>(variant.arguments.get());
  fill(signature_of_copies(copies).leaves, values);
  const auto assign = [](auto& to, auto& from) {
    if constexpr (!std::is_const_v<std::remove_reference_t<decltype(to)>>) to = from;
  };
  if constexpr (Module<std::remove_const_t<F>>) assign(function, copies.function);
  std::apply(
      [&](auto&... to) {
        std::apply([&](auto&... from) { (assign(to, from), ...); }, copies.arguments);
      },
      bound);
}

}  // namespace detail

/// Runs `variant` on the arguments of a call that fits it; gives the result of the function.
template <class Result, class F, class... Bound>
Result replay(const Variant& variant, F& function, std::tuple<Bound...>& bound,
              const CallSignature& call, std::span<const std::int64_t> symbols, Where where) {
  const NewTensors tensors = run(variant, call.leaves.list, symbols, where);
  const std::span<const Tensor> all(tensors);
  const std::size_t results = variant.recording.results;
  detail::write_back(variant, function, bound, call, all.subspan(results));
  if constexpr (std::is_same_v<Result, Tensor>) {
    return tensors[0];
  } else if constexpr (!std::is_void_v<Result>) {
    Result result = *static_cast<const Result*>(variant.result.get());
    guard::Leaves leaves;
    guard::collect(result, leaves);
    detail::fill(leaves, all.first(results));
    return result;
  }
}

}  // namespace sinter::inline SINTER_ABI::jit

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/callable.ipp>
#endif
