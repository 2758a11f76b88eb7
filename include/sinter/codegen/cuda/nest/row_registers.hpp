#pragma once
// Register pressure of threads that share rows, and whether whole rows fit in registers.

#include <algorithm>  // std::max, std::max_element, std::min
#include <cstdint>    // std::int32_t, std::int64_t
#include <string>     // std::string
#include <vector>     // std::vector

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/sorted_map.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/codegen/cuda/nest/options.hpp>
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

/// 32-bit words of the widest value that `kernel` computes.
inline int widest_words(const Kernel& kernel) {
  const auto is_wide = [](const Instruction& one) {
    return one.code == Code::compute && info(one.dtype).size > 4;
  };
  const Vector<Instruction>& all = kernel.instructions;
  return any_of(all, is_wide) ? 2 : 1;
}

/// The register estimate for the kernel of `layout`, whose rows are shared as `share` says.
struct RowRegisters {
  const Layout& layout;
  const RowShare& share;
  const Vector<RowFragment>& fragments;
  const Vector<std::int32_t>& fragment_of;  ///< For each value: its fragment; -1 if none.
  const schedule::Target& target;

  /// Registers for fragments of `elements`: all of them if `whole`, else the most of any stage. If
  /// `transient`, one pack is counted for a fragment that may be transient.
  int fragment_words(int elements, bool whole, bool transient = false) const {
    int result = 0, most = 0, stage = -1, of_stage = 0;
    for (const RowFragment& one : fragments) {
      const int size = static_cast<int>(info(one.dtype).size);
      const bool pack = one.combined || (transient && one.may_be_transient());
      const int packs = pack ? 1 : elements / share.lanes;
      const int words = packs * ((share.lanes * size + 3) / 4);
      result += words;
      of_stage = (one.stage == stage ? of_stage : 0) + words;
      stage = one.stage;
      most = std::max(most, of_stage);
    }
    return whole ? result : most;
  }

  /// Registers for `elements` of each fragment of a stage in compute types: f32 or wider. The most
  /// of any stage.
  int stage_words(int elements) const {
    SortedMap<int, int> of_stage;
    int most = 0;
    for (const RowFragment& one : fragments) {
      const int size = static_cast<int>(info(one.dtype).size);
      most = std::max(most, of_stage[one.stage] += elements * std::max(size / 4, 1));
    }
    return most;
  }

  /// Instructions of the longest stage with a loop.
  int longest_stage() const {
    std::size_t result = 0;
    for (std::size_t i = 0; i < layout.stages.size(); ++i) {
      if (!layout.stages[i].empty()) {
        result = std::max(result, layout.kernel.stages[i].body.size());
      }
    }
    return static_cast<int>(result);
  }

  /// True if whole rows fit in the registers of a block of `threads`, at `steps` packs per thread.
  bool fits_registers(int threads, int steps) const {
    const int elements = steps * share.lanes;
    const int words = fragment_words(elements, true) + words_per_element() * elements;
    return words <= registers_per_thread(threads) -
                        target.cuda.other_registers * widest_words(layout.kernel);
  }

 private:
  const Instruction& at(ValueId id) const { return layout.kernel.instructions[id]; }
  int stage_of(ValueId id) const { return layout.dependence(id).stage; }

  // 16-bit fragments that several stages read: compilers convert them to f32 once and keep the
  // result.
  int conversions_kept() const {
    std::vector<int> first(fragments.size(), -1), last = first;  // stages that load the fragment
    for (std::size_t i = 0; i < layout.kernel.instructions.size(); ++i) {
      const auto id = static_cast<ValueId>(i);
      if (fragment_of[i] < 0 || at(id).code != Code::load) continue;
      const auto part = static_cast<std::size_t>(fragment_of[i]);
      last[part] = stage_of(id);
      if (first[part] < 0) first[part] = last[part];
    }
    int result = 0;
    for (std::size_t i = 0; i < fragments.size(); ++i) {
      result += info(fragments[i].dtype).size == 2 && first[i] != last[i] ? 1 : 0;
    }
    return result;
  }

  // A key that is equal for values of different stages that compute the same. `first` maps operands
  // to the first value with their key.
  std::vector<std::int64_t> value_key(ValueId id, const Vector<ValueId>& first) const {
    const Instruction& one = at(id);
    const std::int32_t part = fragment_of[id];
    const auto code = static_cast<std::int64_t>(one.code);
    if (one.code == Code::load && part >= 0) return {code, part};
    if (one.code != Code::compute && one.code != Code::constant) return {id};
    std::vector<std::int64_t> result{code, static_cast<std::int64_t>(one.op),
                                     static_cast<std::int64_t>(one.dtype),
                                     static_cast<std::int64_t>(one.constant.bits)};
    for (const ValueId operand : one.operands) {
      result.push_back(first[operand]);
    }
    return result;
  }

  // Words per element of values that several stages compute: compilers keep them in registers
  // (CSE).
  int recomputed_words() const {
    SortedMap<std::vector<std::int64_t>, ValueId> known;
    Vector<ValueId> first(fragment_of.size());
    Vector<int> words(layout.stages.size(), 0);  // live after each stage
    for (std::size_t i = 0; i < first.size(); ++i) first[i] = static_cast<ValueId>(i);
    Vector<int> kept_until(fragment_of.size(), -1);
    for (std::size_t stage = 0; stage < layout.stages.size(); ++stage) {
      for (const ValueId id : layout.kernel.stages[stage].body) {
        ValueId& same = first[id];
        same = known.emplace(value_key(id, first), id).first->second;
        if (same != id) continue;
        for (const ValueId operand : at(id).operands) {
          const ValueId source = first[operand];
          const auto from = static_cast<std::size_t>(stage_of(source));
          int& until = kept_until[source];
          if (at(source).code != Code::compute || layout.stages[from].empty()) continue;
          const int size = (static_cast<int>(info(at(source).dtype).size) + 3) / 4;
          const int begin = std::max(until, static_cast<int>(from));
          for (int s = begin; s < static_cast<int>(stage); ++s) words[s] += size;
          until = std::max(begin, static_cast<int>(stage));
        }
      }
    }
    return *std::max_element(words.begin(), words.end());
  }

  // Words per element that are live in addition to the fragments: values kept between stages, and
  // temporaries, of which long stages need more. argmax also keeps positions.
  int words_per_element() const {
    int stages = 0;
    bool halves = false, places = false;
    for (const Instruction& one : layout.kernel.instructions) {
      places = places || one.op == Op::argmax;
    }
    for (const RowFragment& one : fragments) halves = halves || info(one.dtype).size == 2;
    for (const Vector<Loop>& loops : layout.stages) stages += loops.empty() ? 0 : 1;
    if (!halves && !places && stages < 2) return 0;
    const bool is_long = longest_stage() > target.cuda.long_stage;
    const int own = is_long ? 2 * widest_words(layout.kernel) : widest_words(layout.kernel);
    return std::max({conversions_kept() + 1, halves && is_long ? 3 : 2, recomputed_words() + own});
  }

  // Registers per thread in a block of `threads`: each of the four sub-partitions of a
  // multiprocessor has a quarter of the registers, and warps are distributed among them.
  int registers_per_thread(int threads) const {
    const int lanes = 4 * warp_threads;  // a warp in each sub-partition
    const int warps = (threads + lanes - 1) / lanes;
    return std::min(target.multiprocessors.registers / lanes / warps / 8 * 8,
                    target.multiprocessors.thread_registers);
  }
};

}  // namespace sinter::inline SINTER_ABI::detail::codegen
