#pragma once
// Writes the loops of a kernel as C++, each with its remainder, and the stages inside them.

#include <string>  // std::string

#include <sinter/base/container/vector.hpp>
#include <sinter/codegen/cpp/nest/function_head.hpp>
#include <sinter/codegen/cpp/nest/transpose.hpp>
#include <sinter/codegen/text/reductions.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

class Nest final : public InstructionWriter {
 public:
  Nest(const Kernel& kernel, int lanes, bool strict, const Tuning& tuning = {});
  /// The text of the function `name`.
  std::string function(const std::string& name, Linkage linkage = Linkage::exported);

  void write_instruction(ValueId id, const Instance& instance) override {
    reductions_.write_instruction(id, instance);
  }
  void write_base(ValueId id) override;
  void write_update(ValueId id, const Instance& instance) override {
    reductions_.write_update(id, instance);
  }
  void write_result(ValueId id, const Instance& instance) override {
    reductions_.write_result(id, instance);
  }

 private:
  /// One loop: from `begin` to `end`, `unroll` iterations at a time.
  struct Head {
    int stage = 0, position = 0, unroll = 1;
    std::string name{}, begin{}, end{};
    bool vector = false, parallel = false;
    Extent extent = 0;
  };
  const Instruction& at(ValueId id) const { return layout_.at(id); }
  const Dependence& dependence(ValueId id) const { return layout_.dependence(id); }
  const schedule::Argument& argument(const Instruction& one) const { return layout_.argument(one); }
  Head head_of(int stage, int position) const;
  void write_parameters();
  /// The text so far, with the long sizes declared after the parameters.
  std::string with_sizes() const;
  void write_rows();
  void write_share();
  /// Declares which outputs have non-temporal stores; returns the condition that any has, "" if
  /// none may.
  std::string write_non_temporal_flags();
  /// Declares `name`, memory of a thread, on the stack where it is small.
  void write_memory(const std::string& name, DType dtype, Extent elements);
  void write_panels(int unroll);
  Extent panel_rows(ValueId id) const;
  void write_loop(int stage, int position);
  void write_tiled_loops(int position);
  void write_main_loop(const Head& head, bool rest, bool declared);
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

  KernelContext context_;
  Names& names_{context_.names};
  Layout& layout_{context_.names.layout};
  Writer& out_{context_.out};
  Values values_{context_, *this};
  Memory memory_{context_, values_, NonTemporal::if_large};
  Reductions reductions_{context_, values_, memory_, *this};
  Transposes tiles_{context_};
  std::size_t end_of_parameters_ = 0;  ///< Offset in the text.
  int column_unroll_ = 1;              ///< Vectors of columns that are reduced together.
  bool in_tile_ = false;
  int parallel_ = -1;  ///< The grid loop that threads share; -1 if one thread runs all.
};

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/cpp/nest/nest.ipp>
#endif
