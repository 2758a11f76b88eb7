#pragma once
// What the classes that write a kernel, or a function that a kernel calls, have in common.

#include <utility>  // std::move

#include <sinter/codegen/text/memory.hpp>
#include <sinter/codegen/text/reductions.hpp>
#include <sinter/codegen/text/values.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

/// Owns the text and the writers of values, memory accesses and reductions. Writes an instruction
/// as they do; derived classes override what has another form.
class KernelWriter : public InstructionWriter {
 public:
  KernelWriter(KernelContext context, NonTemporal non_temporal)
      : context_(std::move(context)), memory_(context_, values_, non_temporal) {}

  void write_instruction(ValueId id, const Instance& instance) override {
    reductions_.write_instruction(id, instance);
  }
  void write_base(ValueId id) override { memory_.write_base(id); }
  void write_update(ValueId id, const Instance& instance) override {
    reductions_.write_update(id, instance);
  }
  void write_result(ValueId id, const Instance& instance) override {
    reductions_.write_result(id, instance);
  }

 protected:
  ~KernelWriter() = default;
  const Instruction& at(ValueId id) const { return layout_.at(id); }
  const Dependence& dependence(ValueId id) const { return layout_.dependence(id); }
  const schedule::Argument& argument(const Instruction& one) const { return layout_.argument(one); }

  KernelContext context_;
  Names& names_{context_.names};
  Layout& layout_{context_.names.layout};
  Writer& out_{context_.out};
  Values values_{context_, *this};
  Memory memory_;
  Reductions reductions_{context_, values_, memory_, *this};
};

}  // namespace sinter::inline SINTER_ABI::detail::codegen
