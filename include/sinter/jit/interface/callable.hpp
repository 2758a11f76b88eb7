#pragma once
// Type-erased calls: copies, flattens, compares and assigns the arguments, and calls the function
// on copies, without knowing their types.

#include <cstddef>      // std::size_t
#include <cstdint>      // std::uintptr_t
#include <optional>     // std::optional
#include <tuple>        // std::tuple
#include <type_traits>  // std::is_empty_v
#include <utility>      // std::move, std::index_sequence

#include <sinter/base/container/optional.hpp>
#include <sinter/base/container/shared_ptr.hpp>
#include <sinter/base/container/span.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/guard/snapshot.hpp>
#include <sinter/jit/interface/signature.hpp>
#include <sinter/trace/interop/host.hpp>
#include <sinter/trace/module/call_at.hpp>
#include <sinter/trace/transform/grad.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

namespace detail {

template <class F>
inline constexpr bool may_replay = std::is_empty_v<F> || std::is_pointer_v<F> ||
                                   std::is_function_v<F> || Module<std::remove_const_t<F>>;
template <class F>
inline constexpr bool may_replay<const F> = may_replay<F>;
// The result of a transform.
template <class F>
requires requires { typename F::Transformed; }
inline constexpr bool may_replay<F> = may_replay<typename F::Transformed>;
template <class F>
inline constexpr bool may_replay<AssumedPure<F>> = true;

// True if the user promised, with assume_pure, that its captures do not change.
template <class F>
inline constexpr bool is_pure = false;
template <class F>
inline constexpr bool is_pure<const F> = is_pure<F>;
template <class F>
inline constexpr bool is_pure<AssumedPure<F>> = true;

}  // namespace detail

/// Copies of the callable and of the arguments of a call.
class AnyCopies {
 public:
  virtual ~AnyCopies() = default;
  virtual SharedPtr<AnyCopies> copy() const = 0;
  /// With the constness of the original arguments.
  virtual CallSignature signature() = 0;
  virtual detail::Names names() = 0;
  virtual void name_modules(Recorder& recorder) = 0;
  /// Calls the function as if at `where`. Returns its result, null for void, and adds its leaves to
  /// `leaves`.
  virtual SharedPtr<void> invoke(guard::Leaves& leaves, Where where) = 0;
};

/// Properties of a callable that follow from its type.
struct CallableKind {
  bool may_replay = false;
  bool is_pure = false;
  const void* arguments = nullptr;  ///< Identifies the types of the arguments.
};

/// A call; as LeafNames it gives the names of its leaves.
class AnyCall : public LeafNames {
 public:
  explicit AnyCall(const CallableKind& kind) : kind_(kind) {}

  const CallableKind& kind() const { return kind_; }
  const detail::Names& names() const;
  std::vector<std::string> leaves() const override;
  Vector<guard::PlainValue> plain() const override;

  virtual CallSignature signature() const = 0;
  virtual void compare(guard::Comparison& comparison) const = 0;
  virtual void note(guard::Snapshot& snapshot) const = 0;
  virtual bool may_overlap() const = 0;
  virtual SharedPtr<AnyCopies> copy() const = 0;
  /// Assigns to the mutable arguments.
  virtual void assign(AnyCopies& copies) const = 0;

  /// Runs the function itself, called as if at `where`, for the result.
  virtual void run_as_written(Where where) = 0;
  /// Takes the result from `result`, returned by invoke().
  virtual void take_result(void* result) = 0;
  /// Sets the result to a copy of `result` with these tensors in it.
  virtual void fill_result(const void* result, Span<Tensor> tensors) = 0;

 protected:
  virtual detail::Names find_names() const = 0;

 private:
  CallableKind kind_;
  mutable sinter::detail::Optional<detail::Names> names_{};  // computed on demand
};

namespace detail {

// Assigns to the mutable arguments.
template <class Self, class... Bound>
void assign_arguments(Self& self, std::tuple<Bound...>& bound, Copies<Self, Bound...>& copies) {
  const auto assign = [](auto& to, auto& from) {
    if constexpr (!std::is_const_v<std::remove_reference_t<decltype(to)>>) to = from;
  };
  if constexpr (Module<std::remove_const_t<Self>>) assign(self, copies.self);
  std::apply(
      [&](auto&... to) {
        std::apply([&](auto&... from) { (assign(to, from), ...); }, copies.arguments);
      },
      bound);
}

/// Calls the function with its arguments or with copies of them. Nothing else here depends on the
/// type of the function, so functions with the same parameters and result share all other code.
template <class Result, class... Bound>
struct Invocation {
  Result (*on_arguments)(const void* function, std::tuple<Bound...>& arguments, Where where);
  Result (*on_copies)(const void* function, std::tuple<std::decay_t<Bound>...>& copies,
                      Where where);
};

template <class Result, class F, class... Bound, std::size_t... i>
Result call_on_arguments(const void* function, std::tuple<Bound...>& arguments, Where where,
                         std::index_sequence<i...>) {
  F& called = const_cast<F&>(*static_cast<const F*>(function));
  return sinter::detail::call_as<Bound&&...>(where, called, std::get<i>(arguments)...);
}

// Passes lvalues or rvalues, const or not, as the call did. Rvalues are copied again, because the
// function may move from them.
template <class Result, class F, class... Bound, std::size_t... i>
Result call_on_copies(const void* function, std::tuple<std::decay_t<Bound>...>& copies, Where where,
                      std::index_sequence<i...>) {
  F& called = const_cast<F&>(*static_cast<const F*>(function));
  return sinter::detail::call_as<Bound...>(where, called, std::get<i>(copies)...);
}

template <class Result, class F, class... Bound>
inline constexpr Invocation<Result, Bound...> invocation_of{
    [](const void* function, std::tuple<Bound...>& arguments, Where where) -> Result {
      return call_on_arguments<Result, F, Bound...>(function, arguments, where,
                                                    std::index_sequence_for<Bound...>());
    },
    [](const void* function, std::tuple<std::decay_t<Bound>...>& copies, Where where) -> Result {
      return call_on_copies<Result, F, Bound...>(function, copies, where,
                                                 std::index_sequence_for<Bound...>());
    }};

// Puts `tensors` into leaves.
void fill(const guard::Leaves& leaves, Span<const Tensor> tensors);

template <class Result, class Self, class... Bound>
class TypedCopies final : public AnyCopies {
 public:
  TypedCopies(Copies<Self, Bound...> copies, const void* function, std::uintptr_t pointed_to,
              const Invocation<Result, Bound...>& invocation)
      : copies_(std::move(copies)),
        function_(function),
        pointed_to_(pointed_to),
        invocation_(invocation) {}

