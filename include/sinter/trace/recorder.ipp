#pragma once

#include <atomic>  // std::atomic
#include <mutex>   // std::mutex
#include <set>     // std::set

#include <sinter/base/process_mutex.hpp>
#include <sinter/graph/print.hpp>
#include <sinter/symbol/proof.hpp>
#include <sinter/trace/recorder.hpp>
#include <sinter/trace/value_hash.hpp>

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
  outside.type(where);  // throws for no tensor at all
  const Lazy* value = outside.lazy().get();  // what is detached is another input
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

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI

#include <sinter/trace/recorder_sizes.ipp>
