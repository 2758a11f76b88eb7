#pragma once
// bisect(f, arguments...): which stage and which operation makes a result wrong; minify().

#include <string>       // std::string
#include <string_view>  // std::string_view
#include <tuple>        // std::tuple
#include <type_traits>  // std::is_same_v
#include <utility>      // std::forward, std::index_sequence
#include <vector>       // std::vector

#include <sinter/config.hpp>
#include <sinter/jit/compile.hpp>

namespace sinter::inline SINTER_ABI {

struct BisectOptions {
  /// The right results, in the order of the tensors of the result. Without them, the compiled call
  /// is compared with the function as it is written.
  std::vector<Tensor> expected{};
  double tolerance = 0;  ///< Of results, relative; 0 is that of each dtype, 3e-4 for f32.
};

/// What bisect() found.
struct Bisection {
  bool found = false;
  std::string stage{};       ///< "passes", "kernels", "gradient", ...
  std::string culprit{};     ///< "pass merge_movements, rule ..., replacement 3 of 7"
  std::string operation{};   ///< "tanh"
  std::vector<Where> lines;  ///< Of the user's program.
  std::string difference{};  ///< "output 0, element [0, 3]: 1.5 instead of 2"
  std::string compared{};    ///< What was compared with what.
  std::string workaround{};
  double largest = 0;                ///< The largest difference of results; see docs.
  std::vector<std::string> steps{};  ///< What was tried, in order.
};
std::string to_string(const Bisection& bisection);
void print(const Bisection& bisection);

/// While one lives, kernels are checked as under SINTER_CHECK=nan, on all threads.
class ScopedNumericsCheck {
 public:
  ScopedNumericsCheck();
  ScopedNumericsCheck(const ScopedNumericsCheck&) = delete;
  ScopedNumericsCheck& operator=(const ScopedNumericsCheck&) = delete;
  ~ScopedNumericsCheck();
};

namespace detail::debug {

using CollectResult = void (*)(jit::AnyCall& call, std::vector<Tensor>& tensors);
/// A call of a compiled function.
struct CompiledCall {
  jit::State& state;
  jit::AnyCall& call;
  CollectResult collect;
};

Bisection bisect_call(const CompiledCall& call, const BisectOptions& options);
void minify_call(const CompiledCall& call, const std::string& path);

struct CallAccess {
  // act(CompiledCall) with the call f(args...).
  template <class F, class Act, class... Args>
  static auto with(const Compiled<F>& f, const Act& act, Args&&... args) {
    using Function = typename Compiled<F>::Function;
    return bound(f, act, jit::bind_arguments<Function>(std::forward<Args>(args)...));
  }

 private:
  template <class F, class Act, class... Bound>
  static auto bound(const Compiled<F>& f, const Act& act, std::tuple<Bound...> arguments) {
    using Function = typename Compiled<F>::Function;
    using Result = jit::ResultOf<Function, Bound...>;
    using Call = jit::TypedCall<Result, jit::detail::SelfOf<Function>, Bound...>;
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

// act(call, last) with the call of all elements of `all` but the last.
template <class F, class Act, class All, std::size_t... i>
auto without_last(const Compiled<F>& f, const Act& act, All& all, std::index_sequence<i...>) {
  auto& last = std::get<sizeof...(i)>(all);
  return CallAccess::with(
      f, [&](const CompiledCall& call) { return act(call, last); },
      std::forward<std::tuple_element_t<i, All>>(std::get<i>(all))...);
}

template <class... Args>
using LastOf = std::tuple_element_t<sizeof...(Args), std::tuple<void, std::decay_t<Args>...>>;

}  // namespace detail::debug

/// Runs f(arguments...) in several ways, and says which stage gives a wrong result (or NaN, or an
/// exception), and which operation, rule or kernel. The last argument may be a BisectOptions. Works
/// on copies of the arguments; what a lambda captures by reference it may change. Takes seconds to
/// minutes: it compiles parts of the program.
template <class F, class... Args>
Bisection bisect(const Compiled<F>& f, Args&&... arguments) {
  using namespace detail::debug;
  if constexpr (std::is_same_v<LastOf<Args...>, BisectOptions>) {
    std::tuple<Args&&...> all(std::forward<Args>(arguments)...);
    const auto act = [](const CompiledCall& call, const BisectOptions& options) {
      return bisect_call(call, options);
    };
    return without_last(f, act, all, std::make_index_sequence<sizeof...(Args) - 1>());
  } else {
    return CallAccess::with(
        f, [](const CompiledCall& call) { return bisect_call(call, {}); },
        std::forward<Args>(arguments)...);
  }
}

/// Writes a C++ program to the path, the last argument, that fails as f(arguments...) does: with a
/// part of the graph, small shapes and simple data. It ends with another status than 0 while the
/// fault exists. Throws ValueError if nothing fails, IoError if the file cannot be written.
template <class F, class... Args>
void minify(const Compiled<F>& f, Args&&... arguments_and_path) {
  using namespace detail::debug;
  static_assert(std::is_convertible_v<LastOf<Args...>, std::string>,
                "sinter::minify requires the path of a file last: minify(f, x, \"bug.cpp\")");
  std::tuple<Args&&...> all(std::forward<Args>(arguments_and_path)...);
  const auto act = [](const CompiledCall& call, const std::string& path) {
    minify_call(call, path);
  };
  without_last(f, act, all, std::make_index_sequence<sizeof...(Args) - 1>());
}

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/debug/bisect.ipp>
#endif
