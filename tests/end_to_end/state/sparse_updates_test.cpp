// test: moved
// Sparse in-place updates of state: only the selected elements are touched, and errors leave it
// unchanged.

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "jit/support.hpp"

using namespace testing;

namespace {

constexpr std::int64_t heads = 4, length = 4096, width = 16;  // 1 MiB
constexpr std::int64_t row_bytes = heads * width * 4, state_bytes = length * row_bytes;

Tensor counted(Shape shape) {
  const Tensor all = arange(numel(shape));
  return reshape(all.to(f32), shape);
}

Tensor state() { return counted({heads, length, width}) * 1.0f; }

// Where the elements are, on any device.
const void* place_of(const Tensor& tensor) {
  evaluate(tensor);
  return tensor.lazy()->elements[0].data();
}

Tensor position(std::int64_t at) { return full({}, at); }

// The state with `row`, (heads, width), at position `at` of the second axis, as plain loops.
std::vector<float> with_row(std::vector<float> all, const std::vector<float>& row, std::int64_t at,
                            bool adds = false) {
  for (std::int64_t h = 0; h < heads; ++h) {
    for (std::int64_t i = 0; i < width; ++i) {
      float& to = all[static_cast<std::size_t>((h * length + at) * width + i)];
      to = row[static_cast<std::size_t>(h * width + i)] + (adds ? to : 0.0f);
    }
  }
  return all;
}

// Checks values and address, and that no more than some rows were touched.
void check_row(Tensor (*next)(const Tensor&, const Tensor&, const Tensor&), std::int64_t kernels,
               bool adds = false) {
  for (const Numerics numerics : {Numerics::fast, Numerics::strict}) {
    const auto f =
        compile([next](Tensor& k, const Tensor& row, const Tensor& at) { k = next(k, row, at); },
                {.numerics = numerics});
    Tensor k = state();
    std::vector<float> expected = k.to_vector<float>();
    const void* const address = place_of(k);
    for (const std::int64_t at : {7, 4095, 0, -1, 7}) {
      const Tensor row = counted({heads, width}) + 0.5f;
      f(k, row, position(at));
      expected = with_row(expected, row.to_vector<float>(), at < 0 ? at + length : at, adds);
      CHECK(k.to_vector<float>() == expected);
    }
    CHECK(place_of(k) == address);
    if (adds && numerics == Numerics::strict) continue;  // the full state is summed in f64
    CHECK(f.stats().kernels == kernels);
    CHECK(f.stats().peak_bytes == 0);
    CHECK(f.stats().bytes_read <= 3 * row_bytes);
    CHECK(f.stats().bytes_written <= row_bytes);
  }
}

}  // namespace

TEST_CASE("sparse updates: only the row at a position known at run time is written") {
  check_row(
      [](const Tensor& k, const Tensor& row, const Tensor& at) {
        return set(k, {all, at}, row);
      },
      2);
  check_row([](const Tensor& k, const Tensor& row,
               const Tensor& at) { return index_copy(k, 1, reshape(at, {1}), unsqueeze(row, 1)); },
            2);
  check_row([](const Tensor& k, const Tensor& row,
               const Tensor& at) { return index_add(k, 1, reshape(at, {1}), unsqueeze(row, 1)); },
            2, true);
}

TEST_CASE("sparse updates: a slice of one row is written like a single row") {
  const auto copied = [](const Tensor& table, const Tensor& list, const Tensor& rows) {
    return index_copy(table, 0, slice(list, 0, 2, 3), slice(rows, 0, 1, 2));
  };
  const auto f = compile([copied](Tensor& table, const Tensor& list, const Tensor& rows) {
    table = copied(table, list, rows);
  });
  for (const int rows : {6, 4, 5}) {  // the number of rows varies, and becomes a symbol
    Tensor table = counted({64, width}), expected = table + 0.0f;
    const Tensor list = remainder(arange(rows) * 7 + 3, 64), given = counted({rows, width}) * 2.0f;
    elements_of(list), elements_of(given);
    f(table, list, given);
    CHECK(near_tensor(table, on_host(copied, expected, list, given)));
  }
  CHECK(f.stats().variants == 2);
  CHECK(f.stats().kernels == 2);  // checks, and the row
  CHECK(f.stats().peak_bytes == 0);
}

TEST_CASE("sparse updates: rows at constant positions") {
  const auto f = compile([](Tensor& k, const Tensor& row) { k = set(k, {all, 5}, row); });
  const auto g = compile([](Tensor& k, const Tensor& rows) {
    k = set(k, {all, Slice{3, 9}}, rows);
  });
  Tensor k = state();
  std::vector<float> expected = k.to_vector<float>();
  const void* const address = place_of(k);
  const Tensor row = counted({heads, width}) + 0.5f;
  f(k, row);
  expected = with_row(expected, row.to_vector<float>(), 5);
  CHECK(k.to_vector<float>() == expected);
  g(k, expand(unsqueeze(row * 2.0f, 1), {heads, 6, width}));
  for (int at = 3; at < 9; ++at) {
    expected = with_row(expected, (row * 2.0f).to_vector<float>(), at);
  }
  CHECK(k.to_vector<float>() == expected);
  CHECK(place_of(k) == address);
  CHECK(f.stats().kernels == 1);
  CHECK(g.stats().kernels == 1);
  CHECK(f.stats().bytes_written == row_bytes);
  CHECK(g.stats().bytes_written == 6 * row_bytes);
  CHECK(g.stats().bytes_read + f.stats().bytes_read <= 7 * row_bytes);
}

