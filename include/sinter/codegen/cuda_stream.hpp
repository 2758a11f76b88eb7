#pragma once
// Writes a block kernel as CUDA that streams: blocks keep the sums of a tile of rows in registers
// while tiles of what the steps read, as keys and values, pass through shared memory.

#include <cstdint>   // std::int64_t
#include <map>       // std::map
#include <optional>  // std::optional
#include <string>    // std::string
#include <vector>    // std::vector

#include <sinter/codegen/cuda_launch.hpp>
#include <sinter/codegen/cuda_piece.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/stream.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

using schedule::StreamDot;
using schedule::StreamForm;
using schedule::StreamSum;
using schedule::StreamTotal;

/// How a kernel is streamed.
struct CudaStreamForm {
  StreamForm form{};
  bool mma = false;  ///< By tensor cores, of numbers of `dtype`; else by threads.
  DType dtype{};
};

/// The part of a block at once.
struct CudaStreamTile {
  int rows = 64, steps = 64;
  int high = 1;  ///< Of tensor cores: rows of a warp, divided by 16.
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
  /// A matrix in shared memory: of the rows of a block, or of a tile of steps.
  struct Matrix {
    std::string name{};
    bool of_rows = false;
    ValueId value = -1;
    std::vector<Loop> inner{};  ///< The depth, or columns.
    int width = 16;             ///< Of these, rounded up.
    bool deep = true;           ///< Whether it lies along them.
    bool copied = false;        ///< Whether it is an input, read as it is, ...
    Extent stride = 0;          ///< ... from lines that are so far apart.
    std::string call{};         ///< How else one of its numbers is computed.
  };
  /// A function for one number: how it is called but for where, and what it is given.
  struct Call {
    std::string head{};
    std::vector<ValueId> givens{};
  };
  /// Which numbers an expression takes as given.
  using Known = std::vector<bool>;

  const Instruction& at(ValueId id) const;
  const schedule::StreamFacts& facts(ValueId id) const;
  void choose_tile();
  std::size_t add_matrix(bool of_rows, ValueId value, const std::vector<Loop>& inner);
  bool copies(Matrix& matrix) const;
  bool same_memory(const Matrix& a, const Matrix& b) const;
  ValueId before_widening(ValueId id) const;
  bool counts_in_31_bits() const;

  PieceKernel new_piece(const std::vector<CudaSide>& sides) const;
  std::vector<CudaSide> sides(const CudaSide& last) const;
  ValueId copy_into(PieceKernel& piece, const std::vector<ValueId>& roots, const Known& known,
                    std::vector<ValueId>& givens) const;
  Call write_call(const std::string& kind, ValueId root, const std::vector<CudaSide>& all,
                  const Known& known);
  std::string exp_name() const;
  std::string with_near_exp(std::string code) const;
  void write_checks();
  void write_operand(Matrix& matrix);
  bool is_row_number(ValueId id) const;
  bool is_total(ValueId id) const;
  Known known_numbers() const;
  std::vector<ValueId> row_numbers_of(ValueId root) const;
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
  std::vector<ValueId> shifts_of(int pass, std::int32_t peak) const;
  std::vector<ValueId> roots_of(int pass) const;
  std::vector<std::size_t> dots_of(int pass) const;
  std::vector<std::size_t> matrices_of(int pass) const;
  bool is_peak(std::size_t total) const;
  std::string lowest() const;

  CudaStreamForm how_;
  const StreamForm& form_;
  DType dtype_{};  ///< Of scores and sums.
  CudaStreamTile tile_{};
  Extent batch_ = 1, rows_ = 1, steps_ = 1;
  std::vector<bool> heavy_{};  ///< Of each number whether it takes a load or a total.
  std::vector<Matrix> matrices_{};
  std::vector<std::size_t> dot_left_{}, dot_right_{}, sum_right_{};
  Known scores_{};      ///< Those that are there in the present step.
  Known shifts_{};      ///< Those of the present pass.
  Known rows_known_{};  ///< The numbers of rows that are there.
  std::map<ValueId, Call> row_calls_{};
  std::map<ValueId, Op> outside_{};  ///< Of scores: what is neutral to this stands beyond the end.
  std::string integer_{"long"}, name_{}, pieces_{};
  Writer out_{};
};

/// How `kernel` is streamed, if it is. Under `strict`, sums keep their order, so that it is not;
/// with `tf32`, tensor cores multiply f32 as well.
std::optional<CudaStreamForm> cuda_stream_form(const Kernel& kernel, bool strict,
                                               bool tf32 = false);

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/cuda_stream.ipp>
#include <sinter/codegen/cuda_stream_pieces.ipp>
#include <sinter/codegen/cuda_stream_text.ipp>
#include <sinter/codegen/cuda_stream_totals.ipp>
#endif
