#pragma once
// User-defined operations: named host functions with a gradient.

#include <concepts>     // std::same_as
#include <cstddef>      // std::size_t
#include <span>         // std::span
#include <string>       // std::string
#include <string_view>  // std::string_view
#include <tuple>        // std::apply
#include <utility>      // std::index_sequence
#include <vector>       // std::vector

#include <sinter/base/container/shared_ptr.hpp>
#include <sinter/config.hpp>
#include <sinter/trace/interop/host.hpp>
#include <sinter/trace/transform/custom_gradient.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

/// "shop::discount", as an argument of a template.
template <std::size_t length>
struct OpName {
  consteval OpName(const char (&name)[length]) {
    bool has_namespace = false;
    for (std::size_t i = 0; i < length; ++i) {
      text[i] = name[i];
      has_namespace = has_namespace || (i > 0 && name[i] == ':' && name[i - 1] == ':');
    }
    if (!has_namespace) throw "the name of an operation has a namespace: \"shop::discount\"";
  }
  char text[length] = {};
};

/// A function from tensors to tensors: takes std::span<const Tensor>, or up to 9 tensors; returns a
/// Tensor, or a tuple or vector of them.
class TensorFunction {
 public:
  TensorFunction() = default;
  template <class F>
  requires(!std::same_as<std::remove_cvref_t<F>, TensorFunction>) TensorFunction(F&& function)
      : held_(make_shared_ptr<const Of<std::decay_t<F>>>(std::forward<F>(function))) {}

  explicit operator bool() const { return held_ != nullptr; }
  /// Throws ValueError, with the line, if it takes a different number of tensors or is empty.
  std::vector<Tensor> operator()(std::span<const Tensor> operands,
                                 Where where = Where::current()) const;

 private:
  static constexpr std::size_t most = 9;

  struct Base {
    virtual ~Base() = default;
    virtual std::vector<Tensor> operator()(std::span<const Tensor>, Where) const = 0;
  };

  template <class F, std::size_t... i>
  static constexpr bool takes(std::index_sequence<i...>) {
    return std::is_invocable_v<const F&, decltype((void(i), std::declval<const Tensor&>()))...>;
  }
  template <class F, std::size_t count = 0>
  static constexpr std::size_t arity() {
    if constexpr (count > most || takes<F>(std::make_index_sequence<count>())) {
      return count;
    } else {
      return arity<F, count + 1>();
    }
  }

  template <class Result>
  static std::vector<Tensor> as_list(Result result) {
    if constexpr (std::convertible_to<Result, Tensor>) {
      return {Tensor(result)};
    } else if constexpr (detail::Range<Result>) {
      return {result.begin(), result.end()};
    } else {
      return std::apply([](const auto&... part) { return std::vector{Tensor(part)...}; }, result);
    }
  }

  static void require_count(std::size_t given, std::size_t taken, Where where);

  template <class F>
  struct Of : Base {
    explicit Of(F f) : function(std::move(f)) {}
    std::vector<Tensor> operator()(std::span<const Tensor> operands, Where where) const override {
      if constexpr (std::is_invocable_v<const F&, std::span<const Tensor>>) {
        return as_list(detail::call_at(where, function, operands));
      } else {
        constexpr std::size_t count = arity<F>();
        static_assert(count <= most, "sinter::TensorFunction requires a function of tensors");
        require_count(operands.size(), count, where);
        return [&]<std::size_t... i>(std::index_sequence<i...>) {
          return as_list(detail::call_at(where, function, operands[i]...));
        }
        (std::make_index_sequence<count>());
      }
    }
    F function;
  };

  SharedPtr<const Base> held_{};
};

}  // namespace detail

/// The implementation of a custom operation.
struct CustomOp {
  detail::TensorFunction forward;  ///< Computes the results from evaluated tensors.
  detail::TensorFunction
      backward{};  ///< x..., y..., g... to the gradients of x...; made of operations.
};

namespace detail {

std::vector<Tensor> call_custom_op(std::string_view name, const CustomOp& rules,
                                   std::vector<Tensor> operands, Where where);

}  // namespace detail

/// The result of custom_op<name>(rules).
class CustomOpFunction {
 public:
  CustomOpFunction(std::string_view name, CustomOp rules, Where where)
      : name_(name), rules_(std::move(rules)), where_(where) {}

  /// The one result.
  template <class... Args>
  Tensor operator()(const Args&... args) const {
    return results(args...).at(0);
  }
  /// All of them.
  template <class... Args>
  std::vector<Tensor> results(const Args&... args) const {
    return detail::call_custom_op(name_, rules_, {Operand(args, where_).tensor()...}, where_);
  }

 private:
  std::string name_;
  CustomOp rules_;
  Where where_;
};

/// Makes a host function an operation: custom_op<"shop::discount">({.forward = f, .backward = b}).
/// `f` gets tensors whose elements it may read, and creates its results, for example with
/// from_vector. `b` defines the gradient as in custom_gradient; without it no gradient flows.
///
/// In a recording the graph breaks before the operation, as for a disabled function, and the break
/// reports its name; `f` runs on every call of the compiled function.
///
/// Throws GraphBreakError with fullgraph, and in branches, loops and batches; ValueError if `f` or
/// `b` takes a different number of tensors
template <detail::OpName name>
CustomOpFunction custom_op(CustomOp rules, Where where = Where::current()) {
  return {name.text, std::move(rules), where};
}

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/interop/custom_op.ipp>
#endif
