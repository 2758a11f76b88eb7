// What the steps of programs in the language of users compute.

#include <algorithm>
#include <cmath>
#include <utility>

#include "user_program.hpp"

namespace user_program {

namespace {

float decided(float value, Margin* margin) {
  if (margin != nullptr) margin->least = std::min(margin->least, std::abs(value));
  return value;
}

// Read on one line for all who call it, whatever the sizes of `x`.
float total(const Tensor& x) { return tanh(mean(x * 2.0f + 0.25f)).item<float>(); }

Tensor binary(const Tensor& x, const Tensor& y, unsigned seed) {
  switch (seed % 5) {
    case 0:
      return x + y;
    case 1:
      return x * y;
    case 2:
      return x - y * 0.5f;
    case 3:
      return minimum(x, y);
    default:
      return x / (1.0f + abs(y));
  }
}

Tensor row(const Tensor& x, unsigned seed) {
  switch (seed % 5) {
    case 0:
      return softmax(x, -1);
    case 1:
      return x - mean(x, -1, true);
    case 2:
      return softmax(x, 0);
    case 3:
      return tanh(cumsum(x, static_cast<int>(seed / 5 % 2)));
    default:
      return x / (1.0f + sum(abs(x), -1, true));
  }
}

Tensor reduction(const Tensor& x, int axis, unsigned seed) {
  switch (seed / 8 % 4) {
    case 0:
      return mean(x, axis);
    case 1:
      return tanh(sum(x, axis));
    case 2:
      return max(x, axis);
    default:
      return tanh(logsumexp(x, axis));
  }
}

// A part of `x`, whose extents are computed.
Tensor movement(const Step& step, const Tensor& x, const Tensor& y) {
  const int axis =
      x.ndim() == 0 ? 0 : static_cast<int>(step.seed % static_cast<unsigned>(x.ndim()));
  switch (step.kind) {
    case Kind::slice:
      return slice(x, axis, 0, (x.size(axis) + 1) / 2);
    case Kind::chunk:
      return chunk(x, 2, axis)[0];
    case Kind::single: {
      const Tensor one = slice(x, axis, 0, 1);
      return step.seed / 8 % 2 == 0 ? squeeze(one, axis) : sum(one, axis);
    }
    case Kind::product:
      return tanh(matmul(x, transpose(y, 0, 1)));
    case Kind::concatenation:
      return concatenate({x, y}, 0);
    default:
      return flatten(x);
  }
}

// Elements by their order and place.
Tensor places(const Step& step, const Tensor& x, const Tensor& y) {
  const int axis = static_cast<int>(step.seed % static_cast<unsigned>(x.ndim()));
  switch (step.kind) {
    case Kind::order: {
      if (step.seed / 4 % 2 == 0) return sort(x, axis).values;
      return x - tanh(sum(topk(x, 1, axis).values));
    }
    case Kind::index: {
      const Tensor at = remainder(arange(x.size(axis)) * 3 + 1, x.size(axis));
      const Tensor taken = index_select(x, axis, at);
      return step.seed / 4 % 2 == 0 ? taken : x + tanh(taken) * 0.5f;
    }
    case Kind::pool: {
      const Tensor padded = pad(unsqueeze(x, 0), {{0, 0}, {0, 0}, {1, 1}});
      return squeeze(max_pool1d(padded, 3, {.stride = 1}), 0);
    }
    default:
      return step.seed % 2 == 0 ? x * y : tanh(x + unsqueeze(y, 0));
  }
}

// What users ask of shapes, and decide on.
Tensor shapes(const Step& step, const Tensor& x, const Tensor& y) {
  if (step.kind == Kind::shape_check) {
    if (x.shape() == y.shape()) return x + y;
    return x.ndim() > 0 && x.size(0) > 5 ? x * 0.5f : x + 0.125f;
  }
  if (step.kind == Kind::shape_text) {
    return x + static_cast<float>(to_string(x.shape()).size()) * 0.0625f;
  }
  return x.ndim() == 0 ? x : x * 2.0f / (x.size(0) + 3);
}

// Notes how far the elements are from 0, by which they are chosen.
void decided_by(const Tensor& x, Margin* margin) {
  if (margin == nullptr) return;
  for (const float element : flatten(x).to_vector<float>()) decided(element, margin);
}

// Sizes and positions that are numbers which the program reads.
Tensor counted(const Tensor& x, Margin* margin) {
  decided_by(x, margin);
  const Tensor flat = flatten(x);
  const auto count = sum(flat > 0.0f).item<std::int64_t>();
  const Tensor first = flat[Slice{0, count}] + arange(count).to(f32) * 0.01f;
  const Tensor last = pad(flat[Slice{-count - 1, -1}], {{0, count}});
  const Tensor one = count > 0 ? flat[count - 1] : zeros({});
  return x + tanh(sum(first * ones({count})) + sum(last) + one);
}

// Elements that the program computes on the host.
Tensor written_back(const Tensor& x, const Tensor& y) {
  std::vector<float> a = flatten(x).to_vector<float>(), b;
  for (float& element : a) element = element * 0.5f - 0.125f;
  for (const float element : flatten(y).to_vector<float>()) {
    if (b.size() < 3 || element > 0.25f) b.push_back(element * 0.5f);
  }
  const Tensor made = from_vector(a, x.shape());
  const Tensor list = from_vector(b, {static_cast<std::int64_t>(b.size())});
  return made * x + tanh(sum(list * list) - list[0]);
}

// What a mask selects: its size depends on the elements.
Tensor selected(const Step& step, const Tensor& x, const Tensor& y, Margin* margin) {
  const Tensor a = flatten(x), b = flatten(y);
  decided_by(a, margin), decided_by(b, margin);
  switch (step.kind) {
    case Kind::masked_sum:
      return x + tanh(sum(masked_select(x, x > 0.0f)) * sum(masked_select(y, y > 0.0f)));
    case Kind::count_nonzero: {
      const Tensor many = nonzero(a > 0.0f), few = nonzero(b > 0.0f);
      return x + tanh(sum(many.to(f32) * 0.01f) - sum(few.to(f32)) * 0.01f);
    }
    default:
      return x - tanh(sum(x[x < 0.0f]) + sum(y[y < 0.0f]));
  }
}

Tensor read(const Step& step, const Tensor& x, const Tensor& y, Margin* margin) {
  switch (step.kind) {
    case Kind::read:
      return x + full({1}, total(x) + total(y))[0];
    case Kind::branch_on_read:
      return decided(mean(y).item<float>() - 0.0123f, margin) > 0 ? x * 0.5f : x + 0.5f;
    case Kind::loop_until: {
      Tensor h = x;
      for (int i = 0; i < 4 && decided(mean(abs(h)).item<float>() - 0.2f, margin) > 0; ++i) {
        h = h * 0.5f + tanh(mean(y)) * 0.05f;
      }
      return h;
    }
    case Kind::grad_of_read:
      return tanh(grad([&](const Tensor& t) { return sum(t * t * total(y)) + sum(sin(t)); })(x));
    case Kind::vector_read: {
      const std::vector<float> a = flatten(x).to_vector<float>(), b = flatten(y).to_vector<float>();
      return x * 0.5f + (a.empty() || b.empty() ? 0.0f : a.back() * b.front());
    }
    case Kind::counted:
      return counted(x, margin);
    case Kind::written_back:
      return written_back(x, y);
    default:
      return selected(step, x, y, margin);
  }
}

Tensor control(const Step& step, const Tensor& x, const Tensor& y, Margin* margin) {
  const unsigned seed = step.seed / 2;
  switch (step.kind) {
    case Kind::vmap:
      return vmap([&](const Tensor& t) { return unary(t, seed) - mean(t); })(x);
    case Kind::cond: {
      const Tensor decision = mean(y) - 0.0321f;
      if (margin != nullptr) decided(decision.item<float>(), margin);
      return cond(
          decision > 0.0f, [&](const Tensor& t) { return unary(t, seed); },
          [&](const Tensor& t) { return t - 0.5f; }, x);
    }
    case Kind::scan: {
      const auto body = [&](const Tensor& carry, const Tensor& t) {
        const Tensor next = tanh(carry * 0.5f + t);
        return std::pair{next, next + t};
      };
      return scan(body, mean(x, 0) * 0.0f, x).second;
    }
    default: {
      Tensor h = x;
      for (unsigned i = 0; i < 2 + seed % 3; ++i) h = tanh(h + unary(x, seed + i) * 0.5f);
      return h;
    }
  }
}

Tensor update(State& state, const Tensor& x) {
  state.average = state.average * 0.9f + mean(x, 0) * 0.1f;
  state.count += 1.0f;
  return x + state.average * tanh(state.count * 1.0f);
}

Tensor elements(const Step& step, const Tensor& x, const Tensor& y) {
  switch (step.kind) {
    case Kind::unary:
      return unary(x, step.seed);
    case Kind::binary:
      return binary(x, y, step.seed);
    case Kind::row:
      return row(x, step.seed);
    case Kind::reduction:
      return reduction(x, static_cast<int>(step.seed % static_cast<unsigned>(x.ndim())), step.seed);
    case Kind::choice:
      return where(x > y, unary(x, step.seed), y);
    case Kind::draw:
      return x + rand(x.shape()) * 0.5f - randn(x.shape()) * 0.125f;
    default:
      return x + static_cast<float>(step.seed % 16) * 0.03125f;
  }
}

}  // namespace

Tensor apply(const Step& step, const Tensor& x, const Tensor& y, State& state, Margin* margin) {
  switch (step.kind) {
    case Kind::slice:
    case Kind::chunk:
    case Kind::single:
    case Kind::product:
    case Kind::concatenation:
    case Kind::reshape:
      return movement(step, x, y);
    case Kind::order:
    case Kind::index:
    case Kind::pool:
    case Kind::broadcast:
      return places(step, x, y);
    case Kind::shape_check:
    case Kind::shape_text:
    case Kind::size:
      return shapes(step, x, y);
    case Kind::state:
      return update(state, x);
    case Kind::grad:
    case Kind::second_grad:
    case Kind::third_grad:
    case Kind::vjp:
    case Kind::jvp:
    case Kind::checkpointed:
    case Kind::compiled:
    case Kind::grad_of_compiled:
      return derivative(step, x, y);
    case Kind::vmap:
    case Kind::cond:
    case Kind::scan:
    case Kind::loop:
      return control(step, x, y, margin);
    default:
      return is_read(step.kind) ? read(step, x, y, margin) : elements(step, x, y);
  }
}

}  // namespace user_program
