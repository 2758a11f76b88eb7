#pragma once
// graph_break, host, disable and assume_pure: host code in recorded functions.

#include <optional>     // std::optional
#include <string>       // std::string
#include <string_view>  // std::string_view
#include <tuple>        // std::tuple
#include <type_traits>  // std::decay_t, std::has_unique_object_representations_v
#include <utility>      // std::forward
#include <vector>       // std::vector

#include <sinter/base/container/shared_ptr.hpp>
#include <sinter/base/container/span.hpp>
#include <sinter/config.hpp>
#include <sinter/trace/core/evaluate.hpp>
#include <sinter/trace/core/recorder_host.hpp>
#include <sinter/trace/core/recorder_scope.hpp>
#include <sinter/trace/module/call_at.hpp>
#include <sinter/trace/module/scope.hpp>
#include <sinter/trace/module/walk.hpp>
#include <sinter/trace/transform/effects.hpp>

namespace sinter::inline SINTER_ABI {

/// Forces a graph break: computes the live values and begins another graph. Does nothing outside of
/// recordings.
///
/// Throws GraphBreakError with fullgraph.
void graph_break(std::string reason, Where where = Where::current());

/// Whether compiled functions called by a disabled function are disabled as well.
enum class Recursive : bool { no, yes };

namespace detail {

// Breaks the graph before a disabled function and evaluates its `arguments`.
class ElementsForTensors {
 public:
  ElementsForTensors(Span<Tensor* const> arguments, Where where, std::string_view reason);
  // Restores arguments that the function did not change to their recorded values.
  void restore(Span<Tensor* const> arguments) const;

 private:
  std::vector<Tensor> before_{}, elements_{};
};
bool& calls_are_disabled();

template <class F, std::size_t count>
class HostFunctionOf : public HostFunction {
 public:
  HostFunctionOf(F function, Where where) : function_(std::move(function)), where_(where) {}
  void operator()(Span<const Tensor> operands) const override {
    [&]<std::size_t... i>(std::index_sequence<i...>) { call_at(where_, function_, operands[i]...); }
    (std::make_index_sequence<count>());
  }
  Hash identity() const override {
    if constexpr (std::is_empty_v<F>) {
      return identity_of_call(&type_tag<F>, nullptr, 0);
    } else if constexpr (std::has_unique_object_representations_v<F>) {
      return identity_of_call(&type_tag<F>, __builtin_addressof(function_), sizeof(function_));
    } else {
      return {};
    }
  }

 private:
  mutable F function_;
  Where where_;
};

// Suspends recording on this thread, and in compiled functions if they are disabled as well.
class DisabledScope {
 public:
  explicit DisabledScope(Recursive recursive);
  DisabledScope(const DisabledScope&) = delete;
  DisabledScope& operator=(const DisabledScope&) = delete;
  ~DisabledScope();

 private:
  RecorderHost* host_;  // of the suspended recording; null outside of recordings
  RecorderScope recorder_;
  bool outer_;
};

}  // namespace detail

/// The result of host(f): in a recording, a call is noted, and every replay makes it, in the order
/// of host functions, with the elements of its operands. Outside, it is a plain call.
template <class F>
class HostOf {
 public:
  HostOf(F function, Where where) : function_(std::move(function)), where_(where) {}

  template <class... Args>
  void operator()(const Args&... args) const {
    constexpr bool are_operands = (std::is_convertible_v<const Args&, Operand> && ...);
    static_assert(are_operands, "sinter::host(f)(args...) requires tensors, scalars or numbers");
    if constexpr (are_operands) {
      using Function = detail::HostFunctionOf<F, sizeof...(Args)>;
      detail::add_effect(detail::make_shared_ptr<const Function>(function_, where_),
                         {Operand(args, where_).tensor()...},
                         !std::is_empty_v<F> && !std::is_pointer_v<F>, "host", where_);
    }
  }

 private:
  F function_;
  Where where_;
};

/// Runs a function on the host without a graph break: every replay calls it after its operands are
/// computed. An exception propagates from the call of the compiled function, whose arguments are
/// then unchanged. `function` takes tensors and returns nothing. It must not refer to variables of
/// the recorded function, which no longer exist when it runs.
template <class F>
auto host(F&& function, Where where = Where::current()) {
  return HostOf<std::decay_t<F>>(std::forward<F>(function), where);
}

/// The result of disable(f).
template <class F>
class DisabledOf {
 public:
  DisabledOf(F function, std::string reason, Recursive recursive, Where where)
      : function_(std::move(function)),
        reason_(std::move(reason)),
        recursive_(recursive),
        where_(where) {}

