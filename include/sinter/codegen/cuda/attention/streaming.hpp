#pragma once
// Emits a row-tiled kernel in streaming form (online softmax, as in FlashAttention): a block keeps
// the accumulators of a row tile in registers and iterates over key tiles in shared memory.

#include <cstdint>  // std::int64_t
#include <string>   // std::string

#include <sinter/base/container/sorted_map.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/codegen/cuda/attention/form.hpp>
#include <sinter/codegen/cuda/attention/matrices.hpp>
#include <sinter/codegen/cuda/attention/numbers.hpp>
#include <sinter/codegen/cuda/attention/pieces.hpp>
#include <sinter/codegen/cuda/nest/function_head.hpp>
#include <sinter/codegen/cuda/nest/launch.hpp>
#include <sinter/codegen/text/writer.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

/// The row tile of a block, and the steps (keys) per iteration.
struct CudaStreamingTile {
  int rows = 64, steps = 64;
  int high = 1;       ///< Tensor cores: 16-row fragments per warp.
  bool full = false;  ///< Accumulators fill the registers: recompute copy addresses, do not hoist.
};

class CudaStreaming {
 public:
  CudaStreaming(CudaStreamingForm form, const CudaOptions& options);
  CudaStreaming(const CudaStreaming&) = delete;
  CudaStreaming& operator=(const CudaStreaming&) = delete;
  /// The text of the function `name`, preceded by the device functions that it calls.
  std::string function(const std::string& name);
  CudaLaunch launch() const { return {max(tasks(), 1), threads(), shared_bytes()}; }
  const CudaStreamingTile& tile() const { return tile_; }

 private:
  using Matrix = StreamingMatrix;
  using Call = ScalarCall;
  /// Per value: whether code may use it as given.
  using Known = Vector<bool>;

  const Instruction& at(ValueId id) const { return form_.code.instructions[id]; }
  void choose_tile();

  void write_checks();
  void write_operand(Matrix& matrix);
  void declare_row_number(ValueId id);
  std::string row_number(ValueId id);
  std::string score(const Call& call) const;
  Writer::Block unrolled(const std::string& variable, const std::string& count);

  std::string c(Extent extent, const std::string& row = "") const;
  std::string number() const { return type_name({dtype_}); }
  std::int64_t bytes_of(const Matrix& matrix) const;
  std::int64_t shared_bytes() const;
  int threads() const { return how_.mma ? tile_.rows / tile_.high * 2 : 256; }
  Extent tasks() const;

  void write_shared();
  void write_body();
  void write_tile_range();
  void write_fetch(const Matrix& matrix, const std::string& target, const std::string& first,
                   const std::string& end);
  void write_pass(int pass);
  void write_steps(int pass);
  void declare_running_reductions(int pass);
  void write_score(ValueId id, Op op);
  void write_running_reduction(std::size_t reduction);
  void write_running_max(int pass, std::size_t reduction);
  void write_lane_reduction(const std::string& name, Op op);
  void rescale(int pass, std::int32_t running_max, ValueId base, const std::string& factor);
  void write_pass_end(int pass);
  void write_row_stores();
  void write_sum_stores(std::size_t sum);
  Vector<std::size_t> matrices_of(int pass) const;
  std::string lowest() const { return literal(neutral(Op::max, dtype_)); }

  CudaStreamingForm how_;
  std::int64_t most_bytes_;  ///< Of shared memory.
  const StreamingForm& form_;
  CudaFunction function_;
  StreamingNumbers numbers_;
  StreamingPieces pieces_;
  DType dtype_{};  ///< Type of scores and sums.
  CudaStreamingTile tile_{};
  Extent batch_ = 1, rows_ = 1, steps_ = 1;
  Vector<Matrix> matrices_{};
  Vector<std::size_t> dot_left_{}, dot_right_{}, sum_right_{};
  Known scores_{};         ///< Scores already computed in this step.
  Known rescale_bases_{};  ///< Rescale bases of this pass.
  Known rows_known_{};     ///< Per-row values already declared.
  SortedMap<ValueId, Call> row_calls_{};
  SortedMap<ValueId, Op>
      outside_{};  ///< Per score: the reduction for which its padding is neutral.
  std::string integer_{};
  Writer out_{};
};

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/cuda/attention/streaming.ipp>
#endif
