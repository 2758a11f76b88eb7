// test: moved
// Creation of tensors, and triangles, against torch.

#include <doctest/doctest.h>

#include "reference.hpp"

namespace {

using namespace reference;

using In = const Inputs&;
using Opt = const Options&;

const Table table{
    "creation",
    {
        {"zeros", [](In, Opt o) -> Outputs { return zeros(o.shape(0), o.dtype(1)); }},
        {"ones", [](In, Opt o) -> Outputs { return ones(o.shape(0), o.dtype(1)); }},
        {"full", [](In, Opt o) -> Outputs { return full(o.shape(0), o.operand(1), o.dtype(2)); }},
        {"zeros_like", [](In x, Opt) -> Outputs { return zeros_like(x[0]); }},
        {"ones_like", [](In x, Opt) -> Outputs { return ones_like(x[0]); }},
        {"full_like", [](In x, Opt o) -> Outputs { return full_like(x[0], o.operand(0)); }},
        {"arange",
         [](In, Opt o) -> Outputs {
           if (o.count() == 1) return arange(o.integer(0));
           return arange(o.operand(0), o.operand(1), o.operand(2));
         }},
        {"linspace",
         [](In, Opt o) -> Outputs { return linspace(o.operand(0), o.operand(1), o.integer(2)); }},
        {"logspace",
         [](In, Opt o) -> Outputs {
           return logspace(o.operand(0), o.operand(1), o.integer(2), o.number(3));
         }},
        {"eye", [](In, Opt o) -> Outputs { return eye(o.integer(0)); }},
        {"eye_rectangle", [](In, Opt o) -> Outputs { return eye(o.integer(0), o.integer(1)); }},
        {"tril", [](In x, Opt o) -> Outputs { return tril(x[0], o.integer(0)); }},
        {"triu", [](In x, Opt o) -> Outputs { return triu(x[0], o.integer(0)); }},
    }};

}  // namespace

REFERENCE_TESTS("creation", table);
