#pragma once

#include <atomic>     // std::atomic
#include <mutex>      // std::mutex

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/process_mutex.hpp>
#include <sinter/graph/print.hpp>
#include <sinter/symbol/extent/proof.hpp>
#include <sinter/symbol/extent/text.hpp>
#include <sinter/symbol/solve/evaluate.hpp>
#include <sinter/symbol/solve/solve.hpp>
#include <sinter/symbol/solve/variables.hpp>
#include <sinter/trace/core/recorder.hpp>
#include <sinter/trace/value/hash.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

SINTER_INLINE RecordingId next_recording_id() {
  static std::atomic<RecordingId> next{1};
  return next++;
}

SINTER_INLINE Recorder::Recorder(RecorderHost* host)
    : id_(detail::next_recording_id()), host_(host) {}

SINTER_INLINE Recorder::~Recorder() = default;

SINTER_INLINE void Recorder::adopt(const LazyRef& lazy) {
  lazy->recording = id_;
  lazy->references.begin_apart(id_);
  tape_.add(lazy);
}

SINTER_INLINE Tensor Recorder::placeholder(const TensorType& type) {
  LazyRef lazy = make_lazy({.op = Op::input, .results = {type}}, {}, id_);
  adopt(lazy);
  return Tensor(std::move(lazy));
}

SINTER_INLINE const Tensor& Recorder::import(const Tensor& outside, Where where) {
  outside.type(where);                       // throws if undefined
  const Lazy* value = outside.lazy().get();  // a detached tensor is a separate input
  while (value->stands_for && !value->is_detached) value = value->stands_for.get();
  const std::uint64_t key = detail::word_of_address(value) + outside.result();
  const auto known = outside_index_.find(key);
  if (known != outside_index_.end()) return outside_[known->second].placeholder;
  const std::size_t index = outside_.size();
  const TensorType type = host_ == nullptr ? TensorType{outside.dtype(), outside.shape()}
                                           : host_->type_of_outside(outside, index);
  outside_index_.emplace(key, index);
  outside_.push_back({outside, placeholder(type), where});
  outside_.back().placeholder.lazy()->follow(*outside.lazy());
  outside_.back().placeholder.lazy()->source = static_cast<std::uint32_t>(index + 1);
  return outside_.back().placeholder;
}

SINTER_INLINE const Outside* Recorder::outside_of(const Lazy& placeholder) const {
  return placeholder.source == 0 ? nullptr : &outside_[placeholder.source - 1];
}

SINTER_INLINE const Tensor* Recorder::source(const Lazy& placeholder) const {
  const Outside* const outside = outside_of(placeholder);
  return outside == nullptr ? nullptr : &outside->tensor;
}

SINTER_INLINE void Recorder::note_outside_read(const Tensor& tensor, Where where) {
  if (!outside_read_.tensor.defined()) outside_read_ = {tensor, {}, where};
}

SINTER_INLINE void Recorder::begin_variable(const Tensor& variable, const Tensor& value) {
  variables_.emplace_back(variable, value);
}

SINTER_INLINE std::string Recorder::name_of(const SizeSymbol& symbol) const {
  if (!symbol.name.empty() || symbol.leaf < 0) return symbol.name;
  const std::string leaf = host_ == nullptr
                               ? text("leaf ", symbol.leaf)
                               : host_->leaf_name(static_cast<std::size_t>(symbol.leaf));
  return text(leaf, ".size(", symbol.dim, ")");
}

SINTER_INLINE Extent Recorder::symbol(const SymbolInfo& known, std::int64_t hint, Freedom freedom,
                                      std::string name, Where marked) {
  const Extent symbol = Extent::symbol(static_cast<std::uint32_t>(symbols_.size()), known);
  symbols_.push_back({symbol, hint, freedom, std::move(name), marked, symbol, symbol});
  return symbol;
}

