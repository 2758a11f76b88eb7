// test: moved
// Movement functions, against torch.

#include <doctest/doctest.h>

#include "reference.hpp"

namespace {

using namespace reference;

using In = const Inputs&;
using Opt = const Options&;

// Axes merged to one: "0.1" is the product of the extents of axes 0 and 1.
Shape merged_shape(const Tensor& x, const std::vector<std::string>& groups) {
  Shape result;
  for (const std::string& group : groups) {
    Extent size = 1;
    for (const char c : group) {
      if (c != '.') size = size * x.size(c - '0');
    }
    result.push_back(size);
  }
  return result;
}

std::vector<std::pair<Extent, Extent>> pairs(const std::vector<std::int64_t>& widths) {
  std::vector<std::pair<Extent, Extent>> result;
  for (std::size_t i = 0; i < widths.size(); i += 2) result.emplace_back(widths[i], widths[i + 1]);
  return result;
}

PadMode mode_named(const std::string& name) {
  if (name == "reflect") return PadMode::reflect;
  return name == "replicate" ? PadMode::replicate : PadMode::circular;
}

const Table table{
    "movement",
    {
        {"reshape", [](In x, Opt o) -> Outputs { return reshape(x[0], o.shape(0)); }},
        {"merge",
         [](In x, Opt o) -> Outputs { return reshape(x[0], merged_shape(x[0], o.list(0))); }},
        {"flatten",
         [](In x, Opt o) -> Outputs { return flatten(x[0], o.integer(0), o.integer(1)); }},
        {"unflatten",
         [](In x, Opt o) -> Outputs { return unflatten(x[0], o.integer(0), o.shape(1)); }},
        {"squeeze", [](In x, Opt o) -> Outputs { return squeeze(x[0], o.axes(0)); }},
        {"unsqueeze", [](In x, Opt o) -> Outputs { return unsqueeze(x[0], o.integer(0)); }},
        {"permute", [](In x, Opt o) -> Outputs { return permute(x[0], o.ints(0)); }},
        {"transpose",
         [](In x, Opt o) -> Outputs { return transpose(x[0], o.integer(0), o.integer(1)); }},
        {"flip", [](In x, Opt o) -> Outputs { return flip(x[0], o.axes(0)); }},
        {"roll",
         [](In x, Opt o) -> Outputs {
           if (!o.has(1)) return roll(x[0], o.integers(0)[0]);
           return roll(x[0], o.integers(0), o.ints(1));
         }},
        {"expand", [](In x, Opt o) -> Outputs { return expand(x[0], o.shape(0)); }},
        {"tile", [](In x, Opt o) -> Outputs { return tile(x[0], o.shape(0)); }},
        {"repeat", [](In x, Opt o) -> Outputs { return repeat(x[0], o.shape(0)); }},
        {"pad",
         [](In x, Opt o) -> Outputs { return pad(x[0], pairs(o.integers(0)), o.operand(1)); }},
        {"concatenate", [](In x, Opt o) -> Outputs { return concatenate(x, o.integer(0)); }},
        {"stack", [](In x, Opt o) -> Outputs { return stack(x, o.integer(0)); }},
        {"split", [](In x, Opt o) -> Outputs { return split(x[0], o.integer(0), o.integer(1)); }},
        {"split_sizes",
         [](In x, Opt o) -> Outputs { return split(x[0], o.integers(0), o.integer(1)); }},
        {"chunk", [](In x, Opt o) -> Outputs { return chunk(x[0], o.integer(0), o.integer(1)); }},
        {"moveaxis",
         [](In x, Opt o) -> Outputs { return moveaxis(x[0], o.integer(0), o.integer(1)); }},
        {"rot90", [](In x, Opt o) -> Outputs { return rot90(x[0], o.integer(0)); }},
        {"unfold",
         [](In x, Opt o) -> Outputs {
           return unfold(x[0], o.integer(0), o.integer(1), o.integer(2));
         }},
        {"repeat_interleave",
         [](In x, Opt o) -> Outputs {
           if (!o.has(1)) return repeat_interleave(x[0], o.integer(0));
           return repeat_interleave(x[0], o.integer(0), o.integer(1));
         }},
        {"narrow",
         [](In x, Opt o) -> Outputs {
           return narrow(x[0], o.integer(0), o.integer(1), o.integer(2));
         }},
        {"unbind", [](In x, Opt o) -> Outputs { return unbind(x[0], o.integer(0)); }},
        {"hstack", [](In x, Opt) -> Outputs { return hstack(x); }},
        {"vstack", [](In x, Opt) -> Outputs { return vstack(x); }},
        {"meshgrid", [](In x, Opt o) -> Outputs { return meshgrid(x, o.text(0)); }},
        {"diagonal", [](In x, Opt o) -> Outputs { return diagonal(x[0], o.integer(0)); }},
        {"diag", [](In x, Opt o) -> Outputs { return diag(x[0], o.integer(0)); }},
        {"trace", [](In x, Opt) -> Outputs { return trace(x[0]); }},
        {"pad_mode",
         [](In x, Opt o) -> Outputs {
           return pad(x[0], pairs(o.integers(0)), mode_named(o.text(1)));
         }},
    }};

}  // namespace

REFERENCE_TESTS("movement", table);
