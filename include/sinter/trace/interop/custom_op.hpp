#pragma once
// User-defined operations: kernels of the user, and named host functions, with a gradient.

#include <concepts>     // std::same_as
#include <cstddef>      // std::size_t
#include <span>         // std::span
#include <string>       // std::string
#include <string_view>  // std::string_view
#include <tuple>        // std::apply
#include <type_traits>  // std::has_unique_object_representations_v
#include <utility>      // std::index_sequence
#include <vector>       // std::vector

#include <sinter/base/container/shared_ptr.hpp>
#include <sinter/config.hpp>
#include <sinter/graph/custom/raw_tensor.hpp>
#include <sinter/trace/context/tensor_spec.hpp>
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

void require_operand_count(std::size_t given, std::size_t taken, Where where);

/// A function of a list of T: takes std::span<const T>, or up to 9 of them; returns a T, or a tuple
/// or container of them.
template <class T>
class ListFunction {
 public:
  ListFunction() = default;
  template <class F>
  requires(!std::same_as<std::remove_cvref_t<F>, ListFunction>) ListFunction(F&& function)
      : held_(make_shared_ptr<const Of<std::decay_t<F>>>(std::forward<F>(function))) {}

  explicit operator bool() const { return held_ != nullptr; }
  /// Throws ValueError, with the line, if it takes a different number or is empty.
  std::vector<T> operator()(std::span<const T> operands, Where where = Where::current()) const {
    if (held_ == nullptr) throw_no_function(where);
    return (*held_)(operands, where);
  }

 private:
  static constexpr std::size_t most = 9;

  struct Base {
    virtual ~Base() = default;
    virtual std::vector<T> operator()(std::span<const T>, Where) const = 0;
  };

  template <class F, std::size_t... i>
  static constexpr bool takes(std::index_sequence<i...>) {
    return std::is_invocable_v<const F&, decltype((void(i), std::declval<const T&>()))...>;
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
  static std::vector<T> as_list(Result result) {
    if constexpr (std::convertible_to<Result, T>) {
      return {T(result)};
    } else if constexpr (detail::Range<Result>) {
      return {result.begin(), result.end()};
    } else {
      return std::apply([](const auto&... part) { return std::vector{T(part)...}; }, result);
    }
  }

  template <class F>
  struct Of : Base {
    explicit Of(F f) : function(std::move(f)) {}
    std::vector<T> operator()(std::span<const T> operands, Where where) const override {
      if constexpr (std::is_invocable_v<const F&, std::span<const T>>) {
        return as_list(detail::call_at(where, function, operands));
      } else {
        constexpr std::size_t count = arity<F>();
        static_assert(count <= most, "sinter::custom_op requires functions of tensors");
        require_operand_count(operands.size(), count, where);
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

using TensorFunction = ListFunction<Tensor>;

/// A host function on raw memory, and what tells it apart from others.
class HostCall {
 public:
  HostCall() = default;
  template <class F>
  requires std::is_invocable_v < const std::decay_t<F>
  &, std::span<const RawTensor>, std::span < const RawTensor >> HostCall(F&& given) {
    using Function = std::decay_t<F>;
    Function function(std::forward<F>(given));
    if constexpr (requires { function == nullptr; }) {
      if (function == nullptr) return;
    }
    if constexpr (std::is_empty_v<Function>) {
      identity = identity_of_call(&type_tag<Function>, nullptr, 0);
    } else if constexpr (std::has_unique_object_representations_v<Function>) {
      identity = identity_of_call(&type_tag<Function>, &function, sizeof(function));
    } else {
      identity = new_identity();
    }
    held = make_shared_ptr<const Of<Function>>(std::move(function));
  }

  SharedPtr<const HostKernel> held{};
  Hash identity{};  ///< Equal for equal functions with equal captures, if they can be compared.

 private:
  template <class F>
  static constexpr char type_tag = 0;

  template <class F>
  struct Of : HostKernel {
    explicit Of(F f) : function(std::move(f)) {}
    void operator()(std::span<const RawTensor> in, std::span<const RawTensor> out) const override {
      function(in, out);
    }
    F function;
  };
};

}  // namespace detail

/// The implementation of a custom operation: docs/own_kernels.md.
struct CustomOp {
  /// The results from the operands. Without it they are those of `reference`, else one as the first
  /// operand.
  detail::ListFunction<TensorSpec> shape{};
  /// On the host: called on dense memory at its place in each replay, by any thread.
  detail::HostCall call{};
  /// On the host: C++ that defines a function of the name of the operation, without its namespace:
  /// of pointers to the operands, pointers to the results, and sizes; or of values, elementwise.
  std::string cpp{};
  std::string cuda{};  ///< The same on a GPU, a __global__ or a __device__ function.
  detail::TensorFunction
      reference{};                   ///< The same in operations: gradient, batches, other devices.
  detail::TensorFunction forward{};  ///< Computes the results from evaluated tensors, at a break.
  detail::TensorFunction
      backward{};  ///< x..., y..., g... to the gradients of x...; made of operations.
  bool has_side_effects = false;  ///< It runs although nobody reads its results, in order.
};

/// The result of custom_op<name>(rules).
class CustomOpFunction {
 public:
  CustomOpFunction(std::string_view name, CustomOp rules, Where where);

  /// The one result.
  template <class... Args>
  Tensor operator()(const Args&... args) const {
    return results(args...).at(0);
  }
  /// All of them.
  template <class... Args>
  std::vector<Tensor> results(const Args&... args) const {
    return call({Operand(args, where_).tensor()...});
  }

 private:
  std::vector<Tensor> call(std::vector<Tensor> operands) const;

  CustomOp rules_;
  detail::SharedPtr<const detail::CustomCode> code_;
  Where where_;
};

/// Makes a kernel of the user an operation: custom_op<"shop::discount">({.cpp = text, .reference =
/// f}). With `call`, `cpp` or `cuda` it is a node of the graph. It is pure unless it has side
/// effects: equal calls may become one, and unread ones none. Its gradient is that of `reference`,
/// or `backward`, as in custom_gradient.
///
/// With `forward` alone the graph breaks: it gets tensors whose elements it may read, and creates
/// its results, for example with from_vector; without `backward` no gradient flows.
///
/// Throws ValueError if a function takes a different number of tensors; ShapeError and DTypeError
/// for results that cannot be; GraphBreakError with `forward` alone and fullgraph, and in branches,
/// loops and batches
template <detail::OpName name>
CustomOpFunction custom_op(CustomOp rules, Where where = Where::current()) {
  return {name.text, std::move(rules), where};
}

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/interop/custom_op.ipp>
#endif
