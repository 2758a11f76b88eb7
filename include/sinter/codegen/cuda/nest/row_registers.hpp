#pragma once
// Register pressure of threads that share rows, and whether whole rows fit in registers.

#include <cstdint>  // std::int32_t, std::int64_t
#include <string>   // std::string
#include <vector>   // std::vector

#include <sinter/base/container/vector.hpp>
#include <sinter/codegen/text/layout.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

/// How threads share rows: `threads` per row, `rows` per block. A thread loads packs of `lanes`
/// neighbours, `steps` of them before it computes.
struct RowShare {
  int threads = 32, rows = 1, lanes = 1, steps = 1;
  bool in_registers = false;  ///< That covers the whole row, which stays between stages.
};

/// The elements of a row that a thread holds in registers.
struct RowFragment {
  std::string name{};
  ValueId access = -1;  ///< The first load or store; -1 for a local row.
  int stage = 0;        ///< The stage that loads or stores it.
  DType dtype{};
  bool stored = false;
  bool row_invariant = false;  ///< All rows read the same elements (e.g. a gain).
  bool combined = false;       ///< A column result: loaded, combined, stored.
  std::vector<int> stages{};   ///< Stages that use it.

  /// True if one pack at a time is enough: it is row-invariant, or is stored.
  bool may_be_transient() const { return access >= 0 && (stored || combined || row_invariant); }
};

/// The register estimate for the kernel of `layout`, whose rows are shared as `share` says.
struct RowRegisters {
  const Layout& layout;
  const RowShare& share;
  const Vector<RowFragment>& fragments;
  const Vector<std::int32_t>& fragment_of;  ///< For each value: its fragment; -1 if none.
  const schedule::Target& target;

  /// Registers for fragments of `elements`: all of them if `whole`, else the most of any stage. If
  /// `transient`, one pack is counted for a fragment that may be transient.
  int fragment_words(int elements, bool whole, bool transient = false) const;
  /// Registers for `elements` of each fragment of a stage in compute types: f32 or wider. The most
  /// of any stage.
  int stage_words(int elements) const;
  /// Instructions of the longest stage with a loop.
  int longest_stage() const;
  /// True if whole rows fit in the registers of a block of `threads`, at `steps` packs per thread.
  bool fits_registers(int threads, int steps) const;

 private:
  const Instruction& at(ValueId id) const { return layout.kernel.instructions[id]; }
  int stage_of(ValueId id) const { return layout.dependence(id).stage; }
  int conversions_kept() const;
  std::vector<std::int64_t> value_key(ValueId id, const Vector<ValueId>& first) const;
  int recomputed_words() const;
  int words_per_element() const;
  int registers_per_thread(int threads) const;
};

/// 32-bit words of the widest value that `kernel` computes.
int widest_words(const Kernel& kernel);

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/cuda/nest/row_registers.ipp>
#endif
