#pragma once
// Programs of one operation, for tests that walk over the table of operations.

#include <string_view>
#include <vector>

#include <sinter/device/host/storage.hpp>
#include <sinter/graph/builder.hpp>
#include <sinter/graph/control.hpp>
#include <sinter/graph/custom/user_text.hpp>

namespace example {

using namespace sinter;
using namespace sinter::detail;

/// Writes programs of one operation on inputs of 2 x 3 numbers.
struct Example {
  Builder& build;
  Vector<Storage> inputs{};

  Value input(DType dtype = f32) {
    inputs.push_back(Storage::allocate(6 * info(dtype).size));
    visit_dtype(dtype, [&]<class T>(T) {
      for (int i = 0; i < 6; ++i) {
        static_cast<T*>(inputs.back().data())[i] = convert_element<T>(1 + i % 2);
      }
    });
    return build.input({dtype, {2, 3}});
  }

  Value ones(Shape shape) { return build.constant(constant(1), {i64, shape}); }

  Value write(Op op) {
    const DType dtype = info(op).takes == Takes::integral ? i32 : f32;
    if (op == Op::select) return build.select(input(boolean), input(), input());
    if (op == Op::cast) return build.cast(input(), i8);
    if (is_reduction(op)) return build.reduce(op, input(dtype), {1});
    if (op == Op::custom_elementwise) return custom(op, elementwise_text);
    if (!is_elementwise(op)) return write_other(op);
    const Value x = input(dtype);
    return info(op).arity == 1 ? build.elementwise(op, {x})
                               : build.elementwise(op, {x, input(dtype)});
  }

  Value write_other(Op op) {
    switch (op) {
      case Op::constant:
        return build.constant(constant(0.5), {f32, {2, 3}});
      case Op::iota:
        return build.iota({f32, {2, 3}}, 1);
      case Op::random_bits:
        return random_bits(ones({}), ones({}));
      case Op::cumsum:
      case Op::cumprod:
        return build.cumulate(op, input(), 1);
      case Op::argsort:
        return build.argsort(input(), 1, false);
      case Op::reshape:
        return build.reshape(input(), {3, 2});
      case Op::permute:
        return build.permute(input(), {1, 0});
      case Op::expand:
        return build.expand(build.reshape(input(), {1, 6}), {4, 6});
      case Op::pad:
        return build.pad(input(), {1, 0}, {0, 1}, constant(0.0));
      case Op::slice:
        return build.slice(input(), {0, 1}, {1, 1}, {2, 2});
      case Op::unfold:
        return build.unfold(input(), 1, 2, 2);
      case Op::flip:
        return build.flip(input(), {1});
      case Op::gather:
        return build.gather(input(), ones({2}), 1);
      case Op::scatter_add:
        return build.scatter_add(input(), ones({3}), input(), 1);
      case Op::concatenate:
        return build.concatenate(Vector{input(), input()}, 0);
      case Op::dot_general:
        return build.dot_general(input(), input(), {{}, {}, {1}, {1}});
      case Op::call:
        return control(op, {input()}, {doubled()}, {});
      case Op::cond:
        return control(op, {truth(), input()}, {doubled(), doubled()}, {});
      case Op::while_loop:
        return control(op, {input()}, {never(), doubled()}, {{"states", constant(1)}});
      case Op::scan:
        return control(op, {input(), input()}, {steps()},
                       {{"carries", constant(1)}, {"xs", constant(1)}, {"reverse", constant(1)}});
      case Op::custom:
        return custom(op, pointer_text);
      default:
        return input();
    }
  }

  Value control(Op op, SmallVector<Value, 3> operands, Vector<Graph> bodies,
                Vector<Attribute> attributes) {
    return build.append({.op = op,
                         .inputs = std::move(operands),
                         .attributes = std::move(attributes),
                         .bodies = std::move(bodies)});
  }

  static constexpr std::string_view pointer_text =
      "void doubled(const float* x, float* y, long n) {\n"
      "  for (long i = 0; i < n; ++i) y[i] = x[i] + x[i];\n}";
  static constexpr std::string_view elementwise_text = "float doubled(float x) { return x + x; }";

  struct Doubled : HostKernel {
    void operator()(std::span<const RawTensor> in, std::span<const RawTensor> out) const override {
      for (std::int64_t i = 0; i < in[0].numel(); ++i) {
        out[0].data<float>()[i] = 2 * in[0].data<float>()[i];
      }
    }
  };

  Value custom(Op op, std::string_view cpp) {
    const std::string kernel = text(op == Op::custom ? "__global__ " : "__device__ ", cpp);
    CustomCode code{.name = "test::doubled", .call = make_shared_ptr<const Doubled>()};
    code.cpp = cpp, code.cuda = kernel;
    code.cpp_function = user_function(code.cpp, "doubled");
    code.cuda_function = user_function(code.cuda, "doubled");
    code.text_hash = code.identity = Hasher().add(code.cpp).result();
    const SharedPtr<const CustomCode> shared = make_shared_ptr<const CustomCode>(std::move(code));
    return build.append({.op = op,
                         .inputs = {input()},
                         .attributes = {{"code", shared}, {"operands", constant(1)}},
                         .results = {{f32, {2, 3}}}});
  }

  Value truth() { return build.constant(constant(true), {boolean, {}}); }

  static Graph doubled() {
    Graph graph;
    Builder body(graph);
    const Value x = body.input({f32, {2, 3}});
    graph.outputs = {body.add(x, x)};
    return graph;
  }
  static Graph never() {
    Graph graph;
    Builder body(graph);
    body.input({f32, {2, 3}});
    graph.outputs = {body.constant(constant(false), {boolean, {}})};
    return graph;
  }
  static Graph steps() {
    Graph graph;
    Builder body(graph);
    const Value sum = body.input({f32, {2, 3}}), x = body.input({f32, {3}});
    const Value rows = body.expand(body.reshape(x, {1, 3}), {2, 3});
    graph.outputs = {body.add(sum, rows), x};
    return graph;
  }

  // The draw of number 3.
  Value random_bits(Value seed, Value offset) {
    return build.append({.op = Op::random_bits,
                         .inputs = {seed, offset},
                         .attributes = {{"number", constant(3)}},
                         .results = {{i32, {2, 3}}}});
  }
};

}  // namespace example
