#include "testing.hpp"

#include <sinter/trace/core/recorder.hpp>
#include <sinter/trace/ops/elementwise/elementwise.hpp>
#include <sinter/trace/ops/movement/movement.hpp>
#include <sinter/trace/ops/reduce/reduce.hpp>

using namespace testing;

namespace {

// The hash of what `body` records, given one input of this size.
template <class Body>
Hash hash_of_recording(Body body, std::int64_t size = 4) {
  Recorder recorder;
  const RecorderScope scope(&recorder);
  const Tensor x = recorder.placeholder({f32, {size}});
  const Tensor result = body(x);
  return recorder.tape().hash();
}

}  // namespace

TEST_CASE("tape: two runs that do the same have equal hashes") {
  const auto body = [](const Tensor& x) { return exp(x) + sum(x); };
  CHECK(hash_of_recording(body) == hash_of_recording(body));
}

TEST_CASE("tape: a mean of sizes that are numbers is a sum, kept axes and one division") {
  Recorder recorder;
  const RecorderScope scope(&recorder);
  const Tensor x = recorder.placeholder({f32, {4, 8}});
  const Tensor result = mean(x, 1, true);
  std::string recorded;
  for (const LazyRef& value : recorder.tape().values()) {
    recorded += text(info(value->node.op).name, " ");
  }
  CHECK(recorded == "input sum reshape constant div ");
}

TEST_CASE("tape: floating numbers are not in the hash, integers are") {
  for (int i = 0; i < 2; ++i) {
    double number = 1.5;
    int shift = 3;
    const auto body = [&](const Tensor& x) { return (x * number).to(i64) + shift; };
    const Hash before = hash_of_recording(body);
    i == 0 ? (number = 2.5, 0) : (shift = 4);
    CHECK((hash_of_recording(body) == before) == (i == 0));
  }
}

TEST_CASE("tape: sizes, dtypes, attributes, operands and lines are in the hash") {
  const auto base = [](const Tensor& x) { return x; };
  CHECK(hash_of_recording(base, 4) != hash_of_recording(base, 5));
  DType dtype = f64;
  int axis = 0;
  bool swaps = false;
  const auto body = [&](const Tensor& x) {
    const Tensor pair = reshape(x, {2, 2}), other = exp(pair);
    const Tensor difference = swaps ? other - pair : pair - other;
    return sum(difference, {axis}).to(dtype);
  };
  const Hash before = hash_of_recording(body);
  dtype = f16;
  CHECK(hash_of_recording(body) != before);
  dtype = f64, axis = 1;
  CHECK(hash_of_recording(body) != before);
  axis = 0, swaps = true;
  CHECK(hash_of_recording(body) != before);
  swaps = false;
  CHECK(hash_of_recording(body) == before);
  const auto line = [](const Tensor& x) { return exp(x); };
  const auto other_line = [](const Tensor& x) { return exp(x); };
  CHECK(hash_of_recording(line) != hash_of_recording(other_line));
}

TEST_CASE("tape: notes between values count from then on") {
  Tape a, b;
  a.note(1), b.note(2);
  CHECK(a.hash() != b.hash());
  Tape c;
  c.note(1);
  CHECK(a.hash() == c.hash());
}

TEST_CASE("tape: values have positions in their order, and numbers are known by theirs") {
  Recorder recorder;
  const RecorderScope scope(&recorder);
  const Tensor x = recorder.placeholder({f32, {4}});
  const Tensor y = x * 2.5f;
  const Tensor z = y + 1;
  CHECK(x.lazy()->position == 0);
  CHECK(z.lazy()->position > y.lazy()->position);
  const Tape& tape = recorder.tape();
  REQUIRE(!tape.numbers().empty());
  CHECK(bits_of_number(*tape.values()[tape.numbers()[0]]) ==
        bits_of_number(*y.lazy()->operands[1].lazy));
}

TEST_CASE("tape: counts how often each value is an operand of another") {
  Recorder recorder;
  const RecorderScope scope(&recorder);
  const Tensor x = recorder.placeholder({f32, {4}});
  const Tensor y = x * x;
  const Tensor z = y + x;
  const Vector<std::uint32_t> counts = recorder.tape().inner_references();
  CHECK(counts[x.lazy()->position] == 3);
  CHECK(counts[y.lazy()->position] == 1);
  CHECK(counts[z.lazy()->position] == 0);
}

TEST_CASE("tape: lets go of what nothing else refers to, and keeps the positions of the rest") {
  Recorder recorder;
  const RecorderScope scope(&recorder);
  const Tensor x = recorder.placeholder({f32, {4}});
  std::uint32_t dropped = 0;
  {
    const Tensor unused = exp(x);
    dropped = unused.lazy()->position;
  }
  const Tensor y = x + x;
  const std::size_t before = recorder.tape().live().size();
  recorder.tape().drop_unused();
  CHECK(recorder.tape().live().size() == before - 1);
  CHECK(!recorder.tape().values()[dropped]);
  CHECK(recorder.tape().values()[y.lazy()->position] == y.lazy());
}

TEST_CASE("tape: what was recorded since a mark can be taken back") {
  Recorder recorder;
  const RecorderScope scope(&recorder);
  const Tensor x = recorder.placeholder({f32, {4}});
  const Tape::Mark mark = recorder.tape().mark();
  const Hash before = recorder.tape().hash();
  static_cast<void>(exp(x) + 1.5f);
  CHECK(recorder.tape().hash() != before);
  recorder.tape().drop_since(mark);
  CHECK(recorder.tape().hash() == before);
  CHECK(recorder.tape().values().size() == 1);
  CHECK(recorder.tape().numbers().empty());
}
