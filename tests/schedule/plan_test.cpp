#include <doctest/doctest.h>
#include <sinter/autodiff/gradient/gradient.hpp>
#include <sinter/schedule/plan.hpp>


#include "against_interpreter.hpp"
#include "programs.hpp"

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::schedule;
using programs::Program;
using programs::sizes;

namespace {

Plan plan_of(Program& p, Vector<Value> outputs, Vector<Update> updates = {}) {
  p.graph.outputs = std::move(outputs);
  Plan result = plan(p.graph, {.updates = std::move(updates)});
  verify(result);
  return result;
}

std::vector<std::string> names_of(const Plan& plan) {
  std::vector<std::string> result;
  for (const Launch& launch : plan.launches) {
    result.push_back(plan.kernels[static_cast<std::size_t>(launch.kernel)].name);
  }
  return result;
}

bool has_prefix(const std::string& text, const std::string& prefix) {
  return text.compare(0, prefix.size(), prefix) == 0;
}

}  // namespace

TEST_CASE("plan: a chain of elementwise operations moves its input and output once") {
  Program p;
  const Value x = p.input({100, 100});
  const Plan plan = plan_of(p, {p.apply(Op::sin, p.apply(Op::sin, x))});
  CHECK(to_string(plan) ==
        "sin_sin_f32(read a0: f32[10000], write a1: f32[10000])\n"
        "  grid r0 < 10000 vector\n"
        "  v0: f32 = a0[r0]\n"
        "  v1: f32 = sin v0\n"
        "  v2: f32 = sin v1\n"
        "  a1[r0] = v2\n"
        "b0: f32[10000] input 0\n"
        "b1: f32[10000] output 0\n"
        "sin_sin_f32(b0, b1) reads 40000, writes 40000\n"
        "inputs [0], outputs [1], arena 0\n");
}

TEST_CASE("plan: softmax is three loops over a row, also of symbolic sizes and any rank") {
  Program p;
  const Plan plan = plan_of(p, {p.softmax(p.input(sizes({8, 16, 100}, true)))});
  REQUIRE(plan.kernels.size() == 1);
  CHECK(to_string(plan.kernels[0]) ==
        "max_sub_exp_sum_sub_exp_div_f32_rows(read a0: f32[s0*s1*s2], write a1: f32[s0*s1*s2], "
        "sizes [s0, s1, s2])\n"
        "  grid r0 < s0*s1\n"
        "  loop r1 < s2 vector\n"
        "    v0: f32 = a0[s2*r0 + r1]\n"
        "    v1: f32 = reduce max v0\n"
        "  loop r1 < s2 vector\n"
        "    v2: f32 = a0[s2*r0 + r1]\n"
        "    v3: f32 = sub v2 v1\n"
        "    v4: f32 = exp v3\n"
        "    v5: f32 = reduce sum v4\n"
        "  loop r1 < s2 vector\n"
        "    v6: f32 = a0[s2*r0 + r1]\n"
        "    v7: f32 = sub v6 v1\n"
        "    v8: f32 = exp v7\n"
        "    v9: f32 = div v8 v5\n"
        "    a1[s2*r0 + r1] = v9\n");
  CHECK(text(plan.launches[0].sizes) == "[s8, s16, s100]");
}

TEST_CASE("plan: functions of a row are one kernel each, named or not") {
  for (const bool symbolic : {false, true}) {
    for (const Shape& shape :
         {sizes({100}, symbolic), sizes({7, 100}, symbolic), sizes({2, 3, 5, 100}, symbolic)}) {
      const auto count = [&](auto function) {
        Program p;
        const Value x = p.input(shape);
        return plan_of(p, {function(p, x)}).launches.size();
      };
      CHECK(count([](Program& p, Value x) { return p.softmax(x); }) == 1);
      CHECK(count([](Program& p, Value x) { return p.log_softmax(x); }) == 1);
      CHECK(count([](Program& p, Value x) { return p.nameless(x); }) == 1);
      CHECK(count([&](Program& p, Value x) {
              const Value gain = p.input({shape.back()}), bias = p.input({shape.back()});
              return p.layer_norm(x, gain, bias);
            }) == 1);
    }
  }
}

