#include "testing.hpp"

#include <sinter/trace/core/recorder.hpp>
#include <sinter/trace/ops/creation/random.hpp>
#include <sinter/trace/ops/movement/movement.hpp>
#include <sinter/trace/ops/product/product.hpp>

using namespace testing;

namespace {

// A recording in progress, with sizes that this test names.
struct Recording {
  Recorder recorder;
  RecorderScope scope{&recorder};

  Extent size(std::int64_t hint, Freedom freedom = Freedom::automatic, const char* name = "n") {
    return recorder.symbol({}, hint, freedom, name, Where::current());
  }
  Tensor input(const Shape& shape) { return recorder.placeholder({f32, shape}); }
};

// What the recording assumed, as text.
std::string assumed(const Recorder& recorder) {
  std::string result;
  for (const Assumption& a : recorder.assumptions()) {
    result += text(a.lhs, " ", to_string(a.relation), " ", a.rhs, "; ");
  }
  return result;
}

}  // namespace

TEST_CASE("recorder: of two sizes that are equal, the freer one stays") {
  Recording recording;
  const Extent fixed = recording.size(8, Freedom::fixed);
  const Extent automatic = recording.size(8, Freedom::automatic);
  const Extent marked = recording.size(8, Freedom::marked);

  add(recording.input({fixed, 4}), recording.input({automatic, 4}));
  CHECK(same(recording.recorder.resolve(fixed), automatic));
  add(recording.input({automatic, 4}), recording.input({marked, 4}));

  CHECK(same(recording.recorder.resolve(fixed), marked));
  CHECK(same(recording.recorder.resolve(automatic), marked));
  CHECK(same(recording.recorder.resolve(marked), marked));
}

TEST_CASE("recorder: a number of the program fixes a size that is not marked") {
  Recording recording;
  const Extent n = recording.size(8);

  const Tensor result = add(recording.input({n, 4}), ones({8, 4}));

  CHECK(same(recording.recorder.resolve(n), Extent(8)));
  CHECK(same(recording.recorder.resolve(result.shape()), Shape{8, 4}));
}

TEST_CASE("recorder: a number of the program contradicts a mark, and the line is named") {
  Recording recording;
  const Extent n = recording.size(8, Freedom::marked, "argument 0, dimension 0");
  const Tensor x = recording.input({n, 4}), numbers = ones({8, 4});

  MISTAKE(ConstraintError, add(x, numbers), "argument 0, dimension 0", "8", "maybe_mark_dynamic");
  MISTAKE(ConstraintError, n.value(), "argument 0, dimension 0");
  MISTAKE(ConstraintError, matmul(ones({4, 8}), x), "size  8");
}

TEST_CASE("recorder: sizes that happen to be equal are not assumed equal") {
  Recording recording;
  const Extent n = recording.size(8), m = recording.size(8);

  mul(recording.input({n, 1}), recording.input({1, m}));

  CHECK(recording.recorder.assumptions().empty());
  CHECK(same(recording.recorder.resolve(n), n));
  CHECK(same(recording.recorder.resolve(m), m));
}

TEST_CASE("recorder: an equation is solved for the symbol that stands alone") {
  Recording recording;
  const Extent n = recording.size(4), m = recording.size(8);

  add(recording.input({n + n}), recording.input({m}));

  CHECK(same(recording.recorder.resolve(m), n + n));
}

TEST_CASE("recorder: sizes that differ in this call are an error at the line of the operation") {
  Recording recording;
  const Tensor x = recording.input({recording.size(8)}), y = recording.input({recording.size(5)});

  MISTAKE(ShapeError, add(x, y), "f32[8]", "f32[5]");
}

TEST_CASE("recorder: a marked symbol is never 1, so that it does not broadcast") {
  Recording recording;
  const Extent one = recording.size(1, Freedom::marked), n = recording.size(5);

  MISTAKE(ShapeError, add(recording.input({one}), recording.input({n})), "f32[1]", "f32[5]");
}

TEST_CASE("recorder: what is repeated is 1: a symbol that may be a number, or one element") {
  Recording recording;
  const Extent one = recording.size(1), n = recording.size(5, Freedom::marked);
  const Extent first = min(recording.size(7, Freedom::marked, "m"), Extent(1));

  add(recording.input({one}), recording.input({n}));
  CHECK(same(recording.recorder.resolve(one), Extent(1)));
  CHECK(same(add(recording.input({first}), recording.input({n})).shape()[0], n));
  CHECK(assumed(recording.recorder).find("; min(s2, 1) == 1; ") != std::string::npos);
}

