#pragma once
// The function table of cuBLASLt, NVIDIA's matrix-product library, loaded at first use.

#include <cstddef>  // std::size_t
#include <cstdint>  // std::int64_t, std::uint64_t
#include <string>   // std::string

#include <sinter/device/host/shared_library.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// A result of cuBLASLt's heuristic: cublasLtMatmulHeuristicResult_t.
struct CublasLtChoice {
  std::uint64_t algorithm[8]{};  // opaque
  std::size_t workspace_bytes = 0;
  int state = 0;  // 0 if it can be used
  float waves = 0;
  int reserved[4]{};
};
static_assert(sizeof(CublasLtChoice) == 96);

/// The functions of cuBLASLt that sinter calls, with the types of cublasLt.h, which is not needed
/// to build. They return 0 on success. Handles are opaque; streams are driver streams.
struct CublasLt {
  using Handle = void*;

  // The enumerators in use, with the values of library_types.h, cublas_api.h and cublasLt.h.
  enum Type : int {
    data_f32 = 0,
    data_f64 = 1,
    data_f16 = 2,
    data_i8 = 3,
    data_i32 = 10,
    data_bf16 = 14
  };
  enum Compute : int { compute_f16 = 64, compute_f32 = 68, compute_tf32 = 77, compute_f64 = 70 };
  enum Description : int { transpose_a = 3, transpose_b = 4, epilogue = 7, bias_pointer = 8 };
  enum Epilogue : int {
    epilogue_none = 1,
    epilogue_relu = 2,
    epilogue_bias = 4,
    epilogue_gelu = 32
  };  // gelu: the tanh approximation; the flags can be combined
  enum Layout : int { order = 1, batch_count = 5, batch_stride = 6 };
  enum Preference : int {
    most_workspace_bytes = 1,
    reductions = 3,
    alignment_a = 5,
    alignment_b = 6,
    alignment_c = 7,
    alignment_d = 8
  };
  // Statuses that mean that a product is not supported on this machine; others are errors.
  enum Status : int {
    allocation_failed = 3,
    invalid_value = 7,
    architecture_mismatch = 8,
    not_supported = 15
  };
  static constexpr int row_major = 1, transposed = 1;
  static constexpr unsigned reduces_as_it_computes =
      2;  // split-K reductions in the compute type, not in 16 bits

  std::size_t (*version)() = nullptr;
  const char* (*status_string)(int status) = nullptr;
  int (*create)(Handle* handle) = nullptr;
  int (*destroy)(Handle handle) = nullptr;
  int (*create_description)(Handle* description, int compute, int scale_type) = nullptr;
  int (*set_description)(Handle description, int attribute, const void* value,
                         std::size_t bytes) = nullptr;
  int (*destroy_description)(Handle description) = nullptr;
  int (*create_layout)(Handle* layout, int type, std::uint64_t rows, std::uint64_t columns,
                       std::int64_t leading) = nullptr;
  int (*set_layout)(Handle layout, int attribute, const void* value, std::size_t bytes) = nullptr;
  int (*destroy_layout)(Handle layout) = nullptr;
  int (*create_preference)(Handle* preference) = nullptr;
  int (*set_preference)(Handle preference, int attribute, const void* value,
                        std::size_t bytes) = nullptr;
  int (*destroy_preference)(Handle preference) = nullptr;
  int (*heuristic)(Handle handle, Handle description, Handle a, Handle b, Handle c, Handle d,
                   Handle preference, int asked, CublasLtChoice* choices, int* given) = nullptr;
  int (*multiply)(Handle handle, Handle description, const void* alpha, const void* a,
                  Handle a_layout, const void* b, Handle b_layout, const void* beta, const void* c,
                  Handle c_layout, void* d, Handle d_layout, const void* algorithm, void* workspace,
                  std::size_t workspace_bytes, Handle stream) = nullptr;
};

/// The table of the library on this machine, or null. The loader's own search comes first, then
/// CUDA_HOME, CUDA_PATH and /usr/local/cuda.
const CublasLt* cublaslt();

/// Why cublaslt() is null; empty if it is not.
const std::string& cublaslt_missing();

/// Replaces the library by `table`; null restores it. Returns the previous table. For an emulator
/// in tests.
const CublasLt* replace_cublaslt(const CublasLt* table);

}  // namespace sinter::inline SINTER_ABI::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/device/cuda/cublaslt.ipp>
#endif
