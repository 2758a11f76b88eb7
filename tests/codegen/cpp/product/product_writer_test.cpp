#include <doctest/doctest.h>
#include <sinter/codegen/cpp/product/product_writer.hpp>

#include "texts.hpp"

using namespace kernels;

TEST_CASE("product_writer: products that pack the same weights alike share the panels") {
  const auto key_of = [](std::int64_t rows, std::int64_t depth) {
    Sizes sizes({rows, 128, depth}, false);
    Kernel kernel = product("p", sizes, true, f32, 4, 4);
    kernel.arguments[1].call_invariant = true;
    const codegen::ProductForm form = *codegen::product_form(kernel, false);
    return codegen::ProductWriter(codegen::ProductDecision(kernel, form, {})).packed_input();
  };
  REQUIRE(key_of(64, 32).input == 1);
  CHECK(key_of(64, 32).key == key_of(96, 32).key);
  CHECK(key_of(64, 32).key != key_of(64, 48).key);
}

TEST_CASE("product_writer: tiles of few rows prefetch packed weights that the L2 cache lacks") {
  const auto text_of = [](std::int64_t rows, std::int64_t columns, bool packed) {
    Sizes sizes({rows, columns, 32}, false);
    Kernel kernel = product("p", sizes, true, f32, 4, 4);
    kernel.arguments[1].call_invariant = packed;
    return cpp_text(kernel);
  };
  const std::string text = text_of(64, 4096, true);
  CHECK(contains(text, "multiply_ahead_6x4_f32x16"));
  CHECK(contains(text, "r - (part.row) < 96"));
  CHECK(contains(text, "(const char*)(panel + 2048 + (r - (part.row)) / 6 * (128))"));
  CHECK_FALSE(contains(text_of(64, 4096, false), "ahead"));
  CHECK_FALSE(contains(text_of(64, 128, true), "ahead"));
  CHECK_FALSE(contains(text_of(1024, 4096, true), "ahead"));
}

TEST_CASE("product_writer: panels follow the buffers of the kernel and of its finalizers") {
  Sizes sizes({64, 128, 32}, false);
  Kernel kernel = product("p", sizes, true, f32, 4, 4);
  kernel.arguments[1].call_invariant = true;
  const std::size_t own = schedule::buffer_count(kernel);
  CHECK(contains(cpp_text(kernel), sinter::detail::text("kept = (long*)buffers[", own, "]")));
  Sizes whole({16, 32}, false);
  kernel.finalizers.push_back(full_mean("last", whole));
  const std::size_t more = own + schedule::buffer_count(kernel.finalizers[0]);
  CHECK(contains(cpp_text(kernel), sinter::detail::text("kept = (long*)buffers[", more, "]")));
}
