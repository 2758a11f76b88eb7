#pragma once
// How many registers the threads that share rows need, and whether whole rows stay in them.

#include <cstdint>  // std::int32_t, std::int64_t
#include <string>   // std::string
#include <vector>   // std::vector

#include <sinter/codegen/text/layout.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

/// How threads share rows: `threads` of them a row, `rows` of these a block. A thread reads
/// `lanes` neighbours at once, `steps` times before it computes.
struct RowShare {
  int threads = 32, rows = 1, lanes = 1, steps = 1;
  bool in_registers = false;  ///< Whether that is all of a row, which stays from stage to stage.
};

/// What a thread has of a row in registers.
struct RowFragment {
  std::string name{};
  ValueId access = -1;  ///< What reads or writes it first; -1 if it is a local row.
  int stage = 0;        ///< Where it is read or written.
  DType dtype{};
  bool stored = false;
  bool row_invariant = false;          ///< Whether all rows read the same.
  bool combined = false;      ///< Whether rows are combined to it: it is read and written.
  std::vector<int> stages{};  ///< That compute with it.

  /// Whether a pack of it is enough at once: of what is near, and of what is written.
  bool may_be_transient() const;
};

/// The registers for rows of the kernel of `layout` that are shared as `share` says.
struct RowRegisters {
  const Layout& layout;
  const RowShare& share;
  const std::vector<RowFragment>& fragments;          ///< What a thread has of rows.
  const std::vector<std::int32_t>& fragment_of;  ///< For each value: which of them; -1 if none.

  /// Registers that a thread needs for `elements` of each row that it has: for a pack of those that
  /// pass by if `passing`.
  int fragment_words(int elements, bool whole, bool transient = false) const;
  /// Registers of the numbers of `elements` that a stage reads and writes, which it computes as f32
  /// or wider.
  int stage_words(int elements) const;
  /// Instructions of the longest of the stages that go over a row.
  int longest_stage() const;
  /// Words of the widest number that is computed.
  int widest_words() const;
  /// Whether `threads` of a block have registers for `steps` of whole rows.
  bool fits_registers(int threads, int steps) const;

 private:
  const Instruction& at(ValueId id) const;
  int stage_of(ValueId id) const;
  int conversions_kept() const;
  std::vector<std::int64_t> value_key(ValueId id, const std::vector<ValueId>& first) const;
  int recomputed_words() const;
  int words_per_element() const;
  static int registers_per_thread(int threads);
};

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/cuda/nest/row_registers.ipp>
#endif
