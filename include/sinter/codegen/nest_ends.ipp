#pragma once

// How loops begin and end where their vectors are not whole.

#include <sinter/base/text.hpp>
#include <sinter/codegen/nest.hpp>
#include <sinter/symbol/interval.hpp>
#include <sinter/symbol/proof.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

// The first store of a loop over a row; -1 if there is none, if the order in which the loop runs
// may matter, or if one vector more takes longer than all others save: a store through the caches
// only saves the second line that it would touch.
SINTER_INLINE ValueId Nest::first_store(const Head& head) const {
  if (!head.vector || head.unroll != 1 || head.parallel || head.position == 0) return -1;
  ValueId result = -1;
  bool is_streamed = false, is_cheap = true;
  for (const schedule::Stage* stage : stages_inside(head)) {
    for (const ValueId id : stage->body) {
      const Instruction& one = at(id);
      if (one.code == Code::reduce || one.code == Code::running || one.code == Code::combine ||
          one.code == Code::sort) {
        return -1;
      }
      is_cheap &= one.guards.empty() && !(one.code == Code::compute && is_long(one.op));
      if (one.code != Code::store || one.accumulate || argument(one).access == Access::local)
        continue;
      is_streamed |= streams(one.argument);
      if (result < 0 && varying(id) && contiguous(id)) result = id;
    }
  }
  return is_streamed || is_cheap ? result : -1;
}

// Where rows have odd sizes, most of them would be stored across the lines of the caches, and what
// is streamed through these.
SINTER_INLINE bool Nest::write_lead(const Head& head) {
  constexpr std::int64_t least_vectors = 4;  // of a row, else the lead takes as long as it saves
  const bool starts = head.begin == "0";  // else it is a tile
  const ValueId id = first_store(head);
  if (id < 0 || masked_ || bounds(head.extent).max < least_vectors * lanes_) return false;
  Instance instance;
  instance.resize(frames_.size() + 1);
  out_.line(text("long ", head.name, " = ", head.begin, ";"));
  frames_.push_back({head.name, 1, lanes_});
  const std::string where = address(id, instance);
  frames_.pop_back();
  const auto block =
      out_.block(text("if (const long lanes = before_line(", where, ", ",
                      info(argument(at(id)).dtype).size, ", ", lanes_, ", ",
                      starts ? head.end : text(head.end, " - ", head.name), "))"));
  write_inside(head, 1, true);
  out_.line(text(head.name, starts ? " = lanes;" : " += lanes;"));
  return true;
}

// The whole vectors of a stage that its unrolled loop leaves: a mask would take longer than they.
SINTER_INLINE void Nest::write_single_vectors(const Head& head) {
  const std::int64_t most = bounds(head.extent).max;
  if (most < lanes_ || (head.extent.is_number() && most % step_of(head) < lanes_)) return;
  write_body(head, 1,
             text("for (; ", head.name, " + ", lanes_, " <= ", head.end, "; ", head.name,
                  " += ", lanes_, ")"));
}

SINTER_INLINE void Nest::write_rest(const Head& head, bool declared) {
  if (!declared) out_.line(text("long ", head.name, " = ", head.begin, ";"));
  if (!head.vector) {
    const auto block =
        out_.block(text("for (; ", head.name, " < ", head.end, "; ++", head.name, ")"));
    return write_inside(head, 1, false);
  }
  // Loops of the grid have whole stages inside, and long functions are long to compile: these are
  // not written once more.
  const bool of_stage = head.position >= layout_.grid_depth();
  const bool singles = head.unroll > 1 && of_stage && !computes_long_in(head.stage);
  if (singles) write_single_vectors(head);
  if (singles && proven_divisible(head.extent, lanes_)) return;
  const bool once = head.unroll == 1 || singles;
  const auto block = out_.block(
      once ? text("if (", head.name, " < ", head.end, ")")
           : text("for (; ", head.name, " < ", head.end, "; ", head.name, " += ", lanes_, ")"));
  const std::string left = text(head.end, " - ", head.name);
  out_.line(text("const long lanes = ",
                 once ? left : text(left, " < ", lanes_, " ? ", left, " : ", lanes_), ";"));
  write_inside(head, 1, true);
}

}  // namespace sinter::inline SINTER_ABI::detail::codegen
