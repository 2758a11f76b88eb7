#pragma once

// Stores that pass the caches by.

#include <vector>  // std::vector

#include <sinter/base/text.hpp>
#include <sinter/codegen/nest.hpp>
#include <sinter/symbol/interval.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

SINTER_INLINE std::string Nest::write_streams() {
  std::string any;
  for (std::size_t i = 0; i < layout_.kernel.arguments.size(); ++i) {
    const auto id = static_cast<std::int32_t>(i);
    if (!streams(id)) continue;
    const Extent elements = layout_.kernel.arguments[i].elements;
    out_.line(text("const bool past", i, " = ", c_index(elements, 0, {}),
                   " >= ", least_streamed(id), ";"));
    any += text(any.empty() ? "past" : " || past", i);
  }
  return any;
}

// The stages that are computed inside `head` and nothing else, if it is the last loop around them.
SINTER_INLINE std::vector<const schedule::Stage*> Nest::stages_inside(const Head& head) const {
  std::vector<const schedule::Stage*> result;
  const int depth = head.position + 1 - layout_.grid_depth();
  for (std::size_t i = 0; i < layout_.stages.size(); ++i) {
    if (depth > 0 && static_cast<int>(i) != head.stage) continue;
    if (static_cast<int>(layout_.stages[i].size()) != depth) return {};
    result.push_back(&layout_.kernel.stages[i]);
  }
  return result;
}

// The first store of a short loop, streamed if sizes that only the call knows are large: a branch
// for each vector would take a part of the time that the loop takes.
SINTER_INLINE ValueId Nest::streamed_if_large(const Head& head) const {
  constexpr std::size_t most_instructions = 12;
  if (!head.vector || bounds(head.extent).max <= step_of(head)) return -1;
  ValueId result = -1;
  std::size_t instructions = 0;
  for (const schedule::Stage* stage : stages_inside(head)) {
    for (const ValueId id : stage->body) {
      const Instruction& one = at(id);
      instructions += dependence(id).depth == head.position + 1;
      if (one.code == Code::compute && is_long(one.op)) return -1;
      if (result >= 0 || one.code != Code::store || one.accumulate) continue;
      const bool is_streamed = streams(one.argument) && varying(id) && contiguous(id);
      if (is_streamed && !argument(one).elements.is_number()) result = id;
    }
  }
  return instructions <= most_instructions ? result : -1;
}

}  // namespace sinter::inline SINTER_ABI::detail::codegen
