// test: moved
// Collectives against what every rank can compute alone, eager and compiled.

#include <doctest/doctest.h>

#include "../world.hpp"

using namespace sinter;
using namespace ranks;
using sinter::detail::is_floating;

namespace {

// The tensors of all ranks.
std::vector<Tensor> of_all_ranks(const Shape& shape, DType dtype) {
  std::vector<Tensor> result;
  for (int i = 0; i < size(); ++i) result.push_back((elements(shape, i) * 9).to(dtype));
  return result;
}

Tensor reduced(const std::vector<Tensor>& all_of_them, dist::Reduce reduce) {
  const DType dtype = all_of_them[0].dtype();
  const DType wide = is_floating(dtype) ? f64 : i64;
  Tensor result = all_of_them[0].to(wide);
  for (std::size_t i = 1; i < all_of_them.size(); ++i) {
    const Tensor next = all_of_them[i].to(wide);
    if (reduce == dist::Reduce::min) {
      result = minimum(result, next);
    } else if (reduce == dist::Reduce::max) {
      result = maximum(result, next);
    } else {
      result = result + next;
    }
  }
  if (reduce == dist::Reduce::mean) result = result / size();
  return result.to(dtype);
}

double tolerance(DType dtype) {
  if (dtype == f16) return 0.02;
  if (dtype == bf16) return 0.2;
  return is_floating(dtype) ? 1e-5 : 0;
}

// Runs `f` of `x`, eager and compiled.
template <class F>
void check_both(const F& f, const Tensor& x, const Tensor& expected) {
  const double limit = tolerance(expected.dtype());
  CHECK(difference(f(x), expected) <= limit);
  const auto compiled = compile(f, {.fullgraph = true});
  CHECK(difference(compiled(x), expected) <= limit);
  CHECK(difference(compiled(x), expected) <= limit);
}

const std::vector<DType> every_dtype{u8, i8, i16, i32, i64, f16, bf16, f32, f64};

}  // namespace

TEST_CASE("all_reduce: every dtype and reduction") {
  using enum dist::Reduce;
  for (const DType dtype : every_dtype) {
    const std::vector<Tensor> list = of_all_ranks({2, 3}, dtype);
    const Tensor& mine = list[static_cast<std::size_t>(rank())];
    for (const dist::Reduce reduce : {sum, mean, min, max}) {
      if (reduce == mean && !is_floating(dtype)) continue;
      CAPTURE(to_string(dtype));
      CAPTURE(dist::to_string(reduce));
      const Tensor y = dist::all_reduce(mine, reduce);
      CHECK(difference(y, reduced(list, reduce)) <= tolerance(dtype));
    }
  }
  const auto f = [](const Tensor& x) { return dist::all_reduce(x, mean) * 2; };
  check_both(f, elements({5}), reduced(of_all_ranks({5}, f32), mean) / 9 * 2);
}

TEST_CASE("all_reduce: booleans are or and and") {
  const Tensor first = (full({3}, rank()) == 0), always = full({2}, true).to(boolean);
  CHECK(difference(dist::all_reduce(first, dist::Reduce::max).to(f32), ones({3})) == 0);
  const Tensor least = dist::all_reduce(first, dist::Reduce::min).to(f32);
  CHECK(difference(least, full({3}, size() == 1 ? 1.0f : 0.0f)) == 0);
  CHECK(difference(dist::all_reduce(always, dist::Reduce::min), always) == 0);
}

TEST_CASE("all_reduce: large tensors, of which each rank reduces a piece") {
  for (const int count : {8193, 70001}) {
    const Tensor y = dist::all_reduce(elements({count}));
    CHECK(difference(y, reduced(of_all_ranks({count}, f32), dist::Reduce::sum) / 9) < 1e-4);
  }
}

TEST_CASE("all_reduce: an empty tensor and a scalar") {
  CHECK(difference(dist::all_reduce(zeros({0, 4})), zeros({0, 4})) == 0);
  CHECK(dist::all_reduce(1.5f).item<float>() == 1.5f * static_cast<float>(size()));
}

