// test: moved
// Indexing, gather and scatter, against torch.

#include <doctest/doctest.h>

#include "reference.hpp"

namespace {

using namespace reference;

using In = const Inputs&;
using Opt = const Options&;

std::optional<Extent> bound(const std::string& text) {
  if (text.empty()) return {};
  return Extent(std::atoi(text.c_str()));
}

// "1/3", "//2": the bounds and the step of a slice.
Slice slice_of(const std::string& text) {
  const auto first = text.find('/'), second = text.find('/', first + 1);
  Slice result{bound(text.substr(0, first)), bound(text.substr(first + 1, second - first - 1))};
  if (second != std::string::npos) result.step = std::atoi(text.c_str() + second + 1);
  return result;
}

Index index_of(const std::string& text) {
  if (text == "all") return all;
  if (text == "new") return newaxis;
  if (text == "ellipsis") return ellipsis;
  if (text.find('/') != std::string::npos) return slice_of(text);
  return std::atoi(text.c_str());
}

// "all,1/3,new"
std::vector<Index> brackets(const std::string& text) {
  std::vector<Index> result;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    result.push_back(index_of(text.substr(at, comma - at)));
    at = comma + 1;
  }
  return result;
}

Outputs both(const ValuesAndIndices& pair) { return std::vector{pair.values, pair.indices}; }

// Table: brackets.
const std::vector<Row> in_brackets{
    {"index", [](In x, Opt o) -> Outputs { return index(x[0], brackets(o.text(0))); }},
    {"set", [](In x, Opt o) -> Outputs { return set(x[0], brackets(o.text(0)), x[1]); }},
    {"set_number", [](In x, Opt o) -> Outputs { return set(x[0], brackets(o.text(0)), 7.0); }},
    {"index_tensor", [](In x, Opt) -> Outputs { return x[0][x[1]]; }},
    {"index_second",
     [](In x, Opt) -> Outputs {
       return x[0][{all, x[1]}];
     }},
    {"index_pair",
     [](In x, Opt) -> Outputs {
       return x[0][{x[1], x[2]}];
     }},
    {"index_apart",
     [](In x, Opt) -> Outputs {
       return x[0][{x[1], all, x[2]}];
     }},
    {"set_tensor", [](In x, Opt) -> Outputs { return set(x[0], x[1], x[2]); }},
    {"index_mask", [](In x, Opt) -> Outputs { return x[0][x[1]]; }, true},
    {"set_mask", [](In x, Opt) -> Outputs { return set(x[0], x[1], 3.0); }},
};

// Table: functions.
const std::vector<Row> functions{
    {"masked_fill", [](In x, Opt o) -> Outputs { return masked_fill(x[0], x[1], o.operand(0)); }},
    {"nonzero", [](In x, Opt) -> Outputs { return nonzero(x[0]); }, true},
    {"gather", [](In x, Opt o) -> Outputs { return gather(x[0], o.integer(0), x[1]); }},
    {"take_along_axis",
     [](In x, Opt o) -> Outputs { return take_along_axis(x[0], x[1], o.integer(0)); }},
    {"scatter_add",
     [](In x, Opt o) -> Outputs { return scatter_add(x[0], o.integer(0), x[1], x[2]); }},
    {"index_select", [](In x, Opt o) -> Outputs { return index_select(x[0], o.integer(0), x[1]); }},
    {"index_add", [](In x, Opt o) -> Outputs { return index_add(x[0], o.integer(0), x[1], x[2]); }},
    {"one_hot", [](In x, Opt o) -> Outputs { return one_hot(x[0], o.integer(0)); }},
    {"take", [](In x, Opt) -> Outputs { return take(x[0], x[1]); }},
    {"scatter", [](In x, Opt o) -> Outputs { return scatter(x[0], o.integer(0), x[1], x[2]); }},
    {"index_copy",
     [](In x, Opt o) -> Outputs { return index_copy(x[0], o.integer(0), x[1], x[2]); }},
    {"index_fill", [](In x, Opt o) -> Outputs { return index_fill(x[0], o.integer(0), x[1], 1); }},
    {"masked_select", [](In x, Opt) -> Outputs { return masked_select(x[0], x[1]); }, true},
    {"masked_scatter", [](In x, Opt) -> Outputs { return masked_scatter(x[0], x[1], x[2]); }},
    {"median", [](In x, Opt o) -> Outputs { return both(median(x[0], o.integer(0), o.flag(1))); }},
    {"median_all", [](In x, Opt) -> Outputs { return median(x[0]); }},
    {"kthvalue",
     [](In x, Opt o) -> Outputs {
       return both(kthvalue(x[0], o.integer(0), o.integer(1), o.flag(2)));
     }},
    {"searchsorted", [](In x, Opt o) -> Outputs { return searchsorted(x[0], x[1], o.flag(0)); }},
    {"bucketize", [](In x, Opt o) -> Outputs { return bucketize(x[0], x[1], o.flag(0)); }},
    {"quantile",
     [](In x, Opt o) -> Outputs { return quantile(x[0], o.number(0), o.integer(1), o.flag(2)); }},
    {"bincount", [](In x, Opt o) -> Outputs { return bincount(x[0], o.integer(0)); }, true},
    {"unique", [](In x, Opt) -> Outputs { return unique(x[0]); }, true},
    {"index_put", [](In x, Opt o) -> Outputs { return index_put(x[0], {x[1]}, x[2], o.flag(0)); }},
    {"sort", [](In x, Opt o) -> Outputs { return both(sort(x[0], o.integer(0), o.flag(1))); }},
    {"argsort", [](In x, Opt o) -> Outputs { return argsort(x[0], o.integer(0), o.flag(1)); }},
    {"topk",
     [](In x, Opt o) -> Outputs {
       return both(topk(x[0], o.integer(0), o.integer(1), o.flag(2)));
     }},
};

const Table table{"indexing", joined({in_brackets, functions})};

}  // namespace

REFERENCE_TESTS("indexing", table);
