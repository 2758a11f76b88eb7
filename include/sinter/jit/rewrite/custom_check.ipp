#pragma once

#include <cmath>    // std::abs, std::isnan
#include <cstring>  // std::memcpy
#include <utility>  // std::move

#include <sinter/base/error.hpp>
#include <sinter/graph/control.hpp>
#include <sinter/jit/rewrite/custom_check.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

namespace detail {

// The difference that rounding explains, relative to numbers above 1.
SINTER_INLINE double tolerance_of(DType dtype) {
  switch (dtype) {
    case f64:
      return 1e-6;
    case f32:
      return 1e-3;
    case f16:
      return 1e-2;
    case bf16:
      return 5e-2;
    default:
      return 0;
  }
}

SINTER_INLINE double element(const RawTensor& x, std::int64_t position) {
  return visit_dtype(x.dtype(),
                     [&]<class T>(T) { return static_cast<double>(x.data<T>()[position]); });
}

// Gets the results and what the reference gives, and gives the results.
class ComparesWithReference : public HostKernel {
 public:
  ComparesWithReference(std::string name, Where where) : name_(std::move(name)), where_(where) {}

  void operator()(std::span<const RawTensor> in, std::span<const RawTensor> out) const override {
    for (std::size_t i = 0; i < out.size(); ++i) {
      const RawTensor &found = in[i], &expected = in[i + out.size()];
      const double tolerance = tolerance_of(found.dtype());
      for (std::int64_t k = 0; k < found.numel(); ++k) {
        const double a = element(found, k), b = element(expected, k);
        const bool is_same = a == b || (std::isnan(a) && std::isnan(b));
        if (is_same || std::abs(a - b) <= tolerance * (1 + std::abs(b))) continue;
        throw_differs(i, k, a, b);
      }
      const auto bytes =
          static_cast<std::size_t>(found.numel()) * sinter::detail::info(found.dtype()).size;
      if (bytes != 0) std::memcpy(out[i].data(), found.data(), bytes);
    }
  }

 private:
  [[noreturn]] void throw_differs(std::size_t result, std::int64_t position, double found,
                                  double expected) const {
    throw ValueError({.op = name_,
                      .what = "a kernel of the user differs from its reference",
                      .facts = {{"result", text(result)},
                                {"element", text(position, ", in row-major order")},
                                {"the kernel gives", text(found)},
                                {"the reference gives", text(expected)}},
                      .rule = "SINTER_CHECK=1 compares both in each call",
                      .fix = "correct one of them",
                      .where = where_,
                      .see = "custom-operations"});
  }

  std::string name_;
  Where where_;
};

}  // namespace detail

SINTER_INLINE Vector<Value> compared(Builder& builder, const Node& node, Span<const Value> results,
                                     Span<const Value> expected) {
  const CustomCode& code = custom_code(node);
  auto check = make_shared_ptr<const CustomCode>(CustomCode{
      .name = code.name,
      .call = make_shared_ptr<const detail::ComparesWithReference>(code.name, node.where),
      .where = node.where,
      .identity = Hasher().add("compared").add(code.identity).result()});
  Node compare{.op = Op::custom, .where = node.where, .path = node.path};
  compare.attributes = {{"code", SharedPtr<const CustomCode>(std::move(check))},
                        {"operands", constant(static_cast<std::int64_t>(2 * results.size()))},
                        {"kernel", std::string("call")}};
  for (const Value value : results) compare.inputs.push_back(value);
  for (const Value value : expected) compare.inputs.push_back(value);
  compare.results = node.results;
  const NodeId id = builder.append(std::move(compare));
  Vector<Value> checked;
  for (std::uint32_t i = 0; i < results.size(); ++i) checked.push_back({id, i});
  return checked;
}

}  // namespace sinter::inline SINTER_ABI::detail::jit
