#include <doctest/doctest.h>

#include <sinter/device/cublaslt.hpp>

using namespace sinter;

TEST_CASE("cublaslt: is loaded whole, or says why not") {
  const CublasLt* const table = cublaslt();
  if (table == nullptr) {
    MESSAGE("skipped: " << cublaslt_missing());
    CHECK(cublaslt_missing() != "");
    return;
  }

  CHECK(table->version() >= 110000);
  CHECK(cublaslt_missing() == "");
}

TEST_CASE("cublaslt: describes products and layouts without a GPU") {
  const CublasLt* const table = cublaslt();
  if (table == nullptr) return;
  CublasLt::Handle description = nullptr, layout = nullptr;
  REQUIRE(table->create_description(&description, CublasLt::compute_f32, CublasLt::data_f32) == 0);
  const int epilogue = CublasLt::epilogue_gelu + CublasLt::epilogue_bias;
  CHECK(table->set_description(description, CublasLt::epilogue, &epilogue, sizeof(epilogue)) == 0);
  REQUIRE(table->create_layout(&layout, CublasLt::data_bf16, 64, 128, 64) == 0);
  const int batches = 3;
  CHECK(table->set_layout(layout, CublasLt::batch_count, &batches, sizeof(batches)) == 0);
  CHECK(table->set_layout(layout, CublasLt::batch_count, &batches, 1) != 0);
  CHECK(table->destroy_layout(layout) == 0);
  CHECK(table->destroy_description(description) == 0);
}

TEST_CASE("cublaslt: an emulator can take its place") {
  const CublasLt emulator{};

  const CublasLt* const before = replace_cublaslt(&emulator);
  CHECK(cublaslt() == &emulator);
  CHECK(cublaslt_missing() == "");
  CHECK(replace_cublaslt(before) == &emulator);
  CHECK(cublaslt() != &emulator);
}
