// test: moved
// The typed forms of elementwise functions give what the untyped functions give.

#include "elementwise_functions.hpp"
#include "typed_agreement.hpp"

using namespace typed_agreement;

TEST_CASE("typed functions: each function of one operand gives what the untyped one gives") {
  for (const auto& function : elementwise_functions::functions) {
    Numbers places{function.low, (function.low + function.high) / 2, function.high};
    places.insert(places.end(), function.delicate.begin(), function.delicate.end());
    const Tensor operand = from_vector(places, {places.size()});
    INFO("row ", std::string(function.name), " of tests/elementwise_functions.hpp");

    const auto [result, dtype] = function.typed(operand);

    CHECK(alike(result, function.untyped(operand)));
    CHECK(result.dtype() == dtype);
  }
}

TEST_CASE("typed functions: each primitive of one floating operand has a row") {
  for (const OpInfo& row : op_table) {
    const bool is_unary = row.kind == OpKind::elementwise && row.arity == 1;
    if (!is_unary || row.takes == Takes::integral || row.name == "cast") continue;
    bool found = false;
    for (const auto& function : elementwise_functions::functions)
      found |= function.name == row.name;
    INFO("tests/elementwise_functions.hpp has no row for ", std::string(row.name));
    CHECK(found);
  }
}

TEST_CASE("typed functions: those with parameters give what the untyped ones give") {
  CHECK(agree(nan_to_num(x), nan_to_num(untyped)));
  CHECK(agree(round(x * 3, 1), round(untyped * 3, 1)));
}

TEST_CASE("typed functions: functions of more operands give what the untyped ones give") {
  const auto y = x + 1;
  const Tensor other = untyped + 1;
  CHECK(agree(atan2(x, y), atan2(untyped, other)));
  CHECK(agree(hypot(x, y), hypot(untyped, other)));
  CHECK(agree(logaddexp(x, y), logaddexp(untyped, other)));
  CHECK(agree(copysign(x, y), copysign(untyped, other)));
  CHECK(agree(fmod(x, y), fmod(untyped, other)));
  CHECK(agree(logical_and(x, y), logical_and(untyped, other)));
  CHECK(agree(logical_or(x, y), logical_or(untyped, other)));
  CHECK(agree(logical_xor(x, y), logical_xor(untyped, other)));
  CHECK(agree(clamp_min(x, y), clamp_min(untyped, other)));
  CHECK(agree(clamp_max(x, y), clamp_max(untyped, other)));
  CHECK(agree(fmin(x, y), fmin(untyped, other)));
  CHECK(agree(fmax(x, y), fmax(untyped, other)));
  CHECK(agree(clamp(x, -1, 1), clamp(untyped, -1, 1)));
  CHECK(agree(clamp(x, 0), clamp(untyped, 0)));
  CHECK(agree(clamp(x, std::nullopt, 1), clamp(untyped, std::nullopt, 1)));
  CHECK(agree(lerp(x, y, 0.25), lerp(untyped, other, 0.25)));
  CHECK(near(clamp(x, {.min = 0}), {0, 0, 0.25, 1, 3}));
}

TEST_CASE("typed functions: integers have the dtypes that they have at run time") {
  const TensorOf<std::int64_t, 5> integer = arange(5);
  CHECK(agree(floor(integer), floor(Tensor(integer))));
  CHECK(agree(round(integer), round(Tensor(integer))));
  CHECK(agree(fmod(integer, 3), fmod(Tensor(integer), 3)));
  CHECK(agree(sinh(integer), sinh(Tensor(integer))));
  CHECK(agree(clamp(integer, 0.5, 3), clamp(Tensor(integer), 0.5, 3)));
  CHECK(agree(isnan(integer), isnan(Tensor(integer))));
  CHECK(agree(nan_to_num(integer), nan_to_num(Tensor(integer))));
}

TEST_CASE("typed activations: those with parameters give what the untyped functions give") {
  CHECK(agree(leaky_relu(x), leaky_relu(untyped)));
  CHECK(agree(hardtanh(x), hardtanh(untyped)));
  CHECK(agree(elu(x), elu(untyped)));
  CHECK(agree(celu(x), celu(untyped)));
  CHECK(agree(softshrink(x), softshrink(untyped)));
  CHECK(agree(hardshrink(x), hardshrink(untyped)));
  CHECK(agree(logit(x), logit(untyped)));
  CHECK(agree(leaky_relu(x, 0.2), leaky_relu(untyped, 0.2)));
  CHECK(agree(hardtanh(x, -2, 2), hardtanh(untyped, -2, 2)));
  CHECK(agree(elu(x, 0.5), elu(untyped, 0.5)));
  CHECK(agree(softplus(x, 2, 5), softplus(untyped, 2, 5)));
  CHECK(agree(threshold(x, 0.5, 7), threshold(untyped, 0.5, 7)));
  CHECK(agree(gelu(x, Gelu::tanh), gelu(untyped, Gelu::tanh)));
}

TEST_CASE("typed activations: those without parameters are part of an expression") {
  const auto expression = relu(x * 2) + gelu(x);
  static_assert(decltype(expression)::leaves == 3);
  CHECK(alike(expression, relu(untyped * 2) + gelu(untyped)));
}
