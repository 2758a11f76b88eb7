#include "testing.hpp"

#include <sinter/trace/interop/print.hpp>
#include <sinter/trace/ops/movement/movement.hpp>

#include "numpy_texts.hpp"

using namespace testing;

TEST_CASE("format: is the text of NumPy") {
  CHECK(format(vector({1, 2.5, 3.25, -0.1f})) == "[ 1.    2.5   3.25 -0.1 ]");
  CHECK(format(vector({1, infinity, not_a_number})) == "[ 1. inf nan]");
  CHECK(format(from_vector(std::vector<double>{1e-5, 1e5, 0}, {3})) == "[1.e-05 1.e+05 0.e+00]");
  CHECK(format(arange(3) > 1) == "[False False  True]");
  CHECK(format(integers({-1, 200})) == "[ -1 200]");
  CHECK(format(zeros({0, 2})) == "[]");
  CHECK(format(div(ones({2}, f16), 3)) == "[0.3333 0.3333]");
}

TEST_CASE("format: gives what NumPy gave, for numbers of all kinds and sizes") {
  for (const numpy::Case& test : numpy::cases) {
    const Tensor x = test.numbers.empty() ? reshape(arange(numel(test.shape)), test.shape)
                                          : from_vector(test.numbers, test.shape);
    CAPTURE(to_string(x));
    CHECK(format(x.to(test.dtype)) == test.text);
  }
}

TEST_CASE("format: matrices stand in columns, deeper arrays apart") {
  CHECK(format(reshape(arange(8), {2, 2, 2})) ==
        "[[[0 1]\n"
        "  [2 3]]\n"
        "\n"
        " [[4 5]\n"
        "  [6 7]]]");
}

TEST_CASE("format: what is long is broken, what is longer is summarized") {
  CHECK(format(arange(30)) ==
        "[ 0  1  2  3  4  5  6  7  8  9 10 11 12 13 14 15 16 17 18 19 20 21 22 23\n"
        " 24 25 26 27 28 29]");
  CHECK(format(arange(2000)) == "[   0    1    2 ... 1997 1998 1999]");
  CHECK(format(reshape(arange(1600), {800, 2})) ==
        "[[   0    1]\n"
        " [   2    3]\n"
        " [   4    5]\n"
        " ...\n"
        " [1594 1595]\n"
        " [1596 1597]\n"
        " [1598 1599]]");
}

TEST_CASE("format: one number is written as Python does") {
  CHECK(format(full({}, 2.0)) == "2.0");
  CHECK(format(full({}, 0.1)) == "0.1");
  CHECK(format(full({}, 1e-5)) == "1e-05");
  CHECK(format(full({}, 7)) == "7");
  CHECK(format(full({}, true)) == "True");
  CHECK(format(Tensor()) == "undefined");
}
