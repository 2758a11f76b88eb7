// test: alone
#include <doctest/doctest.h>

#include <sinter/device/cuda/cublaslt.hpp>

#if __has_include(<cublasLt.h>)
#include <cublasLt.h>

#include <cstddef>
#include <type_traits>
#endif

using namespace sinter;
using namespace sinter::detail;

// The table is written without the toolkit headers; if they are installed, they check it.
#if __has_include(<cublasLt.h>)
namespace {

template <class Ours, class Theirs>
constexpr bool takes_the_same = false;
// Handles are void*, enumerations int, and the only structure is CublasLtChoice.
template <class Ours, class Theirs>
constexpr bool passes_as =
    std::is_same_v<Ours, Theirs> || (std::is_pointer_v<Ours> && std::is_pointer_v<Theirs>) ||
    (std::is_same_v<Ours, int> && std::is_enum_v<Theirs> && sizeof(Theirs) == sizeof(int)) ||
    (std::is_integral_v<Ours> && std::is_integral_v<Theirs> && sizeof(Ours) == sizeof(Theirs));
template <class R, class... A, class S, class... B>
requires(sizeof...(A) == sizeof...(B)) constexpr bool takes_the_same<R (*)(A...), S (*)(B...)> =
    passes_as<R, S> && (passes_as<A, B> && ...);

#define SAME_FUNCTION(member, function) \
  static_assert(takes_the_same<decltype(CublasLt::member), decltype(&function)>)
#define SAME_NUMBER(ours, theirs) static_assert(int{CublasLt::ours} == static_cast<int>(theirs))

SAME_FUNCTION(version, cublasLtGetVersion);
SAME_FUNCTION(status_string, cublasLtGetStatusString);
SAME_FUNCTION(create, cublasLtCreate);
SAME_FUNCTION(destroy, cublasLtDestroy);
SAME_FUNCTION(create_description, cublasLtMatmulDescCreate);
SAME_FUNCTION(set_description, cublasLtMatmulDescSetAttribute);
SAME_FUNCTION(destroy_description, cublasLtMatmulDescDestroy);
SAME_FUNCTION(create_layout, cublasLtMatrixLayoutCreate);
SAME_FUNCTION(set_layout, cublasLtMatrixLayoutSetAttribute);
SAME_FUNCTION(destroy_layout, cublasLtMatrixLayoutDestroy);
SAME_FUNCTION(create_preference, cublasLtMatmulPreferenceCreate);
SAME_FUNCTION(set_preference, cublasLtMatmulPreferenceSetAttribute);
SAME_FUNCTION(destroy_preference, cublasLtMatmulPreferenceDestroy);
SAME_FUNCTION(heuristic, cublasLtMatmulAlgoGetHeuristic);
SAME_FUNCTION(multiply, cublasLtMatmul);

SAME_NUMBER(data_f32, CUDA_R_32F);
SAME_NUMBER(data_f64, CUDA_R_64F);
SAME_NUMBER(data_f16, CUDA_R_16F);
SAME_NUMBER(data_i8, CUDA_R_8I);
SAME_NUMBER(data_i32, CUDA_R_32I);
SAME_NUMBER(data_bf16, CUDA_R_16BF);
SAME_NUMBER(compute_f16, CUBLAS_COMPUTE_16F);
SAME_NUMBER(compute_f32, CUBLAS_COMPUTE_32F);
SAME_NUMBER(compute_tf32, CUBLAS_COMPUTE_32F_FAST_TF32);
SAME_NUMBER(compute_f64, CUBLAS_COMPUTE_64F);
SAME_NUMBER(transpose_a, CUBLASLT_MATMUL_DESC_TRANSA);
SAME_NUMBER(transpose_b, CUBLASLT_MATMUL_DESC_TRANSB);
SAME_NUMBER(epilogue, CUBLASLT_MATMUL_DESC_EPILOGUE);
SAME_NUMBER(bias_pointer, CUBLASLT_MATMUL_DESC_BIAS_POINTER);
SAME_NUMBER(epilogue_none, CUBLASLT_EPILOGUE_DEFAULT);
SAME_NUMBER(epilogue_relu, CUBLASLT_EPILOGUE_RELU);
SAME_NUMBER(epilogue_bias, CUBLASLT_EPILOGUE_BIAS);
SAME_NUMBER(epilogue_gelu, CUBLASLT_EPILOGUE_GELU);
SAME_NUMBER(epilogue_gelu + CublasLt::epilogue_bias, CUBLASLT_EPILOGUE_GELU_BIAS);
SAME_NUMBER(epilogue_relu + CublasLt::epilogue_bias, CUBLASLT_EPILOGUE_RELU_BIAS);
SAME_NUMBER(order, CUBLASLT_MATRIX_LAYOUT_ORDER);
SAME_NUMBER(batch_count, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT);
SAME_NUMBER(batch_stride, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET);
SAME_NUMBER(most_workspace_bytes, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES);
SAME_NUMBER(reductions, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK);
SAME_NUMBER(alignment_a, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES);
SAME_NUMBER(alignment_b, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES);
SAME_NUMBER(alignment_c, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES);
SAME_NUMBER(alignment_d, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES);
SAME_NUMBER(allocation_failed, CUBLAS_STATUS_ALLOC_FAILED);
SAME_NUMBER(invalid_value, CUBLAS_STATUS_INVALID_VALUE);
SAME_NUMBER(architecture_mismatch, CUBLAS_STATUS_ARCH_MISMATCH);
SAME_NUMBER(not_supported, CUBLAS_STATUS_NOT_SUPPORTED);
SAME_NUMBER(row_major, CUBLASLT_ORDER_ROW);
SAME_NUMBER(transposed, CUBLAS_OP_T);
static_assert(CublasLt::reduces_as_it_computes == CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE);

#define SAME_PLACE(ours, theirs) \
  static_assert(offsetof(CublasLtChoice, ours) == offsetof(cublasLtMatmulHeuristicResult_t, theirs))

static_assert(sizeof(CublasLtChoice) == sizeof(cublasLtMatmulHeuristicResult_t));
SAME_PLACE(algorithm, algo);
SAME_PLACE(workspace_bytes, workspaceSize);
SAME_PLACE(state, state);
SAME_PLACE(waves, wavesCount);

}  // namespace
#endif

