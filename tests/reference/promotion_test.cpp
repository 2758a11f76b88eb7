// test: moved
// The dtypes of results, against torch.

#include <doctest/doctest.h>

#include "reference.hpp"

namespace {

using namespace reference;

using In = const Inputs&;
using Opt = const Options&;

const Table table{
    "promotion",
    {
        {"add", [](In x, Opt) -> Outputs { return x[0] + x[1]; }},
        {"mul", [](In x, Opt) -> Outputs { return x[0] * x[1]; }},
        {"div", [](In x, Opt) -> Outputs { return x[0] / x[1]; }},
        {"maximum", [](In x, Opt) -> Outputs { return maximum(x[0], x[1]); }},
        {"atan2", [](In x, Opt) -> Outputs { return atan2(x[0], x[1]); }},
        {"pow", [](In x, Opt) -> Outputs { return pow(x[0], x[1]); }},
        {"lt", [](In x, Opt) -> Outputs { return x[0] < x[1]; }},
        {"where", [](In x, Opt) -> Outputs { return where(x[0] == x[0], x[0], x[1]); }},
        {"cast",
         [](In x, Opt o) -> Outputs {
           const Tensor first = x[0].to(o.dtype(0));
           return o.count() > 1 ? first.to(o.dtype(1)) : first;
         }},
        {"add_number", [](In x, Opt o) -> Outputs { return x[0] + o.operand(0); }},
        {"mul_number", [](In x, Opt o) -> Outputs { return x[0] * o.operand(0); }},
        {"div_number", [](In x, Opt o) -> Outputs { return x[0] / o.operand(0); }},
        {"lt_number", [](In x, Opt o) -> Outputs { return x[0] < o.operand(0); }},
        {"number_sub", [](In x, Opt o) -> Outputs { return sub(o.operand(0), x[0]); }},
    }};

}  // namespace

REFERENCE_TESTS("promotion", table);
