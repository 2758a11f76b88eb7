// torch's own operator samples, with second gradients: tests/data/torch/samples.py. All of them,
// each in each form, take a quarter of an hour on two cores:
//
//   SINTER_SAMPLES=/tmp python tests/data/make_reference.py samples
//   SINTER_SAMPLES=/tmp ./test_reference -tc="samples*"

#include <array>

#include "reference.hpp"

#include <doctest/doctest.h>

using namespace reference;

namespace {

using In = const Inputs&;
using Opt = const Options&;
using Function = Outputs (*)(In, Opt);

struct Variables {
  std::vector<Tensor> list;
  SINTER_MODULE(Variables, list)
};

// The gradients, for the inputs of f64, of the sum of squares of what `run` gives.
template <Function run>
Outputs slopes(In x, Opt options) {
  Variables variables;
  for (const Tensor& each : x) {
    if (each.dtype() == f64) variables.list.push_back(each);
  }
  const auto both = value_and_grad(variables, [&] {
    Inputs inputs = x;
    std::size_t next = 0;
    for (Tensor& each : inputs) {
      if (each.dtype() == f64) each = variables.list[next++];
    }
    Tensor total = full({}, 0, f64);
    for (const Tensor& y : run(inputs, options).list) {
      if (is_floating(y.dtype())) total = total + sum(y * y);
    }
    return total;
  });
  std::vector<Tensor> result;
  for (const auto& [name, gradient] : both.gradients) result.push_back(gradient);
  return result;
}

const bool is_complete = complete_samples() != nullptr;

// A function, and its gradients, which are what a run of a few samples compiles.
template <Function run>
std::vector<Row> twice(std::string_view name, std::string_view slope) {
  return {{name, run, !is_complete}, {slope, slopes<run>}};
}

#define TWICE(name, result) \
  twice<[](In x, Opt o) -> Outputs { return ((void)x, (void)o, result); }>(#name, "grad_" #name)
#define ONCE(name, result)                                                     \
  std::vector<Row> {                                                           \
    {                                                                          \
#name, [](In x, Opt o) -> Outputs { return ((void)x, (void)o, result); } \
    }                                                                          \
  }

// Argument `i` behind the first: the next tensor, for "t", or a number.
Operand given(In x, Opt o, std::size_t i) {
  std::size_t tensors = 1;
  for (std::size_t before = 0; before < i; ++before) tensors += o.text(before) == "t";
  return o.text(i) == "t" ? Operand(x[tensors]) : o.operand(i);
}

Tensor clamped(In x, Opt o) {
  if (!o.has(0)) return clamp_max(x[0], given(x, o, 1));
  return o.has(1) ? clamp(x[0], given(x, o, 0), given(x, o, 1)) : clamp_min(x[0], given(x, o, 0));
}

Axes axes_of(Opt o, std::size_t i) { return o.axes(i); }
int at(Opt o, std::size_t i) { return o.integer(i); }

// Table: elementwise.
const std::vector<std::vector<Row>> elementwise{
    TWICE(abs, abs(x[0])),
    TWICE(exp, exp(x[0])),
    TWICE(expm1, expm1(x[0])),
    TWICE(log, log(x[0])),
    TWICE(log1p, log1p(x[0])),
    TWICE(sqrt, sqrt(x[0])),
    TWICE(rsqrt, rsqrt(x[0])),
    TWICE(reciprocal, reciprocal(x[0])),
    TWICE(square, square(x[0])),
    TWICE(sin, sin(x[0])),
    TWICE(cos, cos(x[0])),
    TWICE(tan, tan(x[0])),
    TWICE(atan, atan(x[0])),
    TWICE(tanh, tanh(x[0])),
    TWICE(sinh, sinh(x[0])),
    TWICE(cosh, cosh(x[0])),
    TWICE(erf, erf(x[0])),
    TWICE(sigmoid, sigmoid(x[0])),
    TWICE(relu, relu(x[0])),
    TWICE(silu, silu(x[0])),
    TWICE(softsign, softsign(x[0])),
    TWICE(logsigmoid, logsigmoid(x[0])),
    TWICE(floor, floor(x[0])),
    TWICE(trunc, trunc(x[0])),
    TWICE(sign, sign(x[0])),
    TWICE(neg, -x[0]),
    ONCE(isnan, isnan(x[0])),
    TWICE(add, x[0] + x[1]),
    TWICE(sub, x[0] - x[1]),
    TWICE(mul, x[0] * x[1]),
    TWICE(div, x[0] / x[1]),
    TWICE(pow, pow(x[0], x[1])),
    TWICE(atan2, atan2(x[0], x[1])),
    TWICE(hypot, hypot(x[0], x[1])),
    TWICE(maximum, maximum(x[0], x[1])),
    TWICE(minimum, minimum(x[0], x[1])),
    TWICE(logaddexp, logaddexp(x[0], x[1])),
    ONCE(eq, x[0] == x[1]),
    ONCE(lt, x[0] < x[1]),
    ONCE(isclose, isclose(x[0], x[1], o.number(1), o.number(2), o.flag(3))),
    TWICE(where, where(x[1], x[0], x[2])),
    TWICE(clamp, clamped(x, o)),
    TWICE(lerp, lerp(x[0], x[1], given(x, o, 1))),
    TWICE(logit, o.has(0) ? logit(x[0], o.number(0)) : logit(x[0])),
    TWICE(hardtanh, hardtanh(x[0], o.number(0), o.number(1))),
    TWICE(elu, elu(x[0], o.number(0))),
    TWICE(softplus, softplus(x[0], o.number(0), o.number(1))),
    TWICE(gelu, gelu(x[0], o.text(0) == "tanh" ? Gelu::tanh : Gelu::exact)),
};

// Table: reductions, rows and products.
const std::vector<std::vector<Row>> combining{
    TWICE(sum, sum(x[0], axes_of(o, 0), o.flag(1))),
    TWICE(mean, mean(x[0], axes_of(o, 0), o.flag(1))),
    TWICE(amax, amax(x[0], axes_of(o, 0), o.flag(1))),
    TWICE(amin, amin(x[0], axes_of(o, 0), o.flag(1))),
    TWICE(nansum, nansum(x[0], axes_of(o, 0), o.flag(1))),
    TWICE(prod, prod(x[0], axes_of(o, 0), o.flag(1))),
    ONCE(all, all(x[0], axes_of(o, 0), o.flag(1))),
    ONCE(any, any(x[0], axes_of(o, 0), o.flag(1))),
    TWICE(var, var(x[0], axes_of(o, 0), o.flag(1), o.number(2))),
    TWICE(std, sinter::std(x[0], axes_of(o, 0), o.flag(1), o.number(2))),
    TWICE(logsumexp, logsumexp(x[0], axes_of(o, 0), o.flag(1))),
    TWICE(softmax, softmax(x[0], at(o, 0))),
    TWICE(log_softmax, log_softmax(x[0], at(o, 0))),
    TWICE(cumsum, cumsum(x[0], at(o, 0))),
    TWICE(cumprod, cumprod(x[0], at(o, 0))),
    TWICE(matmul, matmul(x[0], x[1])),
    TWICE(bmm, bmm(x[0], x[1])),
    TWICE(mm, mm(x[0], x[1])),
    TWICE(mv, mv(x[0], x[1])),
    TWICE(dot, dot(x[0], x[1])),
    TWICE(outer, outer(x[0], x[1])),
    TWICE(inner, inner(x[0], x[1])),
    TWICE(linear, x.size() == 2 ? linear(x[0], x[1]) : linear(x[0], x[1], x[2])),
    TWICE(einsum, einsum(o.text(0), x)),
    TWICE(cross, cross(x[0], x[1], o.has(0) ? at(o, 0) : -1)),
    TWICE(mse_loss, mse_loss(x[0], x[1], o.reduction(0))),
    TWICE(l1_loss, l1_loss(x[0], x[1], o.reduction(0))),
    TWICE(smooth_l1_loss, smooth_l1_loss(x[0], x[1], o.reduction(0))),
    TWICE(binary_cross_entropy_with_logits,
          binary_cross_entropy_with_logits(x[0], x[1], {.reduction = o.reduction(0)})),
};

// Table: sorted, indexed and moved.
const std::vector<std::vector<Row>> moving{
    TWICE(sort, sort(x[0], at(o, 0), o.flag(1)).values),
    TWICE(topk, topk(x[0], at(o, 0), at(o, 1), o.flag(2)).values),
    TWICE(kthvalue, kthvalue(x[0], at(o, 0), at(o, 1), o.flag(2)).values),
    ONCE(searchsorted, searchsorted(x[0], x[1], o.flag(0))),
    ONCE(bucketize, bucketize(x[0], x[1], o.flag(0))),
    TWICE(gather, gather(x[0], at(o, 0), x[1])),
    TWICE(scatter, scatter(x[0], at(o, 0), x[1], x[2])),
    TWICE(scatter_add, scatter_add(x[0], at(o, 0), x[1], x[2])),
    TWICE(index_select, index_select(x[0], at(o, 0), x[1])),
    TWICE(index_add, index_add(x[0], at(o, 0), x[1], x[2] * o.operand(1))),
    TWICE(masked_fill, masked_fill(x[0], x[1], given(x, o, 1))),
    TWICE(masked_scatter, masked_scatter(x[0], x[1], x[2])),
    TWICE(take_along_dim, o.has(0) ? take_along_axis(x[0], x[1], at(o, 0))
                                   : take_along_axis(flatten(x[0]), flatten(x[1]), 0)),
    TWICE(flip, flip(x[0], o.ints(0))),
    TWICE(permute, permute(x[0], o.ints(0))),
    TWICE(repeat, repeat(x[0], o.shape(0))),
    TWICE(tile, tile(x[0], o.shape(0))),
    TWICE(transpose, transpose(x[0], o.ints(0)[0], o.ints(0)[1])),
    TWICE(roll, o.has(1) ? roll(x[0], o.integers(0), o.ints(1)) : roll(x[0], o.integers(0)[0])),
    TWICE(unsqueeze, unsqueeze(x[0], o.ints(0)[0])),
    TWICE(squeeze, o.ints(0).empty() ? squeeze(x[0]) : squeeze(x[0], o.ints(0))),
};

const Table table{"samples", joined({joined(elementwise), joined(combining), joined(moving)}),
                  is_complete ? Share::all : Share::few};

}  // namespace

REFERENCE_TESTS("samples", table);

TEST_CASE("samples: Dynamic::on gives torch's values and gradients") { check_dynamic(table); }