TEST_CASE("all_gather: every dtype and axis") {
  for (const DType dtype : every_dtype) {
    const std::vector<Tensor> list = of_all_ranks({2, 3, 2}, dtype);
    const Tensor& mine = list[static_cast<std::size_t>(rank())];
    for (const int axis : {0, 1, -1}) {
      CAPTURE(to_string(dtype));
      CAPTURE(axis);
      CHECK(difference(dist::all_gather(mine, axis), cat(list, axis)) == 0);
    }
  }
}

TEST_CASE("reduce_scatter: every axis and reduction") {
  using enum dist::Reduce;
  const Shape shape{2 * size(), 3 * size(), size()};
  const std::vector<Tensor> list = of_all_ranks(shape, f32);
  for (const int axis : {0, 1, 2}) {
    for (const dist::Reduce reduce : {sum, mean, min, max}) {
      const Tensor y = dist::reduce_scatter(list[static_cast<std::size_t>(rank())], axis, reduce);
      const Extent part = shape[axis] / size();
      const Tensor expected = narrow(reduced(list, reduce), axis, part * rank(), part);
      CHECK(difference(y, expected) < 1e-4);
    }
  }
  const auto f = [](const Tensor& x) { return dist::reduce_scatter(x, 1) + 1; };
  const Tensor whole = reduced(list, sum);
  check_both(f, list[static_cast<std::size_t>(rank())], narrow(whole, 1, 3 * rank(), 3) + 1);
}

TEST_CASE("broadcast: from every rank") {
  for (const DType dtype : every_dtype) {
    const std::vector<Tensor> list = of_all_ranks({4}, dtype);
    for (int root = 0; root < size(); ++root) {
      const Tensor y = dist::broadcast(list[static_cast<std::size_t>(rank())], root);
      CHECK(difference(y, list[static_cast<std::size_t>(root)]) == 0);
    }
  }
}

TEST_CASE("all_to_all: part i goes to rank i") {
  for (const int axis : {0, 1}) {
    const Shape shape{2 * size(), 3 * size()};
    const std::vector<Tensor> list = of_all_ranks(shape, f32);
    const Extent part = shape[axis] / size();
    std::vector<Tensor> parts;
    for (const Tensor& x : list) parts.push_back(narrow(x, axis, part * rank(), part));
    const Tensor expected = cat(parts, axis);
    const auto f = [axis](const Tensor& x) { return dist::all_to_all(x, axis); };
    check_both(f, list[static_cast<std::size_t>(rank())], expected);
    CHECK(difference(f(expected), list[static_cast<std::size_t>(rank())]) == 0);
  }
}

TEST_CASE("send and recv: around the ranks, eager and compiled") {
  const int next = (rank() + 1) % size(), previous = (rank() + size() - 1) % size();
  const auto around = [&](const Tensor& x) {
    dist::send(x * 2, next);
    return dist::recv({{3}, f32}, previous) + 1;
  };
  check_both(around, elements({3}), elements({3}, previous) * 2 + 1);
}

TEST_CASE("recv: a message that nobody reads is received, and leaves the next one in its place") {
  const int next = (rank() + 1) % size(), previous = (rank() + size() - 1) % size();
  const auto second = compile([&](const Tensor& x) {
    dist::send(x, next);
    dist::recv({{3}, f32}, previous);
    return x * 2;
  });
  for (int i = 0; i < 2; ++i) second(elements({3}) + i);
  dist::send(elements({3}) * 5, next);
  CHECK(difference(dist::recv({{3}, f32}, previous), elements({3}, previous) * 5) == 0);
}

