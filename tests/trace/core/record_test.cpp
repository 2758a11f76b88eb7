// test: moved
#include "testing.hpp"

#include <sinter/trace/core/record.hpp>
#include <sinter/trace/core/recorder.hpp>

using namespace testing;

TEST_CASE("record: infers the type, and notes the line, the operands and the recording") {
  Recorder recorder;
  RecorderScope scope(&recorder);
  const Tensor x = recorder.placeholder({f32, {3}});

  const Tensor y = record({.op = Op::neg}, {x}, Where::current());

  CHECK(to_string(y) == "f32[3]");
  CHECK(y.lazy()->recording == recorder.id());
  CHECK(y.lazy()->operands[0].lazy == x.lazy());
  CHECK(y.lazy()->node.where.line() == __LINE__ - 5);
}

TEST_CASE("record: outside of recordings values belong to none") {
  CHECK(record({.op = Op::neg}, {ones({2})}, Where::current()).lazy()->recording == 0);
}

TEST_CASE("record: an operand that does not fit is our mistake") {
  CHECK_THROWS_AS(record({.op = Op::add}, {ones({2}), ones({3})}, Where::current()), InternalError);
}

TEST_CASE("constant_tensor: rounds the number to the dtype") {
  CHECK(near(constant_tensor(constant(2.7), {i32, {2}}, Where::current()), {2, 2}));
  CHECK(near(constant_tensor(constant(1), {boolean, {}}, Where::current()), {1}));
}

TEST_CASE("record: a result that no device holds is refused where it is asked for") {
  const std::int64_t many = std::int64_t{1} << 40;
  MISTAKE(ShapeError, zeros({many, many}), "has too many elements", "[1099511627776, 109951162777");
  MISTAKE(ShapeError, ones({many, 1}) + ones({many}), "has too many elements");
  CHECK(zeros({many, 1 << 20}).numel() == (std::int64_t{1} << 60));
}
