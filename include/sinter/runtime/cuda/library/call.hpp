#pragma once
// A call of cuBLASLt in the place of a generated kernel that is a product.

#include <array>     // std::array
#include <cstdint>   // std::int32_t, std::int64_t
#include <optional>  // std::optional
#include <span>      // std::span
#include <vector>    // std::vector

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
  /// Where a matrix lies. The columns of `added` and of the result lie side by side.
  struct Matrix {
    std::int32_t buffer = -1;  ///< Of the kernel; -1: there is none.
    Extent start = 0;          ///< Elements before the first.
    Extent pitch = 0;          ///< Elements between lines of neighbours.
    bool by_depth = false;     ///< Of operands: whether these lie along what is summed.
  };
  /// The same for each of `count`, so many elements further.
  struct Repeat {
    Extent count = 1;
    Extent left = 0, right = 0, added = 0, result = 0;
  };

  DType operands{}, stored{};  ///< Of left and right; of the others.
  bool tf32 = false;           ///< Whether f32 is multiplied as TF32.
  Extent rows = 0, columns = 0, depth = 0;
  Matrix left{}, right{}, added{}, bias{}, result{};
  std::vector<Repeat> repeats{};
  double scale = 1, added_scale = 0;
  Activation activation{};
  int answer = 1;  ///< See CudaLibrary::choose().

  /// Whether a library is faster than a generated kernel; small products and those of few rows or
  /// columns are a matter of memory and of latency.
  static bool pays(std::int64_t rows, std::int64_t columns, std::int64_t depth);
  /// Whether pays() may be true for some sizes.
  bool may_pay() const;
  /// Whether pays() is true for all sizes.
  bool always_pays() const;
  /// Whether it is so long, for all sizes, that the host is never behind, even where it asks the
  /// library at each call.
  bool hides_launches() const;

  /// What run() does is with these buffers, first asking the library, once for a shape; nothing if
  /// the generated kernel is to run. `symbols` are those of the kernel by their id.
  std::optional<CudaLibraryRun> resolve(CudaContext& context, std::span<void* const> buffers,
                                        std::span<const std::int64_t> symbols,
                                        Workspace workspace = Workspace::allowed) const;
  /// Gives `run` to `stream`: nothing that a capture of the stream could not hold. `workspace` has
  /// the bytes that it asks for, and is not in use elsewhere at that time. False if the library
  /// refuses, and the generated kernel is to run. Throws DeviceError, at `where`, if the library
  /// fails.
  bool enqueue(CudaContext& context, CudaDriver::Handle stream, const CudaLibraryRun& run,
            void* workspace, Where where) const;
  /// Both of these, with memory of the moment. False if the generated kernel is to run.
  bool run(CudaSubmission& work, std::span<void* const> buffers, std::span<const std::int64_t> symbols,
           Where where) const;
};

/// A call with all its numbers.
struct CudaLibraryRun {
  /// In the order of the library: the right operand, the left one, what is added, the result.
  using PerMatrix = std::array<std::int64_t, 4>;
  struct OuterLoop {
    std::int64_t count = 1;
    PerMatrix steps{};  ///< In bytes.
  };

  LibraryProblem problem{};
  PerMatrix addresses{};
  void* bias = nullptr;
  std::vector<OuterLoop> outer_loops{};  ///< The library is called once for each combination.
  const CudaLibrary::Choice* choice = nullptr;
  std::size_t workspace_bytes = 0;
};

}  // namespace sinter::inline SINTER_ABI::detail::runtime

#ifdef SINTER_DEFINITIONS
#include <sinter/runtime/cuda/library/call.ipp>
#endif
