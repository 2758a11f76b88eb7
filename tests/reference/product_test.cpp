// test: deep moved cost=25
// Products of matrices, einsum and attention, against torch.

#include <doctest/doctest.h>

#include "reference.hpp"

namespace {

using namespace reference;

using In = const Inputs&;
using Opt = const Options&;

Outputs attention(In x, Opt o) {
  AttentionOptions options{.causal = o.flag(0)};
  if (x.size() == 4) options.mask = x[3];
  if (o.has(1)) options.scale = o.number(1);
  return scaled_dot_product_attention(x[0], x[1], x[2], options);
}

const Table table{
    "product",
    {
        {"matmul", [](In x, Opt) -> Outputs { return matmul(x[0], x[1]); }},
        {"bmm", [](In x, Opt) -> Outputs { return bmm(x[0], x[1]); }},
        {"linear",
         [](In x, Opt) -> Outputs {
           return x.size() == 3 ? linear(x[0], x[1], x[2]) : linear(x[0], x[1]);
         }},
        {"outer", [](In x, Opt) -> Outputs { return outer(x[0], x[1]); }},
        {"dot", [](In x, Opt) -> Outputs { return dot(x[0], x[1]); }},
        {"mm", [](In x, Opt) -> Outputs { return mm(x[0], x[1]); }},
        {"mv", [](In x, Opt) -> Outputs { return mv(x[0], x[1]); }},
        {"inner", [](In x, Opt) -> Outputs { return inner(x[0], x[1]); }},
        {"tensordot", [](In x, Opt o) -> Outputs { return tensordot(x[0], x[1], o.integer(0)); }},
        {"tensordot_axes",
         [](In x, Opt o) -> Outputs { return tensordot(x[0], x[1], o.ints(0), o.ints(1)); }},
        {"cross", [](In x, Opt) -> Outputs { return cross(x[0], x[1]); }},
        {"einsum", [](In x, Opt o) -> Outputs { return einsum(o.text(0), x); }},
        {"attention", [](In x, Opt o) -> Outputs { return attention(x, o); }},
    }};

}  // namespace

REFERENCE_TESTS("product", table);
