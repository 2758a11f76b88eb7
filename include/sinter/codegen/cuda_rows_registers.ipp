#pragma once

// Whether rows stay in the registers of the threads that share them.

#include <algorithm>  // std::max, std::min

#include <sinter/codegen/cuda_rows.hpp>

namespace sinter::inline SINTER_ABI::codegen {

namespace detail {

// All registers of a multiprocessor, which a block has; those of a thread; for what is not a row.
inline constexpr int all_registers = 65536, most_registers = 255, other_registers = 24;
// More instructions of a stage keep another number of each element.
inline constexpr int long_stage = 16;

}  // namespace detail

// Registers that a thread needs for `elements` of each row that it has.
SINTER_INLINE int CudaRows::part_words(int elements, bool whole) const {
  int result = 0, most = 0, stage = -1, of_stage = 0;
  for (const Part& one : held_) {
    const int size = static_cast<int>(info(one.dtype).size);
    const int words = elements / share_.lanes * ((share_.lanes * size + 3) / 4);
    result += words;
    of_stage = (one.stage == stage ? of_stage : 0) + words;
    stage = one.stage;
    most = std::max(most, of_stage);
  }
  return whole ? result : most;
}

// Instructions of the longest of the stages that go over a row.
SINTER_INLINE int CudaRows::longest_stage() const {
  std::size_t result = 0;
  for (std::size_t i = 0; i < layout_.stages.size(); ++i) {
    if (!layout_.stages[i].empty()) {
      result = std::max(result, layout_.kernel.stages[i].body.size());
    }
  }
  return static_cast<int>(result);
}

// Numbers of each element that a thread has at once beside the rows: those of 16 bits that several
// stages read are made f32, and what was computed of them is kept, more of it by long stages;
// argmax compares places.
SINTER_INLINE int CudaRows::kept_of_element() const {
  std::vector<int> first(held_.size(), -1), last = first;  // stages that read a row
  bool halves = false, places = false;
  for (std::size_t i = 0; i < layout_.kernel.instructions.size(); ++i) {
    const auto id = static_cast<ValueId>(i);
    places = places || at(id).op == Op::argmax;
    if (part_of_[i] < 0 || at(id).code != Code::load) continue;
    const auto part = static_cast<std::size_t>(part_of_[i]);
    last[part] = dependence(id).stage;
    if (first[part] < 0) first[part] = last[part];
  }
  int stages = 0, again = 0;
  for (std::size_t i = 0; i < held_.size(); ++i) {
    const bool half = info(held_[i].dtype).size == 2;
    halves = halves || half;
    again += half && first[i] != last[i] ? 1 : 0;
  }
  for (const std::vector<Loop>& loops : layout_.stages) stages += loops.empty() ? 0 : 1;
  if (!halves && !places && stages < 2) return 0;
  return std::max(again + 1, halves && longest_stage() > detail::long_stage ? 3 : 2);
}

// Registers that a thread has in a block of `threads`: each quarter of a multiprocessor has a
// quarter of all, for whole warps.
SINTER_INLINE int CudaRows::registers_of(int threads) {
  const int warps = (threads + 127) / 128;  // of a quarter
  return std::min(detail::all_registers / 128 / warps / 8 * 8, detail::most_registers);
}

// Whether `threads` of a block have registers for `steps` of whole rows.
SINTER_INLINE bool CudaRows::leaves_registers(int threads, int steps) const {
  const int elements = steps * share_.lanes;
  const int words = part_words(elements, true) + kept_of_element() * elements;
  return words <= registers_of(threads) - detail::other_registers;
}

}  // namespace sinter::inline SINTER_ABI::codegen
