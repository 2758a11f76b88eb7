// test: moved
#include <doctest/doctest.h>
#include <sinter/jit/interface/parameters.hpp>

#include <concepts>

#include "jit/support.hpp"

using namespace testing;

namespace {

struct Net {
  Tensor weight;
  SINTER_MODULE(Net, weight)
  Tensor forward(const Tensor& x) const { return x * weight; }
};

[[maybe_unused]] Tensor plain(const Tensor& x, Tensor& state, double factor) noexcept {
  return x * state * factor;
}

// The type that an `Argument` is bound to by a parameter of type `Parameter`.
template <class Parameter, class Argument>
using Bound = typename jit::detail::Binding<Parameter, Argument>::type;

using Typed = TensorOf<float, "batch", 4>;

template <class F>
using Declared = typename decltype(jit::detail::declared_parameters<F>())::type;

}  // namespace

TEST_CASE("parameters: of functions, lambdas and forward()") {
  CHECK(std::same_as<Declared<decltype(&plain)>, std::tuple<const Tensor&, Tensor&, double>>);
  CHECK(std::same_as<Declared<Net>, std::tuple<const Tensor&>>);
  CHECK(std::same_as<Declared<const Net>, std::tuple<const Tensor&>>);
  const auto lambda = [](Tensor x, const Scalar& y) { return x * y; };
  CHECK(std::same_as<Declared<decltype(lambda)>, std::tuple<Tensor, const Scalar&>>);
}

TEST_CASE("parameters: of a template are unknown, of a gradient never changed") {
  const auto generic = [](const auto& x) { return x; };
  CHECK(std::same_as<Declared<decltype(generic)>, jit::detail::Unknown>);
  CHECK(std::same_as<Declared<decltype(grad(generic))>, jit::detail::Observing>);
  CHECK(std::same_as<Declared<decltype(value_and_grad(generic))>, jit::detail::Observing>);
}

TEST_CASE("parameters: const parameters are bound as const, for lvalues and rvalues") {
  CHECK(std::same_as<Bound<const Tensor&, Tensor&>, const Tensor&>);
  CHECK(std::same_as<Bound<const Tensor&, Tensor>, const Tensor>);
  CHECK(std::same_as<Bound<Tensor, Tensor&>, const Tensor&>);
  CHECK(std::same_as<Bound<Operand, Tensor&>, const Tensor&>);
  CHECK(std::same_as<Bound<Tensor&, Tensor&>, Tensor&>);
  CHECK(std::same_as<Bound<Tensor&&, Tensor>, Tensor>);
  CHECK(std::same_as<Bound<jit::detail::Unknown, Tensor&>, Tensor&>);
  CHECK(std::same_as<jit::SignatureType<const Tensor&>, jit::SignatureType<const Tensor>>);
  CHECK_FALSE(std::same_as<jit::SignatureType<Tensor&>, jit::SignatureType<const Tensor>>);
}

TEST_CASE(
    "parameters: typed tensors, Scalars, numbers and strings are converted to the parameter type") {
  CHECK(std::same_as<Bound<const Typed&, Tensor&>, const Typed>);
  CHECK(std::same_as<Bound<const Typed&, Typed&>, const Typed&>);
  CHECK(std::same_as<Bound<const Scalar&, float>, const Scalar>);
  CHECK(std::same_as<Bound<double, int>, const double>);
  CHECK(std::same_as<Bound<const std::string&, const char(&)[3]>, const std::string>);
}

TEST_CASE("parameters: a literal is a string if the parameter takes one, else a pointer") {
  using Literal = decltype(("abc"));
  CHECK(std::same_as<Bound<const std::string&, Literal>, const std::string>);
  CHECK(std::same_as<Bound<std::string_view, Literal>, const std::string>);
  CHECK(std::same_as<Bound<std::optional<std::string>, Literal>, const std::string>);
  CHECK(std::same_as<Bound<const char*, Literal>, const char* const>);
  CHECK(std::same_as<Bound<jit::detail::Unknown, Literal>, const char* const>);
  const auto signed_by =
      compile([](const Tensor& x, std::string_view sign) { return sign == "-" ? -x : x; },
              {.backend = Backend::eager});
  for (int i = 0; i < 2; ++i) {
    CHECK(near(signed_by(vector({1, 2}), "-"), {-1, -2}));
    CHECK(near(signed_by(vector({1, 2}), "plus"), {1, 2}));
  }
  CHECK(signed_by.stats().recordings == 2);
}

TEST_CASE("parameters: results are values, typed expressions typed tensors") {
  const auto reference = [](const Tensor& x) -> const Tensor& { return x; };
  const auto expression = [](const TensorOf<float, 4>& x) { return x + x; };
  const auto nothing = [](Tensor&) {};
  CHECK(std::same_as<jit::ResultOf<decltype(reference), Tensor&>, Tensor>);
  CHECK(std::same_as<jit::ResultOf<decltype(expression), const TensorOf<float, 4>&>,
                     TensorOf<float, 4>>);
  CHECK(std::same_as<jit::ResultOf<decltype(nothing), Tensor&>, void>);
}

TEST_CASE("parameters: an argument that is not a typed tensor is checked with the caller's types") {
  const auto f = compile([](const Typed& x) { return x * 2.0f; });
  CHECK(near(f(tensor({1, 2, 3, 4}, {1, 4})), {2, 4, 6, 8}));
  CHECK_THROWS_AS(f(zeros({2, 5})), ShapeError);
  CHECK_THROWS_AS(f(zeros({2, 4}, f64)), DTypeError);
}
