#pragma once
// Programs drawn at random that look at sizes: they compare shapes, branch on their text, and take
// parts whose extents are computed, many of them 1.

#include <random>
#include <string>
#include <utility>
#include <vector>

#include <sinter/sinter.hpp>

namespace sized_program {

using namespace sinter;

/// The random generator, and the current value of the program.
class Program {
 public:
  Program(unsigned seed, Tensor first, Tensor second)
      : engine_(seed), x(std::move(first)), y(std::move(second)) {}

  int below(int count) { return static_cast<int>(engine_() % static_cast<unsigned>(count)); }
  /// An axis of x, from either end; x has one.
  int axis() { return below(2) == 0 ? below(x.ndim()) : -1 - below(x.ndim()); }

 private:
  std::mt19937 engine_;

 public:
  Tensor x, y;
};

inline Tensor part_of(Program& p) {
  const int axis = p.axis(), kind = p.below(5);
  if (kind == 0) {
    const std::vector<Tensor> parts = chunk(p.x, 1 + p.below(3), axis);
    return parts[static_cast<std::size_t>(p.below(8)) % parts.size()];
  }
  if (kind == 1) {
    const std::vector<Tensor> parts = split(p.x, 1 + p.below(3), axis);
    return parts[static_cast<std::size_t>(p.below(8)) % parts.size()];
  }
  if (kind == 2) {
    const Extent size = p.x.size(axis);
    return size >= 2 ? narrow(p.x, axis, size - 2, 1 + p.below(2)) : p.x;
  }
  if (kind == 3) return slice(p.x, axis, p.below(3), p.below(2) == 0 ? 3 : p.x.size(axis), 2);
  Slice slice{.step = p.below(4) == 0 ? -1 : 1 + p.below(2)};
  if (p.below(2) == 0) slice.start = p.below(7) - 3;
  if (p.below(2) == 0) slice.stop = p.below(7) - 3;
  return p.x[slice];
}

inline Tensor row_of(Program& p) {
  const int axis = p.axis(), kind = p.below(5);
  const Extent size = p.x.size(axis);
  if (kind == 0) return topk(p.x, size > 1 ? Extent(1 + p.below(2)) : size, axis).values;
  if (kind == 1) return cumsum(p.x, axis) + sort(p.x, axis).values;
  if (kind == 2) return size >= 2 ? mean(unfold(p.x, axis, 2, 1 + p.below(2)), -1) : p.x;
  if (kind == 3) return softmax(p.x, axis) + roll(p.x, p.below(4), axis);
  return p.below(2) == 0 ? sum(p.x, axis, p.below(2) == 0) : max(p.x, axis, p.below(2) == 0);
}

inline Tensor rank_of(Program& p) {
  const int kind = p.below(6);
  if (kind == 0) return squeeze(p.x);
  if (kind == 1 && p.x.ndim() > 0) return squeeze(p.x, p.axis());
  if (kind == 2 && p.x.ndim() < 4) return unsqueeze(p.x, p.below(p.x.ndim() + 1));
  if (kind == 3) return flatten(p.x);
  if (kind == 4 && p.x.ndim() > 0) return transpose(p.x, p.axis(), 0);
  return reshape(p.x, {-1, 1});
}

inline Tensor comparison(Program& p) {
  const Shape& shape = p.x.shape();
  switch (p.below(9)) {
    case 0:
      return shape == p.y.shape() ? p.x + p.y : p.x * 2.0f;
    case 1:
      return shape != Shape{3} ? p.x + 1.0f : p.x * 3.0f;
    case 2:
      return to_string(shape).find('3') != std::string::npos ? p.x - 1.0f : p.x * 5.0f;
    case 3:
      return to_string(p.x) == "f32[2]" ? p.x * 7.0f : p.x + 2.0f;
    case 4:
      return p.x.numel() > 6 ? p.x * 0.5f : -p.x;
    case 5:
      return p.x.ndim() > 0 && p.x.size(0) == p.y.size(0) ? p.x + 3.0f : p.x * 0.25f;
    case 6:
      return p.x.ndim() > 0 && p.x.size(-1) == 1 ? squeeze(p.x, -1) : p.x + 5.0f;
    case 7:
      return p.x * static_cast<float>(to_string(p.x.numel()).size());
    default:
      return p.x * p.x.numel();
  }
}

// Slices of one element along an axis, combined with the whole axis.
inline Tensor repetition(Program& p) {
  const int axis = p.axis();
  const auto first = [&](const Tensor& x) { return chunk(x, 8, axis)[0]; };
  switch (p.below(5)) {
    case 0:
      return p.x * slice(p.x, axis, 0, 1);
    case 1:
      return p.x.size(axis) <= 8 ? p.x + first(p.x) : p.x;
    case 2:
      return p.x.size(axis) >= 2 ? p.x + narrow(p.x, axis, p.x.size(axis) - 1, 1) : p.x;
    case 3:
      return where(p.x > 1.0f, slice(p.x, axis, 0, 1), p.x);
    default:
      return expand(slice(p.x, axis, 0, 1), p.x.shape());
  }
}

inline Tensor product(Program& p) {
  const Tensor matrix = reshape(p.x, {p.x.size(0), -1});
  const Tensor column = matrix[{all, Slice{0, 1}}], row = matrix[{Slice{0, 1}}];
  switch (p.below(6)) {
    case 0:
      return einsum("ij,ij->j", {matrix, column});
    case 1:
      return einsum("ij,ij->i", {matrix, row});
    case 2:
      return einsum("ij,kj->ik", {matrix, row});
    case 3:
      return matmul(unsqueeze(row, 0), transpose(unsqueeze(matrix, 0), 1, 2));
    case 4:
      return matmul(unsqueeze(matrix, 1), unsqueeze(transpose(row, 0, 1), 0));
    default:
      return matmul(matrix, transpose(row, 0, 1));
  }
}

inline Tensor made(Program& p) {
  const int axis = p.axis();
  switch (p.below(5)) {
    case 0:
      return concatenate({p.x, slice(p.x, axis, 0, 1)}, axis);
    case 1:
      return p.x + arange(p.x.size(-1));
    case 2:
      return pad(p.x, std::vector<std::pair<Extent, Extent>>(static_cast<std::size_t>(p.x.ndim()),
                                                             {p.below(2), p.below(2)}));
    case 3:
      return p.x * zeros(p.x.shape()) + ones({p.x.size(axis), 1}).size(0);
    default:
      return repeat_interleave(p.x, 2, axis);
  }
}

/// The result of the program of `seed`.
inline Tensor run(unsigned seed, const Tensor& x, const Tensor& y) {
  Program p(seed, x, y);
  Tensor (*const steps[])(Program&){part_of,    row_of,     rank_of, comparison,
                                    repetition, comparison, product, made};
  const int count = 2 + p.below(5);
  for (int i = 0; i < count; ++i) {
    const int step = p.below(8);
    p.x = p.x.ndim() == 0 ? comparison(p) : steps[step](p);
  }
  return p.x;
}

}  // namespace sized_program
