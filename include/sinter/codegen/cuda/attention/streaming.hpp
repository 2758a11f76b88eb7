#pragma once
// Writes a block kernel as CUDA that streams: blocks keep the sums of a tile of rows in registers
// while tiles of what the steps read, as keys and values, pass through shared memory.

#include <cstdint>  // std::int64_t
#include <map>      // std::map
#include <string>   // std::string
#include <vector>   // std::vector

#include <sinter/codegen/cuda/attention/form.hpp>
#include <sinter/codegen/cuda/attention/matrices.hpp>
#include <sinter/codegen/cuda/attention/numbers.hpp>
#include <sinter/codegen/cuda/attention/pieces.hpp>
#include <sinter/codegen/cuda/nest/launch.hpp>
#include <sinter/codegen/text/writer.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

/// The part of a block at once.
struct CudaStreamTile {
  int rows = 64, steps = 64;
  int high = 1;       ///< Of tensor cores: rows of a warp, divided by 16.
  bool full = false;  ///< Whether sums take most registers: where to copy is not kept in others.
};

class CudaStream {
 public:
  explicit CudaStream(CudaStreamForm form);
  CudaStream(const CudaStream&) = delete;
  CudaStream& operator=(const CudaStream&) = delete;
  /// The text of the function that is called `name`, behind those that it calls.
  std::string function(const std::string& name);
  CudaLaunch launch() const;
  const CudaStreamTile& tile() const { return tile_; }

 private:
  using Matrix = StreamMatrix;
  using Call = StreamCall;
  /// Which numbers an expression takes as given.
  using Known = std::vector<bool>;

  const Instruction& at(ValueId id) const;
  void choose_tile();
  bool counts_in_31_bits() const;

  void write_checks();
  void write_operand(Matrix& matrix);
  void declare_row_number(ValueId id);
  std::string row_number(ValueId id);
  std::string score(const Call& call) const;
  Writer::Block unrolled(const std::string& variable, const std::string& count);

  std::string c(Extent extent, const std::string& row = "") const;
  std::string parameters() const;
  std::string argument_name(std::int32_t argument) const;
  std::string number() const { return type_name({dtype_}); }
  std::int64_t bytes_of(const Matrix& matrix) const;
  std::int64_t shared_bytes() const;
  int threads() const;
  Extent tasks() const;

  void write_shared();
  void write_body();
  void write_ends();
  void write_fetch(const Matrix& matrix, const std::string& target, const std::string& first,
                   const std::string& end);
  void write_pass(int pass);
  void write_steps(int pass);
  void declare_totals(int pass);
  void write_score(ValueId id, Op op);
  void write_total(std::size_t total);
  void write_peak(int pass, std::size_t total);
  void write_meeting(const std::string& name, Op op);
  void scale(int pass, std::int32_t peak, ValueId shift, const std::string& factor);
  void write_pass_end(int pass);
  void write_row_stores();
  void write_sum_stores(std::size_t sum);
  std::vector<std::size_t> matrices_of(int pass) const;
  std::string lowest() const;

  CudaStreamForm how_;
  const StreamForm& form_;
  StreamNumbers numbers_;
  StreamPieces pieces_;
  DType dtype_{};  ///< Of scores and sums.
  CudaStreamTile tile_{};
  Extent batch_ = 1, rows_ = 1, steps_ = 1;
  std::vector<Matrix> matrices_{};
  std::vector<std::size_t> dot_left_{}, dot_right_{}, sum_right_{};
  Known scores_{};      ///< Those that are there in the present step.
  Known shifts_{};      ///< Those of the present pass.
  Known rows_known_{};  ///< The numbers of rows that are there.
  std::map<ValueId, Call> row_calls_{};
  std::map<ValueId, Op> outside_{};  ///< Of scores: what is neutral to this stands beyond the end.
  std::string integer_{"long"};
  Writer out_{};
};

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/cuda/attention/streaming.ipp>
#endif
