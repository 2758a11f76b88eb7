#include <doctest/doctest.h>
#include <sinter/codegen/cpp/product/decision.hpp>

#include "texts.hpp"

using namespace kernels;
using codegen::ProductDecision;

namespace {

/// A product of `rows` x `depth` and `depth` x `columns`, and the decisions for it.
struct Decided {
  Decided(std::int64_t rows, std::int64_t columns, std::int64_t depth, bool by_rows,
          const codegen::CppOptions& options = {})
      : sizes({rows, columns, depth}, false),
        kernel(product("p", sizes, by_rows, f32, 4, 4)),
        form(*codegen::product_form(kernel, options.strict)),
        how(kernel, form, options) {}

  Sizes sizes;
  Kernel kernel;
  codegen::ProductForm form;
  ProductDecision how;
};

}  // namespace

TEST_CASE(
    "decision: an operand that is contiguous along the depth is packed into panels of 4 vectors") {
  const Decided one(64, 128, 32, true);
  CHECK(one.how.method == ProductDecision::Method::tiles);
  CHECK(one.how.right == ProductDecision::Packing::rows);
  CHECK(one.how.left == ProductDecision::Packing::none);
  CHECK(one.how.right_is_input);
  CHECK(one.how.pitch == 64);
  CHECK_FALSE(one.how.depth_blocks);
}

TEST_CASE("decision: few rows read the right operand in place, unless strict") {
  CHECK(Decided(4, 64, 32, true).how.method == ProductDecision::Method::dots);
  CHECK(Decided(4, 64, 32, false).how.method == ProductDecision::Method::rows);
  const codegen::CppOptions strict{.strict = true};
  CHECK(Decided(4, 64, 32, true, strict).how.method == ProductDecision::Method::tiles);
}

TEST_CASE("decision: a large depth is split into blocks of equal length") {
  const Decided deep(64, 64, 4096, false), flat(64, 64, 1024, false);
  CHECK(deep.how.depth_blocks);
  CHECK(same(deep.how.block_steps, 2048));
  CHECK_FALSE(flat.how.depth_blocks);
}

namespace {

/// The sums over images of `height` x 56 elements, and over their elements, of 48 channels times 96
/// others, as in the weight gradient of a convolution.
Kernel product_of_images(std::int64_t images, std::int64_t height) {
  KernelBuilder b("p", VectorAxis::stage);
  const std::int64_t elements = height * 56;
  const auto g = b.argument(f32, Access::read, images * 48 * elements);
  const auto x = b.argument(f32, Access::read, images * 96 * elements);
  const auto y = b.argument(f32, Access::write, 48 * 96);
  const Extent i = b.grid(48, 4), j = b.grid(96, 4);
  const Extent image = b.stage().loop(images), line = b.loop(height), k = b.loop(56);
  const ValueId left = b.load(g, (image * 48 + i) * elements + line * 56 + k);
  const ValueId right = b.load(x, (image * 96 + j) * elements + line * 56 + k);
  const ValueId sum = b.reduce(Op::sum, f32, b.compute(Op::mul, f32, {left, right}));
  b.stage();
  b.store(y, i * 96 + j, sum);
  return b.kernel;
}

}  // namespace

TEST_CASE("decision: blocks of the depth are lines of large images, or small images, in place") {
  for (const std::int64_t height : {56, 7}) {
    const Kernel kernel = product_of_images(height == 56 ? 2 : 8, height);
    const codegen::CppOptions options;
    const codegen::ProductForm form = *codegen::product_form(kernel, false);
    const ProductDecision how(kernel, form, options);
    CHECK(how.depth_blocks);
    CHECK(how.left == ProductDecision::Packing::none);
    CHECK(how.left_by_blocks);
    CHECK(how.step_loops == (height == 56 ? 2 : 1));
    CHECK(same(how.inner, height == 56 ? 56 : 392));
    CHECK(same(how.block_steps, height == 56 ? 28 : 1));
    CHECK(same(how.steps(), height == 56 ? 112 : 8));
  }
}

namespace {

/// A product of f32 in bf16, as autocast writes it; `written` casts are those of the program.
Kernel product_in_bf16(Sizes sizes, bool written) {
  KernelBuilder b("p", VectorAxis::stage);
  const Extent n = sizes(b), m = sizes(b), depth = sizes(b);
  const auto x = b.argument(f32, Access::read, n * depth);
  const auto w = b.argument(f32, Access::read, depth * m);
  const auto y = b.argument(f32, Access::write, n * m);
  const Extent i = b.grid(n, 4), j = b.grid(m, 4);
  const Extent k = b.stage().loop(depth);
  const auto in_bf16 = [&](ValueId load) {
    const ValueId narrow = b.compute(Op::cast, bf16, {load});
    if (written) b.kernel.instructions.back().constant = constant(true);
    return b.compute(Op::cast, f32, {narrow});
  };
  const ValueId lhs = in_bf16(b.load(x, i * depth + k)), rhs = in_bf16(b.load(w, j * depth + k));
  const ValueId sum = b.reduce(Op::sum, f32, b.compute(Op::mul, f32, {lhs, rhs}));
  b.stage();
  b.store(y, i * m + j, sum);
  return b.kernel;
}

}  // namespace

TEST_CASE("decision: operands that are not rounded to 16 bits are read in place") {
  const auto reads_in_place = [](bool written) {
    const Kernel kernel = product_in_bf16({{64, 128, 32}, false}, written);
    const auto form = codegen::product_form(kernel, false);
    REQUIRE(form.has_value());
    const ProductDecision how(kernel, *form, {});
    return how.left == ProductDecision::Packing::none && how.right_is_input;
  };
  CHECK(reads_in_place(false));
  CHECK_FALSE(reads_in_place(true));  // x.to(bf16) rounds
}

TEST_CASE("decision: panels of a call-invariant argument are kept between calls") {
  Sizes sizes({64, 128, 32}, false);
  Kernel kernel = product("p", sizes, true, f32, 4, 4);
  const codegen::ProductForm form = *codegen::product_form(kernel, false);
  const codegen::ProductDecision changing(kernel, form, {});
  CHECK(changing.call_invariant_argument() == -1);
  CHECK(changing.packed_input_of(-1).input == -1);

  kernel.arguments[1].call_invariant = true;
  const codegen::ProductDecision how(kernel, form, {});
  CHECK(how.call_invariant_argument() == 1);
  CHECK(how.packed_argument == 1);
  const schedule::PackedInput kept = how.packed_input_of(1);
  CHECK(kept.input == 1);
  CHECK(kept.bytes == codegen::detail::packed_header_bytes + 128 * 32 * 4);
}

TEST_CASE("decision: a caller keeps whole panels of the largest product") {
  Sizes sizes({64, 128, 32}, false);
  const Kernel kernel = product("p", sizes, true, f32, 4, 4);
  const codegen::ProductForm form = *codegen::product_form(kernel, false);
  const codegen::ProductDecision how(kernel, form, {}, {.buffer = 4, .depth = 32, .columns = 100});
  CHECK(how.has_shared_panels());
  CHECK(same(how.shared_panel_elements(), 128 * 32));
}