SINTER_INLINE Extent Recorder::symbol_of_leaf(const SymbolInfo& known, std::int64_t hint,
                                              Freedom freedom, std::int32_t leaf, std::int32_t dim,
                                              Where marked) {
  const Extent result = symbol(known, hint, freedom, {}, marked);
  symbols_.back().leaf = leaf, symbols_.back().dim = dim;
  return result;
}

SINTER_INLINE const Tensor& Recorder::random_seed() {
  if (!seed_.defined()) {
    seed_ = placeholder({i64, {}}), offset_ = placeholder({i64, {}});
    offset_.lazy()->is_draw_offset = true;
  }
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

SINTER_INLINE const std::string* Recorder::module_name(const void* address,
                                                       const void* type) const {
  const auto entry = modules_.find({address, type});
  return entry == modules_.end() ? nullptr : entry->second;
}

SINTER_INLINE void Recorder::name_module(const void* address, const void* type,
                                         const std::string& name) {
  modules_[{address, type}] = intern(name);
}

SINTER_INLINE void name_module(Recorder& recorder, const void* address, const void* type,
                               const std::string& name) {
  recorder.name_module(address, type, name);
}

SINTER_INLINE Recorder*& current_recorder() {
  static thread_local Recorder* recorder = nullptr;
  return recorder;
}

SINTER_INLINE RecorderScope::RecorderScope(Recorder* recorder)
    : outer_(current_recorder()),
      outer_oracle_(current_size_oracle()),
      outer_recording_(current_recording) {
  current_recorder() = recorder;
  current_size_oracle() = recorder;
  current_recording = recorder == nullptr ? 0 : recorder->id();
}

SINTER_INLINE RecorderScope::~RecorderScope() {
  current_recorder() = outer_;
  current_size_oracle() = outer_oracle_;
  current_recording = outer_recording_;
}

}  // namespace detail

SINTER_INLINE void Tensor::note_looked_at(Where where) const {
  detail::current_recorder()->note_outside_read(*this, where);
}

