// test: moved
// Reductions and scans, against torch.

#include <doctest/doctest.h>

#include "reference.hpp"

namespace {

using namespace reference;

using In = const Inputs&;
using Opt = const Options&;

const Table table{
    "reduction",
    {
        {"sum", [](In x, Opt o) -> Outputs { return sum(x[0], o.axes(0), o.flag(1)); }},
        {"mean", [](In x, Opt o) -> Outputs { return mean(x[0], o.axes(0), o.flag(1)); }},
        {"prod", [](In x, Opt o) -> Outputs { return prod(x[0], o.axes(0), o.flag(1)); }},
        {"logsumexp", [](In x, Opt o) -> Outputs { return logsumexp(x[0], o.axes(0), o.flag(1)); }},
        {"nansum", [](In x, Opt o) -> Outputs { return nansum(x[0], o.axes(0), o.flag(1)); }},
        {"nanmean", [](In x, Opt o) -> Outputs { return nanmean(x[0], o.axes(0), o.flag(1)); }},
        {"count_nonzero", [](In x, Opt o) -> Outputs { return count_nonzero(x[0], o.axes(0)); }},
        {"max", [](In x, Opt o) -> Outputs { return max(x[0], o.axes(0), o.flag(1)); }},
        {"min", [](In x, Opt o) -> Outputs { return min(x[0], o.axes(0), o.flag(1)); }},
        {"any", [](In x, Opt o) -> Outputs { return any(x[0], o.axes(0), o.flag(1)); }},
        {"all", [](In x, Opt o) -> Outputs { return all(x[0], o.axes(0), o.flag(1)); }},
        {"argmax", [](In x, Opt o) -> Outputs { return argmax(x[0], o.axes(0), o.flag(1)); }},
        {"argmin", [](In x, Opt o) -> Outputs { return argmin(x[0], o.axes(0), o.flag(1)); }},
        {"var",
         [](In x, Opt o) -> Outputs { return var(x[0], o.axes(0), o.flag(1), o.integer(2)); }},
        {"std",
         [](In x, Opt o) -> Outputs {
           return sinter::std(x[0], o.axes(0), o.flag(1), o.integer(2));
         }},
        {"norm",
         [](In x, Opt o) -> Outputs { return norm(x[0], o.number(0), o.axes(1), o.flag(2)); }},
        {"cumsum", [](In x, Opt o) -> Outputs { return cumsum(x[0], o.integer(0)); }},
        {"cumprod", [](In x, Opt o) -> Outputs { return cumprod(x[0], o.integer(0)); }},
    }};

}  // namespace

REFERENCE_TESTS("reduction", table);