TEST_CASE("sparse updates: rows are added in order, some of them twice") {
  const auto f = compile([](Tensor& table, const Tensor& rows, const Tensor& changes) {
    table = index_add(table, 0, rows, changes * -0.1f);
  });
  Tensor table = ones({20000, 8});
  const void* const address = place_of(table);
  f(table, integers({3, 19999, 3, -2}), counted({4, 8}));
  std::vector<float> expected(160000, 1.0f);
  const std::int64_t rows[]{3, 19999, 3, 19998};
  for (std::size_t i = 0; i < 32; ++i) {
    float& to = expected[static_cast<std::size_t>(rows[i / 8]) * 8 + i % 8];
    to = to + static_cast<float>(i) * -0.1f;
  }
  const std::vector<float> found = table.to_vector<float>();
  float most = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    most = std::max(most, std::abs(found[i] - expected[i]));
  }
  CHECK(most <= 1e-6f);
  CHECK(place_of(table) == address);
  CHECK(f.stats().kernels == 2);
  CHECK(f.stats().peak_bytes == 0);
  CHECK(f.stats().bytes_read + f.stats().bytes_written <= 1024);
}

TEST_CASE("sparse updates: an index out of range leaves all state unchanged") {
  const auto f = compile(
      [](Tensor& k, Tensor& table, const Tensor& row, const Tensor& at, const Tensor& rows) {
        k = set(k, {all, at}, row);
        table = index_add(table, 0, rows, ones({3, 8}));
      });
  Tensor k = state(), table = ones({5, 8});
  const std::vector<float> before = k.to_vector<float>();
  const Tensor row = counted({heads, width});
  f(k, table, row, position(1), integers({0, 1, 2}));
  const auto good = k.to_vector<float>(), rows = table.to_vector<float>();
  CHECK(good == with_row(before, row.to_vector<float>(), 1));
  const auto throws = [&](std::int64_t at, std::vector<std::int64_t> list) {
    CHECK_THROWS_AS(f(k, table, row + 1.0f, position(at), integers(list)), IndexError);
    CHECK(k.to_vector<float>() == good);
    CHECK(table.to_vector<float>() == rows);
  };
  throws(length, {0, 1, 2});
  throws(2, {0, 1, 5});
  throws(2, {-6, 1, 2});
  throws(-length - 1, {0, 1, 2});
}

TEST_CASE("sparse updates: state that is shared is copied") {
  const auto f = compile([](Tensor& k, const Tensor& row, const Tensor& at) {
    k = set(k, {all, at}, row);
  });
  Tensor k = state();
  const Tensor snapshot = k, row = counted({heads, width}) + 0.5f;
  const std::vector<float> before = k.to_vector<float>();
  f(k, row, position(9));
  CHECK(snapshot.to_vector<float>() == before);
  CHECK(k.to_vector<float>() == with_row(before, row.to_vector<float>(), 9));
  CHECK(place_of(k) != place_of(snapshot));
}

TEST_CASE("sparse updates: state in memory of the caller is copied" *
          doctest::test_suite("host: its memory is of the host")) {
  const auto f = compile([](Tensor& k, const Tensor& row, const Tensor& at) {
    k = set(k, {all, at}, row);
  });
  const Tensor row = counted({heads, width}) + 0.5f;
  const std::vector<float> before = state().to_vector<float>();
  std::vector<float> own = before;
  Tensor seen = view(own.data(), {heads, length, width});
  f(seen, row, position(9));
  CHECK(own == before);
  CHECK(seen.to_vector<float>() == with_row(before, row.to_vector<float>(), 9));
}

TEST_CASE("sparse updates: readers of the old state get its values, whatever else is returned") {
  const auto sums = compile([](Tensor& k, const Tensor& row, const Tensor& at) {
    const Tensor before = sum(k[{all, 3}]);
    k = set(k, {all, at}, row);
    return std::pair(before, sum(k[{all, 3}]));
  });
  const auto differences = compile([](Tensor& k, const Tensor& row, const Tensor& at) {
    const Tensor before = k;
    k = set(k, {all, at}, row);
    return sum(abs(k - before));
  });
  const auto itself = compile([](Tensor& k, const Tensor& row, const Tensor& at) {
    k = set(k, {all, at}, row);
    return k;
  });
  const auto from_itself = compile([](Tensor& k, const Tensor&, const Tensor& at) {
    k = index_add(k, 1, reshape(at, {1}), slice(k, 1, 0, 1));
  });
  const Tensor row = zeros({heads, width});
  Tensor k = ones({heads, length, width});
  const auto [before, after] = sums(k, row, position(3));
  CHECK(before.item<float>() == heads * width);
  CHECK(after.item<float>() == 0);
  CHECK(sums.stats().peak_bytes < state_bytes);
  CHECK(differences(k, row, position(4)).item<float>() == heads * width);
  const std::vector<float> now = itself(k, row, position(5)).to_vector<float>();
  CHECK(now == k.to_vector<float>());
  CHECK(sum(k).item<float>() == heads * width * (length - 3));
  from_itself(k, row, position(3));
  CHECK(sum(k).item<float>() == heads * width * (length - 2));
}