TEST_CASE("cublaslt: all functions are loaded, or there is a reason") {
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

TEST_CASE("cublaslt: attributes have the sizes that the library takes") {
  const CublasLt* const table = cublaslt();
  if (table == nullptr) return;
  CublasLt::Handle description = nullptr, layout = nullptr, preference = nullptr;
  REQUIRE(table->create_description(&description, CublasLt::compute_f64, CublasLt::data_f64) == 0);
  REQUIRE(table->create_layout(&layout, CublasLt::data_f64, 8, 8, 8) == 0);
  REQUIRE(table->create_preference(&preference) == 0);
  const auto take = [](auto set, void* subject, int attribute, auto value) {
    return set(subject, attribute, &value, sizeof(value));
  };
  const void* const bias = nullptr;
  CHECK(take(table->set_description, description, CublasLt::transpose_a, 1) == 0);
  CHECK(take(table->set_description, description, CublasLt::transpose_b, 1) == 0);
  CHECK(take(table->set_description, description, CublasLt::bias_pointer, bias) == 0);
  CHECK(take(table->set_layout, layout, CublasLt::batch_stride, std::int64_t{64}) == 0);
  const std::uint32_t sums = CublasLt::reduces_as_it_computes, bytes = 16;
  CHECK(take(table->set_preference, preference, CublasLt::reductions, sums) == 0);
  CHECK(take(table->set_preference, preference, CublasLt::most_workspace_bytes,
             std::uint64_t{1} << 20) == 0);
  for (int one = CublasLt::alignment_a; one <= CublasLt::alignment_d; ++one) {
    CHECK(take(table->set_preference, preference, one, bytes) == 0);
    CHECK(take(table->set_preference, preference, one, std::uint64_t{16}) != 0);
  }
  CHECK(table->destroy_preference(preference) == 0);
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
