#include <doctest/doctest.h>
#include <sinter/trace/value/watch.hpp>

using namespace sinter;
using namespace sinter::detail;

TEST_CASE("watch: the end of a watched value is counted, that of others is not") {
  LazyRef watched = make_lazy({.op = Op::input}, {}, 0),
          other = make_lazy({.op = Op::input}, {}, 0);
  watch(*watched);
  const std::uint64_t before = watch_count();

  const LazyRef copy = watched;
  other.reset();
  watched.reset();
  CHECK(watch_count() == before);

  LazyRef(copy).reset();
  CHECK(watch_count() == before);
}

TEST_CASE("watch: a value that ends with what held it is counted, too") {
  LazyRef x = make_lazy({.op = Op::input}, {}, 0);
  watch(*x);
  Operands operands;
  operands.push_back({x, 0});
  LazyRef y = make_lazy({.op = Op::neg}, std::move(operands), 0);
  const std::uint64_t before = watch_count();

  x.reset();
  CHECK(watch_count() == before);
  y.reset();
  CHECK(watch_count() == before + 1);
}
