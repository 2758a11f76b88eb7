// test: moved cost=25
// Functions that compute each element from the same element of each operand, against torch.

#include <doctest/doctest.h>

#include "elementwise_functions.hpp"
#include "reference.hpp"

namespace {

using namespace reference;

using In = const Inputs&;
using Opt = const Options&;

// Table: functions of one tensor and numbers.
const std::vector<Row> parametric{
    {"leaky_relu", [](In x, Opt o) -> Outputs { return leaky_relu(x[0], o.number(0)); }},
    {"elu", [](In x, Opt o) -> Outputs { return elu(x[0], o.number(0)); }},
    {"gelu_tanh", [](In x, Opt) -> Outputs { return gelu(x[0], Gelu::tanh); }},
    {"softplus_beta",
     [](In x, Opt o) -> Outputs { return softplus(x[0], o.number(0), o.number(1)); }},
    {"hardtanh", [](In x, Opt o) -> Outputs { return hardtanh(x[0], o.number(0), o.number(1)); }},
    {"celu", [](In x, Opt o) -> Outputs { return celu(x[0], o.number(0)); }},
    {"softshrink", [](In x, Opt o) -> Outputs { return softshrink(x[0], o.number(0)); }},
    {"hardshrink", [](In x, Opt o) -> Outputs { return hardshrink(x[0], o.number(0)); }},
    {"threshold", [](In x, Opt o) -> Outputs { return threshold(x[0], o.number(0), o.number(1)); }},
    {"nan_to_num", [](In x, Opt o) -> Outputs { return nan_to_num(x[0], o.number(0)); }},
    {"prelu", [](In x, Opt) -> Outputs { return prelu(x[0], x[1]); }},
    {"glu", [](In x, Opt o) -> Outputs { return glu(x[0], o.integer(0)); }},
    {"logit",
     [](In x, Opt o) -> Outputs {
       return o.count() == 0 ? logit(x[0]) : logit(x[0], o.number(0));
     }},
    {"round_decimals", [](In x, Opt o) -> Outputs { return round(x[0], o.integer(0)); }},
    {"dropout", [](In x, Opt o) -> Outputs { return dropout(x[0], o.number(0)); }},
    {"clamp", [](In x, Opt o) -> Outputs { return clamp(x[0], o.operand(0), o.operand(1)); }},
    {"clamp_min", [](In x, Opt o) -> Outputs { return clamp_min(x[0], o.operand(0)); }},
    {"clamp_max", [](In x, Opt o) -> Outputs { return clamp_max(x[0], o.operand(0)); }},
    {"clamp_tensors", [](In x, Opt) -> Outputs { return clamp(x[0], x[1], x[2]); }},
    {"pow_number", [](In x, Opt o) -> Outputs { return pow(x[0], o.operand(0)); }},
    {"number_pow", [](In x, Opt o) -> Outputs { return pow(o.operand(0), x[0]); }},
    {"where_sqrt", [](In x, Opt) -> Outputs { return where(x[0] > 0, sqrt(x[0]), x[0]); }},
    {"lerp", [](In x, Opt) -> Outputs { return lerp(x[0], x[1], x[2]); }},
    {"lerp_number", [](In x, Opt o) -> Outputs { return lerp(x[0], x[1], o.operand(0)); }},
    {"where", [](In x, Opt) -> Outputs { return where(x[0], x[1], x[2]); }},
};

// Table: functions of two tensors.
const std::vector<Row> binary{
    {"add", [](In x, Opt) -> Outputs { return x[0] + x[1]; }},
    {"sub", [](In x, Opt) -> Outputs { return x[0] - x[1]; }},
    {"mul", [](In x, Opt) -> Outputs { return x[0] * x[1]; }},
    {"div", [](In x, Opt) -> Outputs { return x[0] / x[1]; }},
    {"pow", [](In x, Opt) -> Outputs { return pow(x[0], x[1]); }},
    {"atan2", [](In x, Opt) -> Outputs { return atan2(x[0], x[1]); }},
    {"minimum", [](In x, Opt) -> Outputs { return minimum(x[0], x[1]); }},
    {"maximum", [](In x, Opt) -> Outputs { return maximum(x[0], x[1]); }},
    {"remainder", [](In x, Opt) -> Outputs { return x[0] % x[1]; }},
    {"floor_divide", [](In x, Opt) -> Outputs { return floor_divide(x[0], x[1]); }},
    {"fmod", [](In x, Opt) -> Outputs { return fmod(x[0], x[1]); }},
    {"hypot", [](In x, Opt) -> Outputs { return hypot(x[0], x[1]); }},
    {"logaddexp", [](In x, Opt) -> Outputs { return logaddexp(x[0], x[1]); }},
    {"copysign", [](In x, Opt) -> Outputs { return copysign(x[0], x[1]); }},
    {"fmin", [](In x, Opt) -> Outputs { return fmin(x[0], x[1]); }},
    {"fmax", [](In x, Opt) -> Outputs { return fmax(x[0], x[1]); }},
    {"isclose", [](In x, Opt) -> Outputs { return isclose(x[0], x[1]); }},
    {"eq", [](In x, Opt) -> Outputs { return x[0] == x[1]; }},
    {"ne", [](In x, Opt) -> Outputs { return x[0] != x[1]; }},
    {"lt", [](In x, Opt) -> Outputs { return x[0] < x[1]; }},
    {"le", [](In x, Opt) -> Outputs { return x[0] <= x[1]; }},
    {"gt", [](In x, Opt) -> Outputs { return x[0] > x[1]; }},
    {"ge", [](In x, Opt) -> Outputs { return x[0] >= x[1]; }},
    {"logical_and", [](In x, Opt) -> Outputs { return logical_and(x[0], x[1]); }},
    {"logical_or", [](In x, Opt) -> Outputs { return logical_or(x[0], x[1]); }},
    {"logical_xor", [](In x, Opt) -> Outputs { return logical_xor(x[0], x[1]); }},
    {"bitwise_and", [](In x, Opt) -> Outputs { return x[0] & x[1]; }},
    {"bitwise_or", [](In x, Opt) -> Outputs { return x[0] | x[1]; }},
    {"bitwise_xor", [](In x, Opt) -> Outputs { return x[0] ^ x[1]; }},
    {"shift_left", [](In x, Opt) -> Outputs { return shift_left(x[0], x[1]); }},
    {"shift_right", [](In x, Opt) -> Outputs { return shift_right(x[0], x[1]); }},
};

// Functions of one tensor: the rows of tests/elementwise_functions.hpp.
std::vector<Row> unary() {
  std::vector<Row> result{{"bitwise_not", [](In x, Opt) -> Outputs { return ~x[0]; }}};
  for (const auto& function : elementwise_functions::functions) {
    const auto run = function.untyped;
    result.push_back({function.name, [run](In x, Opt) -> Outputs { return run(x[0]); }});
  }
  return result;
}

const Table table{"elementwise", joined({unary(), parametric, binary})};

}  // namespace

REFERENCE_TESTS("elementwise", table);
