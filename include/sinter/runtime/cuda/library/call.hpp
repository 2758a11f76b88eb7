#pragma once
// Calls of cuBLASLt that replace generated matrix-product kernels.

#include <array>     // std::array
#include <cstdint>   // std::int32_t, std::int64_t

#include <sinter/base/container/optional.hpp>
#include <sinter/base/container/span.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/base/where.hpp>
#include <sinter/config.hpp>
#include <sinter/device/cuda/submission.hpp>
#include <sinter/runtime/cuda/library/algorithm.hpp>
#include <sinter/symbol/extent/extent.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime {

struct CudaLibraryRun;

/// result = activation(scale * left * right + added_scale * added + bias), where left has `rows`
/// rows and right `columns` columns, in terms of the buffers and symbols of a kernel.
struct CudaLibraryCall {
  /// The location of a matrix. The columns of `added` and of the result are contiguous.
  struct Matrix {
    std::int32_t buffer = -1;  ///< Index of the kernel's buffer; -1 for none.
    Extent start = 0;          ///< Elements before the first.
    Extent pitch = 0;          ///< Elements from one contiguous line to the next.
    bool by_depth = false;     ///< Of operands: whether lines run along the contracted axis.
  };
  /// A batch axis: `count` products, with the steps of each matrix in elements.
  struct Repeat {
    Extent count = 1;
    Extent left = 0, right = 0, added = 0, result = 0;
  };

  DType operands{}, stored{};  ///< Of left and right; of the others.
  bool tf32 = false;           ///< Whether f32 is multiplied as TF32.
  Extent rows = 0, columns = 0, depth = 0;
  Matrix left{}, right{}, added{}, bias{}, result{};
  Vector<Repeat> repeats{};
  double scale = 1, added_scale = 0;
  Activation activation{};
  int answer = 1;  ///< See CudaLibrary::choose().

  /// Whether the library is faster than a generated kernel. Small products and products of few rows
  /// or columns are bound by latency or memory, where it is not.
  static bool pays(std::int64_t rows, std::int64_t columns, std::int64_t depth);
  /// Whether pays() may be true for some sizes.
  bool may_pay() const;
  /// Whether pays() is true for all sizes.
  bool always_pays() const;
  /// Whether, for all sizes, the product runs long enough to hide the host's work, even a library
  /// call or a capture per product.
  bool hides_launches() const;

  /// Evaluates the call for these buffers and sizes, and asks the library for an algorithm, once
  /// for each shape. Empty if the generated kernel has to run. `symbols` are indexed by the
  /// kernel's ids.
  Optional<CudaLibraryRun> resolve(CudaContext& context, Span<void* const> buffers,
                                   Span<const std::int64_t> symbols,
                                   Workspace workspace = Workspace::allowed) const;
  /// Enqueues `run` on `stream`; a stream capture may record it. `workspace` has the bytes that the
  /// run asks for and is not in use by other work. False if the library refuses, and the generated
  /// kernel has to run. Throws DeviceError, at `where`, if the library fails.
  bool enqueue(CudaContext& context, CudaDriver::Handle stream, const CudaLibraryRun& run,
               void* workspace, Where where) const;
  /// resolve() and enqueue(), with a temporary workspace. False if the generated kernel has to run.
  bool run(CudaSubmission& work, Span<void* const> buffers, Span<const std::int64_t> symbols,
           Where where) const;
};

/// An evaluated library call.
struct CudaLibraryRun {
  /// In the library's order: right operand, left operand, addend, result.
  using PerMatrix = std::array<std::int64_t, 4>;
  struct OuterLoop {
    std::int64_t count = 1;
    PerMatrix steps{};  ///< In bytes.
  };

  LibraryProblem problem{};
  PerMatrix addresses{};
  void* bias = nullptr;
  Vector<OuterLoop> outer_loops{};  ///< One library call for each combination of indices.
  const CudaLibrary::Choice* choice = nullptr;
  std::size_t workspace_bytes = 0;
};

}  // namespace sinter::inline SINTER_ABI::detail::runtime

#ifdef SINTER_DEFINITIONS
#include <sinter/runtime/cuda/library/call.ipp>
#endif