namespace detail {

SINTER_INLINE const Tensor& imported_anew(const Tensor& tensor, Where where) {
  return current_recorder()->import(tensor, where);
}

SINTER_INLINE const std::string* intern(const std::string& text) {
  static auto& mutex = *new ProcessMutex;
  static auto& texts = *new SortedSet<std::string>;
  const std::lock_guard lock(mutex);
  return &*texts.insert(text).first;
}

SINTER_INLINE bool equal_sizes(Extent a, Extent b, Where where) {
  if (same(a, b)) return true;
  if (a.is_number() && b.is_number()) return false;
  Recorder* const recorder = current_recorder();
  return recorder != nullptr && recorder->unify(a, b, where);
}

SINTER_INLINE bool is_less(Extent extent, std::int64_t bound, Where where) {
  if (extent.is_number()) return extent.number() < bound;
  if (proven_less_equal(bound, extent)) return false;
  Recorder* const recorder = current_recorder();
  return recorder != nullptr && recorder->decide(extent, Relation::less, bound, where);
}

SINTER_INLINE bool is_size(Extent extent, std::int64_t number, Where where) {
  if (extent.is_number()) return extent.number() == number;
  if (proven_not_equal(extent, number)) return false;
  Recorder* const recorder = current_recorder();
  return recorder != nullptr && recorder->decide(extent, Relation::equal, number, where);
}

SINTER_INLINE bool fix_one(Extent extent, Where where) {
  Recorder* const recorder = current_recorder();
  return recorder != nullptr && recorder->fix_one(extent, where);
}

SINTER_INLINE bool is_computed_one(Extent extent, Where where) {
  const bool is_computed = !extent.is_number() && !extent.is_symbol();
  return is_computed && proven_less_equal(extent, 1) && is_size(extent, 1, where);
}

SINTER_INLINE Shape concrete(const Shape& shape) {
  const Recorder* const recorder = current_recorder();
  if (recorder == nullptr) return shape;
  Shape result;
  for (const Extent& extent : shape) result.push_back(recorder->hint(extent));
  return result;
}

SINTER_INLINE bool may_vary_in_recording() {
  const Recorder* const recorder = current_recorder();
  return recorder != nullptr && recorder->host() != nullptr &&
         recorder->host()->runs_on_every_call();
}

SINTER_INLINE Shape sizes_in_recording(const Shape& shape, Where where) {
  if (!may_vary_in_recording()) return shape;
  RecorderHost& host = *current_recorder()->host();
  Shape result;
  for (const Extent& extent : shape) result.push_back(host.size_of_program(extent, false, where));
  return result;
}

SINTER_INLINE Tensor made_on_host(const TensorType& type, Storage elements, Where where) {
  Recorder* const recorder = current_recorder();
  TensorType known = type;
  if (may_vary_in_recording()) {
    for (int dim = 0; dim < known.shape.size(); ++dim) {
      const Extent size = recorder->resolve(known.shape[dim]);
      known.shape[dim] = recorder->host()->size_of_program(size, true, where);
    }
  }
  LazyRef lazy = make_evaluated(std::move(known), std::move(elements));
  if (recorder != nullptr) recorder->adopt(lazy);
  return Tensor(std::move(lazy));
}

SINTER_INLINE
void add_module(std::vector<std::pair<std::string, std::string>>& facts) {
  const Recorder* const recorder = current_recorder();
  const std::string* const path = recorder == nullptr ? nullptr : recorder->path();
  if (path != nullptr && !path->empty()) facts.emplace_back("in", *path);
}

// Sizes of a recording: resolution of symbols, and assumptions.

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

// True if the relation holds for all values of the symbols.
SINTER_INLINE bool is_certain(const Assumption& assumption) {
  const Extent lhs = assumption.lhs, rhs = assumption.rhs;
  switch (assumption.relation) {
    case Relation::equal:
      return proven_equal(lhs, rhs);
    case Relation::not_equal:
      return proven_not_equal(lhs, rhs);
    case Relation::less:
      return proven_less(lhs, rhs);
    case Relation::less_equal:
      return proven_less_equal(lhs, rhs);
    case Relation::greater:
      return proven_less(rhs, lhs);
    case Relation::greater_equal:
      break;
  }
  return proven_less_equal(rhs, lhs);
}

SINTER_INLINE bool same(const Assumption& a, const Assumption& b) {
  return a.relation == b.relation && same(a.lhs, b.lhs) && same(a.rhs, b.rhs);
}

SINTER_INLINE Extent Recorder::resolve(Extent extent) const {
  if (extent.is_number() || !has_replaced_) return extent;
  if (extent.is_symbol()) return symbols_[extent.id()].value;
  return substitute(extent, [this](Extent variable) {
    return variable.is_symbol() ? symbols_[variable.id()].value : variable;
  });
}

SINTER_INLINE Shape Recorder::resolve(const Shape& shape) const {
  if (!has_replaced_) return shape;
  Shape result;
  for (const Extent& extent : shape) result.push_back(resolve(extent));
  return result;
}

SINTER_INLINE bool Recorder::has_free_sizes() const {
  return any_of(symbols_,
                [](const SizeSymbol& symbol) { return symbol.freedom != Freedom::fixed; });
}

SINTER_INLINE Shape Recorder::with_fixed_sizes(const Shape& shape) const {
  Shape result;
  for (const Extent& extent : shape) {
    result.push_back(substitute(extent, [this](Extent variable) {
      if (!variable.is_symbol()) return variable;
      const SizeSymbol& symbol = symbols_[variable.id()];
      return symbol.freedom == Freedom::fixed ? Extent(symbol.hint) : variable;
    }));
  }
  return result;
}

SINTER_INLINE std::int64_t Recorder::hint(Extent extent) const {
  if (extent.is_number()) return extent.number();
  return evaluate(extent, [this](Extent variable) { return symbols_[variable.id()].hint; });
}

SINTER_INLINE std::string Recorder::describe(Extent extent) const {
  const auto name_of_variable = [this](Extent variable) {
    const SizeSymbol& symbol = symbols_[variable.id()];
    return name_of(symbol);
  };
  std::string result = to_string(extent, name_of_variable);
  for (Extent variable : variables(extent)) {
    const Where marked = symbols_[variable.id()].marked;
    if (marked.line() != 0) return text(result, ", marked at ", sinter::to_string(marked));
  }
  return result;
}

SINTER_INLINE void Recorder::assume(const Assumption& assumption) {
  if (detail::is_certain(assumption)) return;
  const bool is_known = any_of(
      assumptions_, [&](const Assumption& known) { return detail::same(known, assumption); });
  if (is_known) return;
  assumptions_.push_back(assumption);
  assumptions_.back().path = path_;
}

SINTER_INLINE bool Recorder::decide(Extent lhs, Relation relation, Extent rhs, Where where) {
  ++questions_;
  lhs = resolve(lhs), rhs = resolve(rhs);
  const bool answer = holds(hint(lhs), relation, hint(rhs));
  const Relation true_relation = answer ? relation : detail::negated(relation);
  if (true_relation == Relation::equal) {
    make_equal(lhs, rhs, Asked::compared, where);
  } else {
    assume({lhs, rhs, true_relation, where});
  }
  return answer;
}

SINTER_INLINE std::int64_t Recorder::value(Extent extent, Where where) {
  ++questions_;
  extent = resolve(extent);
  const std::int64_t number = hint(extent);
  for (Extent variable : variables(extent)) {
    const SizeSymbol& symbol = symbols_[variable.id()];
    if (symbol.freedom == Freedom::marked) throw_constraint(symbol, symbol.hint, where);
  }
  make_equal(extent, number, Asked::needed, where);
  return number;
}

SINTER_INLINE std::int64_t Recorder::shown(Extent extent, Where where) {
  ++questions_;
  extent = resolve(extent);
  const std::int64_t number = hint(extent);
  if (!extent.is_number()) make_equal(extent, number, Asked::compared, where);
  return number;
}

SINTER_INLINE bool Recorder::unify(Extent lhs, Extent rhs, Where where) {
  ++questions_;
  lhs = resolve(lhs), rhs = resolve(rhs);
  if (hint(lhs) != hint(rhs)) {
    assume({lhs, rhs, Relation::not_equal, where});
    return false;
  }
  make_equal(lhs, rhs, Asked::needed, where);
  return true;
}

// An extent that is at most 1 for all sizes, as that of a one-element slice, does not constrain a
// marked dimension: assume that it is 1, that is, not 0. Likewise where the program computes 1 from
// a marked size.
SINTER_INLINE bool Recorder::fix_one(Extent extent, Where where) {
  extent = resolve(extent);
  if (extent.is_number()) return extent.number() == 1;
  if (hint(extent) != 1) return false;
  ++questions_;
  if (proven_less_equal(extent, 1) && !extent.is_symbol()) {
    assume({extent, 1, Relation::equal, where});
    return true;
  }
  bool is_marked = false;
  for (Extent variable : variables(extent)) {
    is_marked |= symbols_[variable.id()].freedom == Freedom::marked;
  }
  if (is_marked && extent.is_symbol()) return false;
  make_equal(extent, 1, is_marked ? Asked::compared : Asked::needed, where);
  return true;
}

// Simplifies s0*s1 - 3*s0 to s1 - 3 where s0 is not 0 in this call: then s1 is 3 and s0 stays free.
SINTER_INLINE Extent Recorder::without_common_factors(Extent equation) const {
  for (Extent variable : variables(equation)) {
    if (hint(variable) == 0) continue;
    if (const auto rest = divide_exactly(equation, variable)) {
      return without_common_factors(*rest);
    }
  }
  return primitive_part(equation);
}

// Solves for the least free symbol that occurs alone. Equations that cannot be solved become
// assumptions; but if a product of symbols must be a number, each factor is fixed.
SINTER_INLINE void Recorder::make_equal(Extent lhs, Extent rhs, Asked asked, Where where) {
  if (lhs.is_number()) std::swap(lhs, rhs);
  const bool is_simple = rhs.is_number() && lhs.is_symbol();
  if (is_simple && symbols_[lhs.id()].freedom == Freedom::fixed) {
    return replace(lhs.id(), rhs, asked, where);
  }
  if (proven_equal(lhs, rhs)) return;
  const Extent equation = without_common_factors(lhs - rhs);
  const SizeSymbol* solved = nullptr;
  for (Extent variable : variables(equation)) {
    const SizeSymbol& candidate = symbols_[variable.id()];
    const bool is_freer = solved != nullptr && candidate.freedom >= solved->freedom;
    if (!is_freer && solve(equation, variable)) solved = &candidate;
  }
  if (solved != nullptr) {
    replace(solved->symbol.id(), *solve(equation, solved->symbol), asked, where);
  } else if (asked == Asked::needed && (lhs.is_number() || rhs.is_number()) &&
             (is_polynomial(equation) || has_fixed(equation))) {
    fix_least_free(equation, where);
    make_equal(resolve(lhs), resolve(rhs), asked, where);
  } else {
    assume({lhs, rhs, Relation::equal, where});
  }
}

// True if some symbol of `extent` will become a number.
SINTER_INLINE bool Recorder::has_fixed(Extent extent) const {
  for (Extent variable : variables(extent)) {
    if (symbols_[variable.id()].freedom == Freedom::fixed) return true;
  }
  return false;
}

SINTER_INLINE void Recorder::fix_least_free(Extent extent, Where where) {
  const SizeSymbol* least = nullptr;
  for (Extent variable : variables(extent)) {
    const SizeSymbol& candidate = symbols_[variable.id()];
    if (least == nullptr || candidate.freedom < least->freedom) least = &candidate;
  }
  replace(least->symbol.id(), least->hint, Asked::needed, where);
}

SINTER_INLINE void Recorder::replace(std::size_t index, Extent value, Asked asked, Where where) {
  SizeSymbol& symbol = symbols_[index];
  if (value.is_number() && symbol.freedom == Freedom::marked && asked == Asked::needed) {
    throw_constraint(symbol, value, where);
  }
  symbol.found = value;
  symbol.decided = where;
  symbol.path = path_;
  has_replaced_ = true;
  for (Extent variable : variables(value)) {  // the variables inherit its freedom
    SizeSymbol& other = symbols_[variable.id()];
    if (other.freedom >= symbol.freedom) continue;
    other.freedom = symbol.freedom;
    other.marked = symbol.marked;
  }
  for (SizeSymbol& other : symbols_) {
    if (!other.value.is_number()) other.value = substitute(other.value, symbol.symbol, value);
  }
}

SINTER_INLINE void Recorder::throw_constraint(const SizeSymbol& symbol, Extent value,
                                              Where where) const {
  const bool is_named = symbol.marked.line() == 0;
  Report report{
      .op = is_named ? "compile" : "mark_dynamic",
      .what = text("the program needs one size of a dimension that is ",
                   is_named ? "named" : "marked dynamic"),
      .facts = {{"dim", name_of(symbol)}, {"size", text(value)}},
      .rule = text("a ", is_named ? "named" : "marked", " dimension takes every size of its range"),
      .fix = text("write the program for any size (x.size(0) in "
                  "place of the number), or ",
                  is_named ? "write the number in place of the name" : "use maybe_mark_dynamic"),
      .where = where,
      .see = "dynamic-dimensions"};
  if (!is_named) report.facts.push_back({"marked", sinter::to_string(symbol.marked)});
  throw ConstraintError(std::move(report));
}

SINTER_INLINE void Recorder::fix_sizes() {
  for (std::size_t i = 0; i < symbols_.size(); ++i) {
    const bool is_left = same(symbols_[i].value, symbols_[i].symbol);
    if (is_left && symbols_[i].freedom == Freedom::fixed) {
      replace(i, symbols_[i].hint, Asked::needed, {});
    }
  }
  for (Assumption& assumption : assumptions_) {
    assumption.lhs = resolve(assumption.lhs);
    assumption.rhs = resolve(assumption.rhs);
  }
  erase_if(assumptions_, detail::is_certain);
}

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI
