// test: moved
#include "testing.hpp"

#include <sinter/trace/core/recorder.hpp>
#include <sinter/trace/interop/host.hpp>

using namespace testing;

namespace {

// A fake host that computes nothing: returns zeros, and records the requests.
class NotingHost : public RecorderHost {
 public:
  void interrupt(Span<const Tensor> values, Break found) override {
    breaks.push_back(std::move(found));
    const RecorderScope outside(nullptr);
    for (const Tensor& value : values) {
      target_of(value.lazy().get())->elements.push_back(elements_of(zeros({4})));
    }
  }
  void interrupt_all(Break found) override { breaks.push_back(std::move(found)); }
  TensorType type_of_outside(const Tensor& outside, std::size_t index) override {
    outsides.push_back(index);
    return outside.type();
  }
  std::string leaf_name(std::size_t leaf) const override { return text("leaf ", leaf); }

  std::vector<Break> breaks{};
  std::vector<std::size_t> outsides{};
};

struct Session {
  NotingHost host;
  Recorder recorder{&host};
  RecorderScope scope{&recorder};
};

}  // namespace

TEST_CASE("recorder host: is asked for elements where the program reads, with the line") {
  Session session;
  const Tensor x = session.recorder.placeholder({f32, {4}});
  const Tensor y = x + x;
  CHECK(y.to_vector<float>() == std::vector<float>(4));
  const unsigned line = __LINE__ - 1;
  REQUIRE(session.host.breaks.size() == 1);
  CHECK(session.host.breaks[0].where.line() == line);
  CHECK(session.host.breaks[0].reason == "elements are read on the host, by to_vector");
  CHECK(y.data<float>()[0] == 0);  // it has elements now
  CHECK(session.host.breaks.size() == 1);
}

TEST_CASE("recorder host: is asked for everything by graph_break, with its reason") {
  Session session;
  graph_break("a reason");
  REQUIRE(session.host.breaks.size() == 1);
  CHECK(session.host.breaks[0].reason == "a reason");
  CHECK(session.host.breaks[0].where.line() == __LINE__ - 3);
}

TEST_CASE("recorder host: says how each tensor of outside is known, once") {
  const Tensor a = ones({4}), b = ones({4});
  Session session;
  const Tensor x = session.recorder.placeholder({f32, {4}});
  static_cast<void>(x + a + b + a);
  CHECK(session.host.outsides == std::vector<std::size_t>{0, 1});
  CHECK(session.recorder.outside().size() == 2);
  CHECK(session.recorder.outside()[0].tensor.lazy() == a.lazy());
}

TEST_CASE("recorder host: host functions are effects, in order, with their operands") {
  Session session;
  const Tensor x = session.recorder.placeholder({f32, {4}});
  host([](const Tensor&) {})(x);
  int captured = 0;
  host([&captured](const Tensor&, const Tensor&) { ++captured; })(x, 2.0f);
  const Vector<Effect>& effects = session.recorder.effects();
  REQUIRE(effects.size() == 2);
  CHECK(!effects[0].has_captures);
  CHECK(effects[1].has_captures);
  CHECK(effects[0].operands.at(0).lazy() == x.lazy());
  CHECK(effects[1].operands.size() == 2);
  CHECK(captured == 0);
  (*effects[1].function)(effects[1].operands);
  CHECK(captured == 1);
  CHECK(session.recorder.take_effects().size() == 2);
  CHECK(session.recorder.effects().empty());
  CHECK(session.host.breaks.empty());
}

TEST_CASE("recorder host: without one, reads and breaks are errors") {
  Recorder recorder;
  const RecorderScope scope(&recorder);
  const Tensor x = recorder.placeholder({f32, {4}});
  MISTAKE(GraphBreakError, x.to_vector<float>(), "f32[4]", "where(condition, x, y)");
  MISTAKE(GraphBreakError, graph_break("no"), "graph cannot break");
}
