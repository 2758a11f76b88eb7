#include <doctest/doctest.h>
#include <sinter/jit/state/number_inputs.hpp>

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::jit;

TEST_CASE("number_inputs: numbers are constants at first, and inputs once they change") {
  NumberInputs numbers;
  using Bits = std::vector<std::uint64_t>;
  using Inputs = Vector<bool>;
  const Hash kind{1, 2}, other_kind{3, 4};
  CHECK(!numbers.knows(kind, 2));
  CHECK(numbers.choose(kind, Bits{1, 2}, true) == Inputs{false, false});
  CHECK(numbers.knows(kind, 2));
  CHECK(numbers.choose(kind, Bits{1, 3}, true) == Inputs{false, true});
  CHECK(numbers.choose(kind, Bits{4, 9}, true) == Inputs{true, true});
  CHECK(numbers.choose(other_kind, Bits{4, 9}, true) == Inputs{false, false});
  CHECK(numbers.size() == 2);
  numbers.clear();
  CHECK(numbers.size() == 0);
}

TEST_CASE("number_inputs: a number that may not differ stays a constant") {
  NumberInputs numbers;
  const Hash kind{1, 2};
  CHECK(numbers.choose(kind, std::vector<std::uint64_t>{1}, false) == Vector<bool>{false});
  CHECK(numbers.choose(kind, std::vector<std::uint64_t>{2}, false) == Vector<bool>{false});
}

TEST_CASE("number_inputs: graphs of one kind may also have other inputs") {
  NumberInputs numbers;
  const Hash kind{1, 2};
  using Bits = std::vector<std::uint64_t>;
  CHECK(numbers.choose(kind, Bits{1, 2}, true).size() == 2);
  CHECK(numbers.choose(kind, Bits{1}, true) == Vector<bool>{false});
  CHECK(numbers.choose(kind, Bits{}, true).empty());
  CHECK(numbers.knows(kind, 2));
  CHECK(numbers.knows(kind, 1));
  CHECK(!numbers.knows(kind, 3));
  CHECK(numbers.size() == 3);
}