  Copies<Self, Bound...>& copies() { return copies_; }
  SharedPtr<AnyCopies> copy() const override { return make_shared_ptr<TypedCopies>(*this); }
  CallSignature signature() override {
    return signature_at(pointed_to_, signature_of_copies(copies_));
  }
  Names names() override {
    return names_at(pointed_to_, names_of(copies_.self, copies_.arguments));
  }
  void name_modules(Recorder& recorder) override {
    visit_arguments(copies_.self, copies_.arguments,
                    [&](auto& argument) { guard::name_modules(argument, recorder); });
  }
  SharedPtr<void> invoke(guard::Leaves& leaves, Where where) override {
    if constexpr (std::is_void_v<Result>) {
      invocation_.on_copies(function(), copies_.arguments, where);
      return nullptr;
    } else {
      auto result =
          make_shared_ptr<Result>(invocation_.on_copies(function(), copies_.arguments, where));
      guard::collect(*result, leaves);
      return result;
    }
  }

 private:
  // A module is called through its copy.
  const void* function() const {
    return Module<std::remove_const_t<Self>> ? __builtin_addressof(copies_.self) : function_;
  }

  Copies<Self, Bound...> copies_;
  const void* function_;
  std::uintptr_t pointed_to_;
  Invocation<Result, Bound...> invocation_;
};

struct NoResult {};

}  // namespace detail

/// A call of a function with these arguments. `Self` is the module, which is an argument of its own
/// call, or NoModule.
template <class Result, class Self, class... Bound>
class TypedCall final : public AnyCall {
 public:
  template <class F>
  TypedCall(F& function, std::tuple<Bound...>& bound)
      : AnyCall({detail::may_replay<F>, detail::is_pure<F>,
                 &sinter::detail::type_tag<std::tuple<Bound...>>}),
        self_(detail::self_of(function)),
        function_(__builtin_addressof(function)),
        pointed_to_(detail::pointed_to(function)),
        invocation_(detail::invocation_of<Result, F, Bound...>),
        bound_(bound) {}

  /// The result of the call.
  Result result() {
    if constexpr (!std::is_void_v<Result>) return std::move(*result_);
  }

  CallSignature signature() const override {
    return signature_at(pointed_to_, signature_of(self_, bound_));
  }
  void compare(guard::Comparison& comparison) const override {
    if (pointed_to_ != 0) comparison.equal = *comparison.next++ == pointed_to_;
    detail::visit_arguments(self_, bound_,
                            [&](auto& argument) { guard::compare(argument, comparison); });
  }
  void note(guard::Snapshot& snapshot) const override {
    if (pointed_to_ != 0) snapshot.words.push_back(pointed_to_);
    detail::visit_arguments(self_, bound_,
                            [&](auto& argument) { guard::note(argument, snapshot); });
  }
  bool may_overlap() const override { return jit::may_overlap(self_, bound_); }
  SharedPtr<AnyCopies> copy() const override {
    return make_shared_ptr<Copied>(detail::copy_of<Self, Bound...>(self_, bound_), function_,
                                   pointed_to_, invocation_);
  }
  void assign(AnyCopies& copies) const override {
    detail::assign_arguments(self_, bound_, static_cast<Copied&>(copies).copies());
  }

  void run_as_written(Where where) override {
    if constexpr (std::is_void_v<Result>) {
      invocation_.on_arguments(function_, bound_, where);
    } else {
      result_.emplace(invocation_.on_arguments(function_, bound_, where));
    }
  }
  void take_result([[maybe_unused]] void* result) override {
    if constexpr (!std::is_void_v<Result>)
      result_.emplace(std::move(*static_cast<Result*>(result)));
  }
  void fill_result([[maybe_unused]] const void* result,
                   [[maybe_unused]] Span<Tensor> tensors) override {
    if constexpr (std::is_same_v<Result, Tensor>) {
      result_.emplace(tensors.empty() ? Tensor() : std::move(tensors[0]));
    } else if constexpr (!std::is_void_v<Result>) {
      result_.emplace(*static_cast<const Result*>(result));
      guard::Leaves leaves;
      guard::collect(*result_, leaves);
      detail::fill(leaves, tensors);
    }
  }

 private:
  using Copied = detail::TypedCopies<Result, Self, Bound...>;

  detail::Names find_names() const override {
    return detail::names_at(pointed_to_, detail::names_of(self_, bound_));
  }

  Self& self_;
  const void* function_;
  std::uintptr_t pointed_to_;
  detail::Invocation<Result, Bound...> invocation_;
  std::tuple<Bound...>& bound_;
  std::optional<std::conditional_t<std::is_void_v<Result>, detail::NoResult, Result>> result_{};
};

/// SINTER_CHECK, read once.
bool checks();

}  // namespace sinter::inline SINTER_ABI::detail::jit

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/interface/callable.ipp>
#endif
