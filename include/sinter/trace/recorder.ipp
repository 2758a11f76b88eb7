#pragma once

#include <atomic>  // std::atomic
#include <mutex>   // std::mutex
#include <set>     // std::set

#include <sinter/graph/print.hpp>
#include <sinter/symbol/evaluate.hpp>
#include <sinter/symbol/proof.hpp>
#include <sinter/symbol/variables.hpp>
#include <sinter/trace/recorder.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

SINTER_INLINE RecordingId next_recording_id() {
  static std::atomic<RecordingId> next{1};
  return next++;
}

constexpr Relation negated(Relation relation) {
  switch (relation) {
    case Relation::equal:
      return Relation::not_equal;
    case Relation::not_equal:
      return Relation::equal;
    case Relation::less:
      return Relation::greater_equal;
    case Relation::less_equal:
      return Relation::greater;
    case Relation::greater:
      return Relation::less_equal;
    case Relation::greater_equal:
      break;
  }
  return Relation::less;
}

}  // namespace detail

SINTER_INLINE Recorder::Recorder() : id_(detail::next_recording_id()) {}

SINTER_INLINE Recorder::~Recorder() = default;

SINTER_INLINE Tensor Recorder::placeholder(const TensorType& type) {
  return Tensor(make_lazy({.op = Op::input, .results = {type}}, {}, id_));
}

SINTER_INLINE Extent Recorder::symbol(const SymbolInfo& known, std::int64_t hint, Freedom freedom,
                                      std::string name, Where marked) {
  const Extent symbol = Extent::symbol(static_cast<std::uint32_t>(symbols_.size()), known);
  symbols_.push_back({symbol, hint, freedom, std::move(name), marked, symbol});
  return symbol;
}

SINTER_INLINE Extent Recorder::resolve(Extent extent) const {
  if (extent.is_number()) return extent;
  return substitute(extent, [this](Extent variable) {
    return variable.is_symbol() ? symbols_[variable.id()].value : variable;
  });
}

SINTER_INLINE Shape Recorder::resolve(const Shape& shape) const {
  Shape result;
  for (const Extent& extent : shape) result.push_back(resolve(extent));
  return result;
}

SINTER_INLINE std::int64_t Recorder::hint(Extent extent) const {
  if (extent.is_number()) return extent.number();
  return evaluate(extent, [this](Extent variable) { return symbols_[variable.id()].hint; });
}

SINTER_INLINE bool Recorder::decide(Extent lhs, Relation relation, Extent rhs, Where where) {
  lhs = resolve(lhs), rhs = resolve(rhs);
  const bool answer = holds(hint(lhs), relation, hint(rhs));
  const Relation true_relation = answer ? relation : detail::negated(relation);
  if (true_relation == Relation::equal) return unify(lhs, rhs, where) == answer;
  if (!(lhs.is_number() && rhs.is_number())) {
    assumptions_.push_back({lhs, rhs, true_relation, where});
  }
  return answer;
}

SINTER_INLINE std::int64_t Recorder::value(Extent extent, Where where) {
  extent = resolve(extent);
  const std::int64_t number = hint(extent);
  unify(extent, number, where);
  return number;
}

SINTER_INLINE bool Recorder::unify(Extent lhs, Extent rhs, Where where) {
  lhs = resolve(lhs), rhs = resolve(rhs);
  if (same(lhs, rhs)) return true;
  if (hint(lhs) != hint(rhs)) {
    assumptions_.push_back({lhs, rhs, Relation::not_equal, where});
    return false;
  }
  // Solves lhs - rhs = 0 for the least free symbol that stands alone.
  const Extent difference = lhs - rhs;
  const SizeSymbol* solved = nullptr;
  for (Extent variable : variables(difference)) {
    const auto factor = coefficient_of(difference, variable);
    if (!factor || !(same(*factor, Extent(1)) || same(*factor, Extent(-1)))) continue;
    const SizeSymbol& candidate = symbols_[variable.id()];
    if (solved == nullptr || candidate.freedom < solved->freedom) solved = &candidate;
  }
  if (solved == nullptr) {
    fix_least_free(difference, where);
    return unify(lhs, rhs, where);
  }
  const Extent rest = without(difference, solved->symbol);
  const bool positive = same(*coefficient_of(difference, solved->symbol), Extent(1));
  replace(solved->symbol.id(), positive ? -rest : rest, where);
  return true;
}