TEST_CASE("plan: bias and activation are the epilogue of a product, in registers") {
  Program p;
  const Value x = p.input({64, 100}), w = p.input({10, 100}), bias = p.input({10});
  const Plan plan = plan_of(p, {p.apply(Op::tanh, p.linear(x, w, bias))});
  REQUIRE(plan.kernels.size() == 1);
  CHECK(to_string(plan.kernels[0]) ==
        "dot_general_add_tanh_f32(read a0: f32[6400], read a1: f32[1000], read a2: f32[10], "
        "write a3: f32[640])\n"
        "  grid r0 < 64 unroll 4, r1 < 10 unroll 4\n"
        "  loop r2 < 100 vector\n"
        "    v0: f32 = a0[100*r0 + r2]\n"
        "    v1: f32 = a1[100*r1 + r2]\n"
        "    v2: f32 = mul v0 v1\n"
        "    v3: f32 = reduce sum v2\n"
        "  v4: f32 = a2[r1]\n"
        "  v5: f32 = add v3 v4\n"
        "  v6: f32 = tanh v5\n"
        "  a3[10*r0 + r1] = v6\n");
}

TEST_CASE("plan: a sum over the batch is vectorized along the kept axes") {
  Program p;
  const Plan plan = plan_of(p, {p.build.reduce(Op::sum, p.input({16, 5, 20}), {0})});
  CHECK(to_string(plan.kernels.at(0)) ==
        "sum_f32_columns(read a0: f32[1600], write a1: f32[100])\n"
        "  grid r0 < 100 vector\n"
        "  loop r1 < 16\n"
        "    v0: f32 = a0[r0 + 100*r1]\n"
        "    v1: f32 = reduce sum v0\n"
        "  a1[r0] = v1\n");
}

TEST_CASE("plan: several outputs of one space are one kernel, as the updates of AdamW") {
  for (const bool symbolic : {false, true}) {
    Program p;
    const Shape shape = sizes({16, 100}, symbolic);
    const Value gradient = p.input(shape), w = p.input(shape), m = p.input(shape),
                v = p.input(shape), rate = p.input({}), step = p.input({});
    const auto next = p.adamw(w, gradient, {w, m, v}, rate, step);
    const Plan plan =
        plan_of(p, {next.parameter, next.first, next.second}, {{1, 0}, {2, 1}, {3, 2}});
    REQUIRE(plan.launches.size() == 2);  // and one for the scalars that all parameters share
    const Launch& last = plan.launches[1];
    CHECK(plan.kernels[static_cast<std::size_t>(last.kernel)].grid.size() == 1);
    if (!symbolic) CHECK(to_string(last.bytes_read) == "25612");
    CHECK(to_string(last.bytes_written) == (symbolic ? "12*s16*s100" : "19200"));
  }
}

TEST_CASE("plan: equal layers are compiled once, however many there are") {
  for (const bool symbolic : {false, true}) {
    for (const int layers : {4, 64, 256}) {
      Program p;
      const Extent batch = symbolic ? Extent::symbol(0) : Extent(10);
      Value h = p.linear(p.input({batch, 16}), p.input({10, 16}), p.input({10}));
      for (int i = 0; i < layers; ++i) {
        h = p.sigmoid(p.relu(p.linear(h, p.input({10, 10}), p.input({10}))));
        h = p.relu(p.linear(h, p.input({10, 10}), p.input({10})));
      }
      const Plan plan = plan_of(p, {h});
      CHECK(plan.kernels.size() == 3);
      CHECK(plan.launches.size() == static_cast<std::size_t>(1 + 2 * layers));
    }
  }
}

namespace {

// Linear and gelu, cross entropy, its gradient, AdamW.
struct Training {
  Program p{};
  Vector<Value> outputs{};
  Vector<Update> updates{};

  explicit Training(Extent batch) {
    const Value x = p.input({batch, 12}), target = p.input({batch}, i64), rate = p.input({}),
                step = p.input({});
    Vector<Value> parameters, moments;
    for (const Shape& shape : {Shape{16, 12}, Shape{16}, Shape{5, 16}, Shape{5}}) {
      parameters.push_back(p.input(shape));
      for (int i = 0; i < 2; ++i) moments.push_back(p.input(shape));
    }
    const Value hidden = p.gelu(p.linear(x, parameters[0], parameters[1]));
    const Value loss = cross_entropy(p.linear(hidden, parameters[2], parameters[3]), target);
    const auto gradients = autodiff::gradient(p.graph, loss, parameters);
    const Value next = p.build.add(step, p.number(1, step));
    outputs = {loss, next};
    updates = {{3, 1}};
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const auto [w, m, v] =
          p.adamw(parameters[i], gradients[i], {parameters[i], moments[2 * i], moments[2 * i + 1]},
                  rate, next);
      for (Value updated : {w, m, v}) {
        const int count = static_cast<int>(outputs.size());
        updates.push_back({count + 2, count});
        outputs.push_back(updated);
      }
    }
    p.graph.outputs = outputs;
  }

