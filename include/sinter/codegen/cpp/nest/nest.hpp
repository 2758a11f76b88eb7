#pragma once
// Writes the loops of a kernel as C++, each with its remainder, and the stages inside them.

#include <string>  // std::string

#include <sinter/base/container/vector.hpp>
#include <sinter/codegen/cpp/nest/function_head.hpp>
#include <sinter/codegen/cpp/nest/interior.hpp>
#include <sinter/codegen/cpp/nest/options.hpp>
#include <sinter/codegen/cpp/nest/staged_windows.hpp>
#include <sinter/codegen/cpp/nest/transpose.hpp>
#include <sinter/codegen/text/kernel_writer.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

/// "name_window3": the function that computes the staged argument 3.
std::string staged_window_name(const std::string& name, std::int32_t argument);

class Nest final : public KernelWriter {
 public:
  Nest(const Kernel& kernel, int lanes, const CppOptions& options);
  /// The kernel with staged windows, which functions named after `name` compute.
  Nest(const StagedKernel& staged, int lanes, const CppOptions& options, std::string name);
  /// The text of the function `name`.
  std::string function(const std::string& name, Linkage linkage = Linkage::exported);

  void write_base(ValueId id) override;

 private:
  /// One loop: from `begin` to `end`, `unroll` iterations at a time.
  struct Head {
    int stage = 0, position = 0, unroll = 1;
    std::string name{}, begin{}, end{};
    bool vector = false, parallel = false;
    Extent extent = 0;
  };
  Head head_of(int stage, int position) const;
  void write_parameters();
  void write_rows();
  void write_share();
  bool is_staged(std::int32_t argument) const;
  void write_staged_memory();
  /// Computes the windows that are staged where `depth` loops are open.
  void write_staged(int stage, int depth);
  /// Declares which outputs have non-temporal stores; returns the condition that any has, "" if
  /// none may.
  std::string write_non_temporal_flags();
  void write_memory(const std::string& name, DType dtype, Extent elements);
  void write_panels(int unroll);
  Extent panel_rows(ValueId id) const;
  void write_loop(int stage, int position);
  void write_tiled_loops(int position);
  void write_main_loop(const Head& head, bool rest, bool declared);
  /// The interior of `head`, if a separate loop without guards pays; else one that is not found().
  Interior interior_to_split(const Head& head) const;
  void write_split_loop(const Head& head, const Interior& interior);
  bool is_written_out(int stage, int position) const;
  void write_out(const Head& head);
  /// Peels the first iterations of `head`, if its rows may be unaligned, so that its stores are
  /// aligned. Returns whether it did.
  bool write_alignment_peel(const Head& head);
  ValueId first_store(const Head& head) const;
  /// A store inside `head` for which the loop is written twice, with and without non-temporal
  /// stores; -1 if there is none.
  ValueId non_temporal_if_large(const Head& head) const;
  void write_body(const Head& head, int unroll, const std::string& loop);
  Vector<const schedule::Stage*> stages_inside(const Head& head) const;
  void write_remainder(const Head& head, bool declared);
  void write_single_vectors(const Head& head);
  void write_iteration(const Head& head, int unroll, bool masked);
  void write_grid();
  void write_grid_body();
  void write_stage(int stage);
  int choose_column_unroll() const;
  int unroll_of(int stage, int position) const;
  int step_of(const Head& head) const { return head.unroll * (head.vector ? names_.lanes : 1); }

  /// How many consecutive iterations stay with one thread.
  int shared_step_of(const Head& head) const {
    return tiles_.is_tiled(head.position) ? static_cast<int>(tiles_.tile()) : step_of(head);
  }

  Transposes tiles_{context_};
  int column_unroll_ = 1;  ///< Vectors of columns that are reduced together.
  bool in_tile_ = false;
  const StagedKernel* staged_ = nullptr;
  std::string name_of_staged_{};
  int parallel_ = -1;  ///< The grid loop that threads share; -1 if one thread runs all.
};

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/cpp/nest/nest.ipp>
#endif
