#pragma once
// bisect(): the stage and operation that make a result wrong. minify(): a program that shows it.

#include <string>       // std::string
#include <tuple>        // std::tuple
#include <type_traits>  // std::is_same_v
#include <utility>      // std::forward, std::index_sequence
#include <vector>       // std::vector

#include <sinter/config.hpp>
#include <sinter/jit/compile.hpp>

namespace sinter::inline SINTER_ABI {

struct BisectOptions {
  /// The right results, in order; without them those of the function as it is written.
  std::vector<Tensor> expected{};
  double tolerance = 0;  ///< Of results, relative; 0 is that of each dtype, 3e-4 for f32.
};

/// See docs/finding_faults.md.
struct Bisection {
  bool found = false;
  std::string stage{}, culprit{}, operation{};
  std::vector<Where> lines;  ///< Of the user's program.
  std::string difference{}, compared{}, workaround{};
  double largest = 0;                ///< The largest difference of results.
  std::vector<std::string> steps{};  ///< What was tried, in order.
};
std::string to_string(const Bisection& bisection);
void print(const Bisection& bisection);

/// While one lives, all threads check kernels as under SINTER_CHECK=nan.
class ScopedNumericsCheck {
 public:
  ScopedNumericsCheck();
  ScopedNumericsCheck(const ScopedNumericsCheck&) = delete;
  ScopedNumericsCheck& operator=(const ScopedNumericsCheck&) = delete;
  ~ScopedNumericsCheck();
};

namespace detail::debug {

/// A call of a compiled function, and how the tensors of its result are read.
using CollectResult = void (*)(jit::AnyCall& call, std::vector<Tensor>& tensors);
struct CompiledCall {
  jit::State& state;
  jit::AnyCall& call;
  CollectResult collect;
};

Bisection bisect_call(const CompiledCall& call, const BisectOptions& options);
void minify_call(const CompiledCall& call, const std::string& path);

struct CallAccess {
  /// act(CompiledCall) with the call f(args...).
  template <class F, class Act, class... Args>
  static auto with(const Compiled<F>& f, const Act& act, Args&&... args) {
    using Function = typename Compiled<F>::Function;
    return bound(
        f, act,
        jit::bind_arguments<Function>(jit::line_of(*f.state()), std::forward<Args>(args)...));
  }
  /// act(CompiledCall, last) with the call of all elements of `all` but the last.
  template <class F, class Act, class All, std::size_t... i>
  static auto with_last(const Compiled<F>& f, const Act& act, All all, std::index_sequence<i...>) {
    const auto with_call = [&](const CompiledCall& call) {
      return act(call, std::get<sizeof...(i)>(all));
    };
    return with(f, with_call, std::forward<std::tuple_element_t<i, All>>(std::get<i>(all))...);
  }

 private:
  template <class F, class Act, class... Bound>
  static auto bound(const Compiled<F>& f, const Act& act, std::tuple<Bound...> arguments) {
    using Function = typename Compiled<F>::Function;
    using Call =
        jit::TypedCall<jit::ResultOf<Function, Bound...>, jit::detail::SelfOf<Function>, Bound...>;
    Call call(f.held_.function, arguments);
    return act(CompiledCall{*f.state_, call, collect<Call>});
  }
  template <class Call>
  static void collect(jit::AnyCall& call, std::vector<Tensor>& tensors) {
    if constexpr (!std::is_void_v<decltype(static_cast<Call&>(call).result())>) {
      auto result = static_cast<Call&>(call).result();
      guard::Leaves leaves;
      guard::collect(result, leaves);
      for (const guard::Leaf& leaf : leaves.list) tensors.push_back(*leaf.tensor);
    }
  }
};

template <class... Args>
using LastOf = std::tuple_element_t<sizeof...(Args), std::tuple<void, std::decay_t<Args>...>>;

}  // namespace detail::debug

/// Runs f(arguments...) in several ways and says which stage gives a wrong result, NaN or an
/// exception, and which operation, rule or kernel. The last argument may be a BisectOptions. Works
/// on copies of the arguments. Takes seconds to minutes: it compiles parts of the program.
template <class F, class... Args>
Bisection bisect(const Compiled<F>& f, Args&&... arguments) {
  using namespace detail::debug;
  if constexpr (std::is_same_v<LastOf<Args...>, BisectOptions>) {
    return CallAccess::with_last(f, bisect_call,
                                 std::tuple<Args&&...>(std::forward<Args>(arguments)...),
                                 std::make_index_sequence<sizeof...(Args) - 1>());
  } else {
    return CallAccess::with(
        f, [](const CompiledCall& call) { return bisect_call(call, {}); },
        std::forward<Args>(arguments)...);
  }
}

/// Writes a C++ program to the path, the last argument, which fails as f(arguments...) does, with a
/// part of the graph, small sizes and simple data; it ends with a status other than 0 while the
/// fault exists. Throws ValueError if nothing fails, IoError if the file cannot be written.
template <class F, class... Args>
void minify(const Compiled<F>& f, Args&&... arguments_and_path) {
  static_assert(std::is_convertible_v<detail::debug::LastOf<Args...>, std::string>,
                "sinter::minify requires the path of a file last: minify(f, x, \"bug.cpp\")");
  detail::debug::CallAccess::with_last(
      f, detail::debug::minify_call,
      std::tuple<Args&&...>(std::forward<Args>(arguments_and_path)...),
      std::make_index_sequence<sizeof...(Args) - 1>());
}

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/debug/bisect.ipp>
#endif
