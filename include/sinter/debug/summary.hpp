#pragma once
// summary(): a module as a table, with the shapes of results, parameters, multiply-adds and bytes.

#include <cstddef>      // std::size_t
#include <string>       // std::string
#include <tuple>        // std::tuple
#include <type_traits>  // std::is_invocable
#include <utility>      // std::index_sequence

#include <sinter/config.hpp>
#include <sinter/jit/interface/callable.hpp>
#include <sinter/jit/interface/mismatch.hpp>
#include <sinter/jit/interface/tensor_spec.hpp>
#include <sinter/trace/module/text.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail::debug {

/// The table for a module with these members, called by `call`.
std::string summary_of(const ModuleTextBuilder& members, const jit::AnyCall& call, Where where);

/// The line of a TensorSpec.
template <class T>
Where line_of_input([[maybe_unused]] const T& input, Where otherwise) {
  if constexpr (std::is_same_v<T, TensorSpec>) return input.where;
  return otherwise;
}

template <class M, class... Values, std::size_t... i>
std::string summary_of_call(M& module, std::tuple<Values...>& values, Where where,
                            std::index_sequence<i...>) {
  ModuleTextBuilder members;
  walk(module, members, {});
  const auto bind = [&] { return jit::bind_arguments<M>(where, std::get<i>(values)...); };
  auto bound = bind();
  return [&]<class... Bound>(std::tuple<Bound...>& arguments) {
    using Result = jit::ResultOf<M, Bound...>;
    const jit::TypedCall<Result, M, Bound...> call(module, arguments);
    return summary_of(members, call, where);
  }(bound);
}

}  // namespace detail::debug

/// A table with a line for each module in `module`: result, parameters, multiply-adds, bytes; then
/// the sums. The module is traced with inputs that have no elements: summary(model,
/// TensorSpec{{32, 784}}). Throws what the module throws for such inputs.
template <Module M, class... Inputs>
std::string summary(const M& module, const Inputs&... inputs) {
  using Fits = std::is_invocable<M&, detail::jit::detail::PreparedAsLvalue<const Inputs&>...>;
  if constexpr (!Fits::value) {
    detail::jit::require_fit<
        detail::jit::mismatch<M, detail::jit::detail::PreparedAsLvalue<const Inputs&>...>()>();
    return {};
  } else {
    M copy(module);  // whose handles the trace may change
    std::tuple<detail::jit::detail::Prepared<const Inputs&>...> values(
        detail::jit::detail::prepared(inputs)...);
    Where where{};
    ((where = where.line() == 0 ? detail::debug::line_of_input(inputs, where) : where), ...);
    return detail::debug::summary_of_call(copy, values, where,
                                          std::index_sequence_for<Inputs...>());
  }
}

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/debug/summary.ipp>
#endif
