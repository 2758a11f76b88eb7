#pragma once
// cuBLASLt on a GPU: its handle, and a cache of the algorithm for each shape of product.

#include <cstdint>        // std::int64_t, std::uint8_t
#include <string>         // std::string

#include <sinter/base/container/hash_map.hpp>
#include <sinter/base/container/unique_ptr.hpp>
#include <sinter/base/dtype.hpp>
#include <sinter/base/hash.hpp>
#include <sinter/base/process_mutex.hpp>
#include <sinter/config.hpp>
#include <sinter/device/cuda/context.hpp>
#include <sinter/device/cuda/cublaslt.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime {

/// The activation in a library call's epilogue.
enum class Activation : std::uint8_t { none, relu, gelu };  // gelu: the tanh approximation

/// A matrix in memory: `lines` lines of `length` contiguous elements, `pitch` elements apart.
struct LibraryMatrix {
  std::int64_t length = 0, lines = 0, pitch = 0;
  std::int64_t step = 0;       ///< Elements from one matrix of a batch to the next.
  std::int64_t alignment = 0;  ///< Of the address, in bytes, at most 256.
};

/// Everything that the choice of an algorithm depends on. The library is column-major: `d` has a
/// column for each row of our result, `a` is our right operand and `b` our left one; `c` is added,
/// if present.
struct LibraryProblem {
  DType operands{}, result{};  ///< Of a and b; of the others.
  bool tf32 = false;           ///< Whether f32 operands are multiplied as TF32.
  Activation activation{};
  bool has_bias = false, adds = false;
  bool transposes_a = false,
       transposes_b = false;  ///< Whether lines run along the contracted axis.
  std::int64_t batch = 1;
  LibraryMatrix a{}, b{}, c{}, d{};
  std::int64_t bias_alignment = 0;
};

/// Whether an algorithm may use a workspace.
enum class Workspace : std::uint8_t { allowed, none };

/// "f32 64 x 48 by 48 x 80", in row-major terms.
std::string to_string(const LibraryProblem& problem);

/// The cuBLASLt state of one GPU. Thread-safe.
class CudaLibrary final : public CudaContextState {
 public:
  struct Choice;

  /// The algorithm for `problem`; null if the library is missing or has none, which is logged once.
  /// The library checks the alignment of `bias`. `answer` is the rank of the algorithm in the
  /// library's heuristic, from 1, the fastest; ranks beyond the last mean the last.
  const Choice* choose(CudaContext& context, const LibraryProblem& problem, const void* bias,
                       Workspace workspace = Workspace::allowed, int answer = 1);
  /// Marks `choice` as unusable: choose() does not return it again.
  void refuse(const Choice& choice, const std::string& reason);
  /// The library's description of a status.
  std::string words_of(int status) const;

  void close(const CudaDriver& driver) noexcept override;

 private:
  bool open(CudaContext& context);

  ProcessMutex mutex_;
  const CublasLt* table_ = nullptr;
  CublasLt::Handle handle_ = nullptr;
  bool missing_ = false;
  std::size_t max_workspace_ = 0;
  HashMap<Hash, UniquePtr<Choice>, HashOfHash> choices_{};
};

struct CudaLibrary::Choice {
  ~Choice();

  const CublasLt* table = nullptr;
  CublasLt::Handle handle = nullptr;
  LibraryProblem problem{};
  CublasLt::Handle a = nullptr, b = nullptr, c = nullptr, d = nullptr;  // layouts
  CublasLtChoice algorithm{};
  bool usable = false;  // guarded by the mutex of CudaLibrary

  /// Enqueues one product, or a batch of them, on `stream`; returns the library's status. If
  /// nothing is added, `c` is the result.
  int multiply(CudaDriver::Handle stream, double scale, const void* a_first, const void* b_first,
               double added_scale, const void* c_first, void* d_first, const void* bias,
               void* workspace, std::size_t workspace_bytes) const;
};

}  // namespace sinter::inline SINTER_ABI::detail::runtime

#ifdef SINTER_DEFINITIONS
#include <sinter/runtime/cuda/library/algorithm.ipp>
#endif