TEST_CASE("recorder: comparisons of the program are assumed, those that are proven are not") {
  Recording recording;
  const Extent n = recording.size(8);

  CHECK(n > 4);
  CHECK(!(n == 9));
  CHECK(n + 1 > n);

  CHECK(assumed(recording.recorder) == "s0 > 4; s0 != 9; ");
}

TEST_CASE("recorder: asking for the value fixes a size") {
  Recording recording;
  const Extent n = recording.size(8);

  CHECK(n.value() == 8);

  CHECK(same(recording.recorder.resolve(n), Extent(8)));
}

TEST_CASE("recorder: sizes of this call become numbers at the end, and assumptions with them") {
  Recording recording;
  const Extent fixed = recording.size(8, Freedom::fixed);
  const Extent free = recording.size(9, Freedom::automatic);
  CHECK(fixed > 4);
  CHECK(free > 4);

  recording.recorder.fix_sizes();

  CHECK(same(recording.recorder.resolve(fixed), Extent(8)));
  CHECK(assumed(recording.recorder) == "s1 > 4; ");
}

TEST_CASE("recorder: tells what was met from outside of the recording") {
  const Tensor outside = vector({1, 2});
  Recording recording;

  add(recording.input({2}), outside);
  add(recording.input({2}), ones({2}));

  REQUIRE(recording.recorder.outside().size() == 1);
  CHECK(recording.recorder.outside()[0].tensor.lazy() == outside.lazy());
  CHECK(recording.recorder.outside()[0].where.line() == __LINE__ - 5);
}

TEST_CASE("recorder: draws have numbers and read one state") {
  Recording recording;
  CHECK_FALSE(recording.recorder.is_random());

  const Tensor x = rand({2}), y = rand({2});

  CHECK(recording.recorder.is_random());
  CHECK(recording.recorder.draws() == 2);
  CHECK(x.lazy() != y.lazy());
}

TEST_CASE("recorder: scopes nest, and end") {
  CHECK_FALSE(is_recording());
  {
    Recording recording;
    CHECK(is_recording());
    {
      RecorderScope outside(nullptr);
      CHECK_FALSE(is_recording());
    }
    CHECK(current_recorder() == &recording.recorder);
  }
  CHECK_FALSE(is_recording());
}

TEST_CASE("concrete: shows the sizes of this call") {
  Recording recording;
  const Extent n = recording.size(8);
  CHECK(concrete({n + 1, 4}) == Shape{9, 4});
  CHECK(to_string(recording.input({n, 4})) == "f32[8, 4]");
}

TEST_CASE("intern: gives one address for each text") {
  CHECK(intern("encoder") == intern(std::string("enco") + "der"));
  CHECK(*intern("encoder") == "encoder");
  CHECK(intern("encoder") != intern("decoder"));
}

TEST_CASE("recorder: a size is solved for without the sizes that are its factors") {
  Recording recording;
  const Extent n = recording.size(4, Freedom::marked, "n"), m = recording.size(3, Freedom::fixed);

  reshape(recording.input({n, m}), {n, 3});

  CHECK(same(recording.recorder.resolve(m), Extent(3)));
  CHECK(same(recording.recorder.resolve(n), n));
}

TEST_CASE("recorder: what cannot be solved is assumed, once") {
  Recording recording;
  const Extent n = recording.size(4, Freedom::marked, "n"), m = recording.size(6, Freedom::marked);
  const Extent k = recording.size(3, Freedom::marked), l = recording.size(8, Freedom::marked);

  for (int i = 0; i < 2; ++i) {
    reshape(recording.input({n, m}), {k, l});
    reshape(recording.input({n, m}), {-1, 8});
    CHECK(l > 6);
  }

  CHECK(assumed(recording.recorder) == "s2*s3 == s0*s1; (s0*s1)%8 == 0; s3 > 6; ");
}

TEST_CASE("recorder: comparing a marked size with a number makes it one, needing it does not") {
  Recording recording;
  const Extent n = recording.size(4, Freedom::marked, "n"), m = recording.size(6, Freedom::marked);

  CHECK(n == 4);
  CHECK(same(recording.recorder.resolve(n), Extent(4)));
  CHECK_THROWS_AS(reshape(recording.input({m}), {6}), ConstraintError);
}

TEST_CASE("recorder: sizes that a marked one was found to be are as free as it was") {
  Recording recording;
  const Extent n = recording.size(8, Freedom::marked, "n"), m = recording.size(4, Freedom::fixed);

  reshape(recording.input({n}), {m, 2});
  recording.recorder.fix_sizes();

  CHECK(same(recording.recorder.resolve(n), 2 * m));
  CHECK(same(recording.recorder.resolve(m), m));
}