TEST_CASE("send and recv: in the order of the program, whatever the function returns first") {
  const int next = (rank() + 1) % size(), previous = (rank() + size() - 1) % size();
  const TensorSpec spec{{3}, f32};
  const auto two = compile([&](const Tensor& x) {
    dist::send(x, next);
    const Tensor total = dist::all_reduce(x);
    dist::send(total, next);
    const Tensor first = dist::recv(spec, previous), second = dist::recv(spec, previous);
    return std::vector<Tensor>{second, first, dist::all_reduce(first)};
  });
  const Tensor mine = elements({3}), theirs = elements({3}, previous);
  const Tensor total = dist::all_reduce(mine);
  for (int i = 0; i < 2; ++i) {
    const auto found = two(mine);
    CHECK(difference(found[0], total) == 0);
    CHECK(difference(found[1], theirs) == 0);
    CHECK(difference(found[2], total) < 1e-5);
  }
}

TEST_CASE("barrier: eager and in a compiled function") {
  const auto f = compile([](const Tensor& x) {
    dist::barrier();
    return x + 1;
  });
  dist::barrier();
  CHECK(difference(f(ones({2})), full({2}, 2.0f)) == 0);
  CHECK(difference(f(ones({2})), full({2}, 2.0f)) == 0);
}

TEST_CASE("collectives: sizes may be dynamic") {
  const auto f = compile([](const Tensor& x) { return sum(dist::all_gather(x * 2)); });
  for (const int count : {2, 3, 5, 8}) {
    Tensor x = ones({count});
    mark_dynamic(x, 0);
    CHECK(f(x).item<float>() == 2.0f * static_cast<float>(count * size()));
  }
  CHECK(f.stats().recompiles <= 1);
}

TEST_CASE("collectives: in scan, cond and vmap, eager and compiled") {
  const Tensor x = elements({4, 3});
  const Tensor total = reduced(of_all_ranks({4, 3}, f32), dist::Reduce::sum) / 9;
  const auto scanned = [](const Tensor& xs) {
    const auto step = [](const Tensor& carry, const Tensor& row) {
      const Tensor next = carry + dist::all_reduce(row);
      return std::pair{next, next};
    };
    return scan(step, zeros({3}), xs).first;
  };
  check_both(scanned, x, sum(total, 0));
  const auto branched = [](const Tensor& y) {
    return cond(
        sum(dist::all_reduce(y * y)) > 0, [](const Tensor& z) { return dist::all_reduce(z); },
        [](const Tensor& z) { return z; }, y);
  };
  check_both(branched, x, total);
  const auto rows = [](const Tensor& y) {
    return vmap([](const Tensor& row) { return dist::all_gather(row); })(y);
  };
  check_both(rows, x, dist::all_gather(x, 1));
}

TEST_CASE("groups: the ranks of one color") {
  const dist::Group half = world().split(rank() % 2);
  CHECK(half.rank() == rank() / 2);
  CHECK(half.size() == (size() + 1 - rank() % 2) / 2);
  const Tensor members = dist::all_gather(full({1}, number()), 0, half);
  CHECK(difference(members, arange(half.size()).to(f32) * 2 + rank() % 2) == 0);
}

TEST_CASE("collectives: invalid arguments are refused on every rank") {
  CHECK_THROWS_AS(dist::all_reduce(full({2}, true).to(boolean)), DTypeError);
  CHECK_THROWS_AS(dist::all_reduce(ones({2}).to(i32), dist::Reduce::mean), DTypeError);
  CHECK_THROWS_AS(dist::broadcast(ones({2}), size()), IndexError);
  CHECK_THROWS_AS(dist::all_gather(ones({2}), 1), IndexError);
  CHECK_THROWS_AS(dist::send(ones({2}), -1), IndexError);
  CHECK_THROWS_AS(world().split(-1), ValueError);
  if (size() > 1) CHECK_THROWS_AS(dist::reduce_scatter(ones({size() + 1})), ShapeError);
  CHECK_THROWS_AS(dist::all_reduce(ones({2}), dist::Reduce::sum, dist::Group(99)), ValueError);
}