// In s0 * s1 == 3 * s0, where s0 is marked, s1 is to become 3, and s0 to stay.
SINTER_INLINE void Recorder::fix_least_free(Extent extent, Where where) {
  const SizeSymbol* least = nullptr;
  for (Extent variable : variables(extent)) {
    const SizeSymbol& candidate = symbols_[variable.id()];
    if (least == nullptr || candidate.freedom < least->freedom) least = &candidate;
  }
  replace(least->symbol.id(), least->hint, where);
}

SINTER_INLINE void Recorder::replace(std::size_t index, Extent value, Where where) {
  const SizeSymbol& symbol = symbols_[index];
  if (value.is_number() && symbol.freedom == Freedom::marked) {
    throw_constraint(symbol, value, where);
  }
  for (SizeSymbol& other : symbols_) {
    other.value = substitute(other.value, symbol.symbol, value);
  }
}

SINTER_INLINE void Recorder::throw_constraint(const SizeSymbol& symbol, Extent value,
                                              Where where) const {
  throw ConstraintError(
      {.op = "mark_dynamic",
       .what = "the program needs one size of a dimension that is marked dynamic",
       .facts = {{"dim", symbol.name},
                 {"size", to_string(value)},
                 {"marked", to_string(symbol.marked)}},
       .rule = "a marked dimension takes every size of its range",
       .fix = "write the program for any size (x.size(0) in place of the number), or use "
              "maybe_mark_dynamic",
       .where = where,
       .see = "dynamic-dimensions"});
}

SINTER_INLINE void Recorder::fix_sizes() {
  for (std::size_t i = 0; i < symbols_.size(); ++i) {
    const bool is_left = same(symbols_[i].value, symbols_[i].symbol);
    if (is_left && symbols_[i].freedom == Freedom::fixed) replace(i, symbols_[i].hint, {});
  }
  for (Assumption& assumption : assumptions_) {
    assumption.lhs = resolve(assumption.lhs);
    assumption.rhs = resolve(assumption.rhs);
  }
  std::erase_if(assumptions_, [](const Assumption& assumption) {
    return assumption.lhs.is_number() && assumption.rhs.is_number();
  });
}

SINTER_INLINE const Tensor& Recorder::random_seed() {
  if (!seed_.defined()) seed_ = placeholder({i64, {}}), offset_ = placeholder({i64, {}});
  return seed_;
}

SINTER_INLINE const Tensor& Recorder::random_offset() {
  random_seed();
  return offset_;
}

SINTER_INLINE void Recorder::create_state(Tensor& member, Tensor initial) {
  const TensorType type = initial.type();
  created_.push_back({&member, std::move(initial), placeholder(type)});
  member = created_.back().placeholder;
}

SINTER_INLINE void Recorder::note_outside(const Tensor& tensor, Where where) {
  outside_.emplace_back(tensor, where);
}

SINTER_INLINE const std::string* Recorder::module_name(const void* address,
                                                       const void* type) const {
  const auto entry = modules_.find({address, type});
  return entry == modules_.end() ? nullptr : entry->second;
}

SINTER_INLINE void Recorder::name_module(const void* address, const void* type,
                                         const std::string& name) {
  modules_[{address, type}] = intern(name);
}

SINTER_INLINE Recorder*& current_recorder() {
  static thread_local Recorder* recorder = nullptr;
  return recorder;
}

SINTER_INLINE RecorderScope::RecorderScope(Recorder* recorder)
    : outer_(current_recorder()), outer_oracle_(current_size_oracle()) {
  current_recorder() = recorder;
  current_size_oracle() = recorder;
}

SINTER_INLINE RecorderScope::~RecorderScope() {
  current_recorder() = outer_;
  current_size_oracle() = outer_oracle_;
}

SINTER_INLINE const std::string* intern(const std::string& text) {
  static auto& mutex = *new std::mutex;
  static auto& texts = *new std::set<std::string>;
  const std::lock_guard lock(mutex);
  return &*texts.insert(text).first;
}

SINTER_INLINE bool equal_sizes(Extent a, Extent b, Where where) {
  if (same(a, b)) return true;
  if (a.is_number() && b.is_number()) return false;
  Recorder* const recorder = current_recorder();
  return recorder != nullptr && recorder->unify(a, b, where);
}

SINTER_INLINE Shape concrete(const Shape& shape) {
  const Recorder* const recorder = current_recorder();
  if (recorder == nullptr) return shape;
  Shape result;
  for (const Extent& extent : shape) result.push_back(recorder->hint(extent));
  return result;
}

}  // namespace sinter::inline SINTER_ABI
