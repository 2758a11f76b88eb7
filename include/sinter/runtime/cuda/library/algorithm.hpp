#pragma once
// cuBLASLt on a GPU: its handle, and the algorithm for each shape of product, asked for once.

#include <cstdint>        // std::int64_t, std::uint8_t
#include <memory>         // std::unique_ptr
#include <string>         // std::string
#include <unordered_map>  // std::unordered_map

#include <sinter/base/dtype.hpp>
#include <sinter/base/hash.hpp>
#include <sinter/base/process_mutex.hpp>
#include <sinter/config.hpp>
#include <sinter/device/cuda/context.hpp>
#include <sinter/device/cuda/cublaslt.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime {

/// What a library does to a sum before it is stored.
enum class Activation : std::uint8_t { none, relu, gelu };  // gelu by tanh

/// A matrix in memory: so many lines of neighbours, `pitch` elements apart.
struct LibraryMatrix {
  std::int64_t length = 0, lines = 0, pitch = 0;
  std::int64_t step = 0;       ///< From one matrix of a batch to the next.
  std::int64_t alignment = 0;  ///< Of the address, in bytes; no more than 256 matter.
};

/// All that an algorithm depends on. The library counts by columns: what it calls d has a column
/// for each row of our result, `a` is our right operand and `b` the left one; c, if any, is added.
struct LibraryProblem {
  DType operands{}, result{};  ///< Of a and b; of the others.
  bool tf32 = false;           ///< Whether f32 is multiplied as TF32.
  Activation activation{};
  bool has_bias = false, adds = false;
  bool transposes_a = false, transposes_b = false;  ///< Whether lines lie along what is summed.
  std::int64_t batch = 1;
  LibraryMatrix a{}, b{}, c{}, d{};
  std::int64_t bias_alignment = 0;
};

/// Whether an algorithm may ask for memory to work in.
enum class Workspace : std::uint8_t { allowed, none };

/// "f32 64 x 48 by 48 x 80", as the program counts.
std::string to_string(const LibraryProblem& problem);

/// The library as one GPU uses it. Its functions may be called from any thread.
class CudaLibrary final : public CudaContextState {
 public:
  struct Choice;

  /// How `problem` is computed; null if it is not, because the library is not there or has nothing
  /// for it, which is said once in the log. Of `bias`, the library looks at how it is aligned.
  /// `answer` counts the algorithms that the library offers, the one that it thinks fastest first;
  /// the last one stands for those that it does not offer.
  const Choice* choose(CudaContext& context, const LibraryProblem& problem, const void* bias,
                       Workspace workspace = Workspace::allowed, int answer = 1);
  /// No call of choose() gives it again.
  void refuse(const Choice& choice, const std::string& reason);
  /// A result of the library in its words.
  std::string words_of(int status) const;

  void close(const CudaDriver& driver) noexcept override;

 private:
  bool open(CudaContext& context);

  ProcessMutex mutex_;
  const CublasLt* table_ = nullptr;
  CublasLt::Handle handle_ = nullptr;
  bool missing_ = false;
  std::size_t max_workspace_ = 0;
  std::unordered_map<Hash, std::unique_ptr<Choice>, HashOfHash> choices_{};
};

struct CudaLibrary::Choice {
  ~Choice();

  const CublasLt* table = nullptr;
  CublasLt::Handle handle = nullptr;
  LibraryProblem problem{};
  CublasLt::Handle a = nullptr, b = nullptr, c = nullptr, d = nullptr;  // layouts
  CublasLtChoice algorithm{};
  bool usable = false;  // under the mutex of the library

  /// Gives one product, or a batch of them, to `stream`; the library's result. `c` is that of the
  /// result where nothing is added.
  int multiply(CudaDriver::Handle stream, double scale, const void* a_first, const void* b_first,
               double added_scale, const void* c_first, void* d_first, const void* bias,
               void* workspace, std::size_t workspace_bytes) const;
};

}  // namespace sinter::inline SINTER_ABI::detail::runtime

#ifdef SINTER_DEFINITIONS
#include <sinter/runtime/cuda/library/algorithm.ipp>
#endif