TEST_CASE(
    "sparse updates: a decoding step writes its rows, advances its position, and reads the cache") {
  const auto step = compile([](Tensor& keys, Tensor& values, Scalar& at, const Tensor& x) {
    keys = set(keys, {all, at}, x);
    values = set(values, {all, at}, x * 2.0f);
    const Tensor seen = arange(keys.size(1)) <= at;
    const Tensor scores = sum(keys * unsqueeze(x, 1), {2});
    const Tensor weights = softmax(where(seen, scores, -infinity), 1);
    at = at + 1;
    return sum(unsqueeze(weights, 2) * values, {1});
  });
  const auto oracle = [](std::int64_t steps) {
    Tensor keys = zeros({heads, 64, width}), values = keys;
    Tensor result;
    for (std::int64_t i = 0; i < steps; ++i) {
      const Tensor x = full({heads, width}, 0.1f * static_cast<float>(i + 1));
      const Tensor here = reshape(arange(64) == i, {1, 64, 1});
      keys = where(here, unsqueeze(x, 1), keys);
      values = where(here, unsqueeze(x * 2.0f, 1), values);
      const Tensor scores = where(arange(64) <= i, sum(keys * unsqueeze(x, 1), {2}), -infinity);
      result = sum(unsqueeze(softmax(scores, 1), 2) * values, {1});
    }
    return result;
  };
  Tensor keys = zeros({heads, 64, width}), values = zeros({heads, 64, width});
  const void* const address = place_of(keys);
  Scalar at = 0;
  Tensor result;
  for (int i = 0; i < 5; ++i) {
    result = step(keys, values, at, full({heads, width}, 0.1f * static_cast<float>(i + 1)));
  }
  CHECK(max(abs(result - oracle(5))).item<float>() <= 1e-5f);
  CHECK(at.item<std::int64_t>() == 5);
  CHECK(place_of(keys) == address);
  CHECK(step.stats().recordings == 1);
}

TEST_CASE("sparse updates: dynamic sizes") {
  const auto f = compile([](Tensor& k, const Tensor& row, const Tensor& at) {
    k = set(k, {all, at}, row);
  });
  for (const std::int64_t rows : {12, 1, 30}) {
    Tensor k = zeros({3, rows, 5});
    mark_dynamic(k, 1, {.min = 1, .max = 64});
    f(k, ones({3, 5}), position(rows - 1));
    CHECK(sum(k).item<float>() == 15);
    CHECK(sum(k[{all, -1}]).item<float>() == 15);
  }
  CHECK(f.stats().recompiles == 0);
  CHECK(f.stats().peak_bytes == 0);
}

TEST_CASE("sparse updates: attention reads rows that the same call wrote") {
  const auto step = [](Tensor& keys, Tensor& values, const Tensor& query, const Tensor& row,
                       const Tensor& at) {
    keys = set(keys, {all, at}, row);
    values = set(values, {all, at}, row * 2.0f);
    const Tensor scores = matmul(query, transpose(keys, 1, 2));
    const Tensor seen = where(arange(keys.size(1)) <= at, scores, -1e30f);
    return matmul(softmax(seen, -1), values);
  };
  const auto fused = compile(step), eager = compile(step, {.backend = Backend::eager});
  Tensor keys = state() * 1e-6f, values = state() * 1e-6f;
  Tensor other_keys = state() * 1e-6f, other_values = state() * 1e-6f;
  const void *const first = place_of(keys), *const second = place_of(values);
  for (const std::int64_t at : {3, 4, 4095}) {
    const Tensor query = counted({heads, 1, width}) * 0.01f, row = counted({heads, width}) * 0.1f;
    const Tensor found = fused(keys, values, query, row, position(at));
    const Tensor expected = eager(other_keys, other_values, query, row, position(at));
    CHECK(max(abs(found - expected)).item<float>() <= 1e-4f);
    CHECK(keys.to_vector<float>() == other_keys.to_vector<float>());
    CHECK(values.to_vector<float>() == other_values.to_vector<float>());
  }
  CHECK(place_of(keys) == first);
  CHECK(place_of(values) == second);
  CHECK(fused.stats().peak_bytes < state_bytes);
  CHECK(fused.stats().bytes_written < state_bytes);
}