  Value cross_entropy(Value logits, Value target) {
    const Shape shape = p.build.shape(logits);
    const Value classes = p.build.iota({i64, shape}, 1);
    const Value wanted = p.build.expand(p.build.reshape(target, {shape[0], 1}), shape);
    const Value chosen = p.build.elementwise(Op::eq, {classes, wanted});
    const Value log_p = p.log_softmax(logits);
    const Value picked = p.build.select(chosen, log_p, p.number(0, log_p));
    const Value total = p.build.reduce(Op::sum, p.build.reduce(Op::sum, picked, {1}), {0});
    return p.build.neg(p.build.div(total, p.number(8, total)));
  }
};

}  // namespace

TEST_CASE("plan: a training step is a kernel for each product, each row, each sum over the batch") {
  for (const Extent batch : {Extent(8), Extent::symbol(0)}) {
    Training training(batch);
    const Plan plan = plan_of(training.p, training.outputs, training.updates);
    std::size_t products = 0, rows = 0, columns = 0;
    for (const std::string& name : names_of(plan)) {
      products += has_prefix(name, "dot_general");
      rows += name.size() > 5 && name.substr(name.size() - 5) == "_rows";
      columns += name.size() > 8 && name.substr(name.size() - 8) == "_columns";
    }
    CHECK(products == 5);               // two forward, one for the hidden gradient, two with AdamW
    CHECK(rows == 2);                   // cross entropy with its gradient; its mean
    CHECK(columns == 2);                // the biases with AdamW
    CHECK(plan.launches.size() == 10);  // and the numbers of AdamW
    for (const Buffer& buffer : plan.buffers) {
      if (buffer.home == Home::arena) CHECK_FALSE(same(buffer.elements, 0));
    }
  }
}

TEST_CASE("plan: a training step agrees with the interpreter, in place") {
  Training numbers(8);
  against_interpreter::check(numbers.p.graph, {}, 1, {.updates = numbers.updates});
  Training symbolic(Extent::symbol(0));
  for (const std::int64_t batch : {1, 3, 8}) {
    against_interpreter::check(symbolic.p.graph, {batch}, 2, {.updates = symbolic.updates});
  }
}

TEST_CASE("plan: 10,000 nodes become few kernels") {
  Program p;
  const Value x = p.input({64, 64});
  Value h = x;
  for (int i = 0; i < 800; ++i) h = p.softmax(p.build.add(p.build.mul(h, x), p.apply(Op::tanh, h)));
  CHECK(p.graph.nodes.size() > 9000);
  CHECK(plan_of(p, {h}).kernels.size() < 6);
}

TEST_CASE("plan: unrelated values that a product kernel stores are computed after its loop") {
  Program p;
  const Value x = p.input({64, 32}), w = p.input({32, 48}), z = p.input({64, 48});
  const Value product = p.build.dot_general(x, w, {.lhs_contract = {1}, .rhs_contract = {0}});
  const Value activation = p.apply(Op::erf, z);
  const Value scaled = p.build.mul(product, p.apply(Op::exp, z));
  const DotAxes rows{.lhs_contract = {0}, .rhs_contract = {0}};
  const Value back = p.build.dot_general(activation, product, rows);
  const Plan plan = plan_of(p, {scaled, back});
  CHECK(to_string(plan.kernels[0]) ==
        "dot_general_erf_exp_mul_f32(read a0: f32[2048], read a1: f32[1536], "
        "write a2: f32[3072], read a3: f32[3072], write a4: f32[3072], write a5: f32[3072])\n"
        "  grid r0 < 64 unroll 4, r1 < 48 unroll 2 vector\n"
        "  loop r2 < 32\n"
        "    v0: f32 = a0[32*r0 + r2]\n"
        "    v1: f32 = a1[r1 + 48*r2]\n"
        "    v2: f32 = mul v0 v1\n"
        "    v3: f32 = reduce sum v2\n"
        "  a2[48*r0 + r1] = v3\n"
        "  v5: f32 = a3[48*r0 + r1]\n"
        "  v6: f32 = erf v5\n"
        "  a4[48*r0 + r1] = v6\n"
        "  v8: f32 = exp v5\n"
        "  v9: f32 = mul v3 v8\n"
        "  a5[48*r0 + r1] = v9\n");
}