  template <class... Args>
  decltype(auto) operator()(Args&&... args) const {
    if (!is_recording()) {
      const detail::DisabledScope scope(recursive_);
      return detail::call_as<Args&&...>(where_, function_, args...);
    }
    return call<Args...>(std::tuple<Args&...>(args...), std::decay_t<Args>(args)...);
  }

 private:
  struct TensorCollector : detail::LeafVisitor {
    std::vector<Tensor*> tensors{};
    void tensor(Tensor& value, const detail::LeafName&) {
      if (value.defined()) tensors.push_back(&value);
    }
    void scalar(Scalar& value, const detail::LeafName&) { tensors.push_back(&value.tensor()); }
    void buffer(nn::Buffer& value, const detail::LeafName& name) { tensor(value.value, name); }
    void typed(auto& value, const detail::LeafName& name) { tensor(value.tensor(), name); }
  };

  // Copies of the arguments, with evaluated tensors.
  template <class... Args, class... Copies>
  auto call(std::tuple<Args&...> given, Copies... copies) const {
    TensorCollector collector;
    (detail::walk(copies, collector, {}), ...);
    const detail::ElementsForTensors elements(collector.tensors, where_, reason_);
    const auto run = [&]() -> decltype(auto) {
      std::optional<detail::DisabledScope> scope;
      if (detail::active_differentiations() == 0) scope.emplace(recursive_);
      return detail::call_as<decltype(pass<Args>(copies))...>(where_, function_, copies...);
    };
    const auto assign = [&](auto&... arguments) {
      (assign_changed<Args>(arguments, copies, elements), ...);
    };
    if constexpr (std::is_void_v<decltype(run())>) {
      run();
      std::apply(assign, given);
    } else {
      auto result = run();
      std::apply(assign, given);
      return result;
    }
  }

  template <class Given, class Copy>
  static decltype(auto) pass(Copy& copy) {
    if constexpr (!std::is_lvalue_reference_v<Given>) {
      return std::move(copy);
    } else if constexpr (std::is_const_v<std::remove_reference_t<Given>>) {
      return std::as_const(copy);
    } else {
      return (copy);
    }
  }

  // Writes back an argument that the function may have changed.
  template <class Given, class Argument, class Copy>
  static void assign_changed(Argument& argument, Copy& copy,
                             const detail::ElementsForTensors& elements) {
    if constexpr (std::is_lvalue_reference_v<Given> && std::is_same_v<Argument, Copy>) {
      TensorCollector collector;
      detail::walk(copy, collector, {});
      elements.restore(collector.tensors);
      argument = std::move(copy);
    }
  }

  mutable F function_;
  std::string reason_;  // of the graph break
  Recursive recursive_;
  Where where_;
};

/// Excludes a function from recordings: the graph breaks, and the function runs eagerly on every
/// call. Compiled functions that it calls run eagerly too, unless `recursive` is no. While a
/// gradient is computed it is recorded after all, between two graph breaks.
template <class F>
auto disable(F&& function, Recursive recursive = Recursive::yes, Where where = Where::current()) {
  return DisabledOf<std::decay_t<F>>(std::forward<F>(function), "a disabled function is called",
                                     recursive, where);
}
/// The same; logs and explain() give `reason` with the graph break.
template <class F>
auto disable(F&& function, std::string reason, Recursive recursive = Recursive::yes,
             Where where = Where::current()) {
  return DisabledOf<std::decay_t<F>>(std::forward<F>(function),
                                     "a disabled function is called: " + reason, recursive, where);
}

/// The result of assume_pure(f).
template <class F>
struct AssumedPure {
  using Promised = F;
  F function;
  template <class... Args>
  requires std::is_invocable_v<const F&, Args...>
  decltype(auto) operator()(Args&&... args) const { return function(std::forward<Args>(args)...); }
};

/// A promise that the captures of `function` never change: it is recorded once for each signature,
/// and replayed with the captured values of that time.
template <class F>
auto assume_pure(F&& function) {
  if constexpr (detail::has_call<std::decay_t<F>>()) {
    return AssumedPure<std::decay_t<F>>{std::forward<F>(function)};
  } else {
    detail::require_fit_of<F, detail::CallMismatch{detail::Mismatch::callable}>();
    return [](const auto&...) { return Tensor(); };
  }
}

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/interop/host.ipp>
#endif
