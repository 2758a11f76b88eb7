#include <sinter/autodiff/batching/body.hpp>

#include "batches.hpp"

using namespace batches;
using namespace sinter::detail::autodiff;

TEST_CASE("batched body: a body gets inputs of the batch, and whether each sample is active") {
  Graph body, outer;
  Builder inside(body), build(outer);
  const Value x = inside.input({f32, {3}}), y = inside.input({f32, {3}});
  body.outputs = {inside.add(x, y), y};
  const Node node{.op = Op::call};
  for (const bool masked : {false, true}) {
    Batching at{build, outer, node, {}, 5};
    if (masked) at.active = build.input({boolean, {5}});
    CHECK(batch_of::flags_of(at, body, {true, false}) == batch_of::Flags{true, false});
    const Graph written = batch_of::body_of(at, body, {true, false}, {true, true});
    CHECK(written.inputs.size() == (masked ? 3 : 2));
    CHECK(to_string(written.type(written.inputs[0])) == "f32[5, 3]");
    CHECK(to_string(written.type(written.inputs[1])) == "f32[3]");
    if (masked) CHECK(to_string(written.type(written.inputs[2])) == "bool[5]");
    CHECK(to_string(written.type(written.outputs[0])) == "f32[5, 3]");
    CHECK(to_string(written.type(written.outputs[1])) == "f32[5, 3]");
  }
}
