#pragma once

#include <atomic>  // std::atomic
#include <mutex>   // std::lock_guard
#include <vector>  // std::vector

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/hash_map.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/base/process_mutex.hpp>
#include <sinter/graph/hash.hpp>
#include <sinter/graph/rewrite.hpp>
#include <sinter/graph/verify.hpp>
#include <sinter/trace/context/autocast.hpp>
#include <sinter/trace/core/extract.hpp>
#include <sinter/trace/core/record.hpp>
#include <sinter/trace/core/recorder.hpp>
#include <sinter/trace/subgraph/expression_cache.hpp>
#include <sinter/trace/value/hash.hpp>

namespace sinter::inline SINTER_ABI::detail {

SINTER_INLINE void ExpressionKey::add(const Tensor& operand, Where where) {
  operand.type(where);  // throws if undefined
  const Tensor& known = imported(operand, where);
  const Recorder* const recorder = current_recorder();
  const Shape& shape = known.shape();
  words_.push_back(static_cast<std::uint64_t>(shape.size()));
  for (const Extent& extent : shape) {
    words_.push_back((recorder == nullptr ? extent : recorder->resolve(extent)).bits());
  }
  operands_.push_back({.value = known.lazy().get(), .result = known.result(), .where = where});
}

SINTER_INLINE std::size_t ExpressionKey::hash() const {
  std::uint64_t result = words_.size();
  for (const std::uint64_t word : words_) {
    result = (result ^ word) * 0x9e3779b97f4a7c15;
    result ^= result >> 32;
  }
  return static_cast<std::size_t>(result);
}

struct ExpressionCache::Known {
  struct HashOfKey {
    std::size_t operator()(const ExpressionKey& key) const { return key.hash(); }
  };
  ProcessMutex mutex{};
  HashMap<ExpressionKey, SharedPtr<const ExpressionGraph>, HashOfKey> graphs{};
};

SINTER_INLINE ExpressionCache::ExpressionCache() : known_(make_unique_ptr<Known>()) {}

SINTER_INLINE ExpressionCache::~ExpressionCache() = default;

SINTER_INLINE Optional<SharedPtr<const ExpressionGraph>> ExpressionCache::find(
    const ExpressionKey& key) {
  const std::lock_guard lock(known_->mutex);
  const auto entry = known_->graphs.find(key);
  if (entry == known_->graphs.end()) return std::nullopt;
  return entry->second;
}

SINTER_INLINE void ExpressionCache::insert(const ExpressionKey& key,
                                           SharedPtr<const ExpressionGraph> graph) {
  const std::lock_guard lock(known_->mutex);
  if (known_->graphs.size() == most) known_->graphs.clear();
  known_->graphs.insert_or_assign(key, std::move(graph));
}

SINTER_INLINE ExpressionCache& expression_cache() {
  static auto& cache = *new ExpressionCache;
  return cache;
}

// Keeps nodes recorded during its lifetime out of the recording.
class Sketch {
 public:
  explicit Sketch(Recorder& recorder)
      : recorder_(recorder), mark_(recorder.tape().mark()), questions_(recorder.questions()) {}
  Sketch(const Sketch&) = delete;
  Sketch& operator=(const Sketch&) = delete;
  ~Sketch() { recorder_.tape().drop_since(mark_); }

  /// True if a question about sizes was asked, whose answer the recording would assume.
  bool has_asked() const { return recorder_.questions() != questions_; }

 private:
  Recorder& recorder_;
  Tape::Mark mark_;
  std::uint64_t questions_;
};

SINTER_INLINE std::uint64_t next_expression_id() {
  static std::atomic<std::uint64_t> next{1};
  return next++;
}

// As the key has it: in the symbols that are left.
SINTER_INLINE TensorType type_of(const ExpressionOperand& operand, const Recorder* recorder) {
  if (operand.value == nullptr) return {operand.number.dtype, {}};
  const TensorType& type = operand.value->node.results[operand.result];
  return {type.dtype, recorder == nullptr ? type.shape : recorder->resolve(type.shape)};
}

SINTER_INLINE Tensor placeholder(const TensorType& type, Recorder* recorder) {
  if (recorder != nullptr) return recorder->placeholder(type);
  return Tensor(make_lazy({.op = Op::input, .results = {type}}, {}, 0));
}

// The graph of the expression; null if it depends on more than the key.
SINTER_INLINE SharedPtr<const ExpressionGraph> sketch(
    const ExpressionKey& key, FunctionRef<Tensor(ExpressionReader)> record) {
  Recorder* const recorder = current_recorder();
  Optional<Sketch> scope;
  if (recorder != nullptr) scope.emplace(*recorder);
  auto result = make_shared_ptr<ExpressionGraph>();
  result->id = next_expression_id();
  Extractor extractor(result->graph, recorder, Detached::as_nodes);
  std::vector<Tensor> operands;
  for (const ExpressionOperand& operand : key.operands()) {
    operands.push_back(placeholder(type_of(operand, recorder), recorder));
    extractor.add_input(operands.back());
  }
  const Tensor value = record(ExpressionReader(operands));
  if (scope && scope->has_asked()) return nullptr;
  result->graph.outputs = {extractor.add(value)};
  return result;
}

// SINTER_VERIFY: checks that the cached expression equals a new recording of it.
SINTER_INLINE void require_same_expression(const ExpressionKey& key, const ExpressionGraph* known,
                                           FunctionRef<Tensor(ExpressionReader)> record) {
  const SharedPtr<const ExpressionGraph> again = sketch(key, record);
  const auto hash = [](const ExpressionGraph* one) {
    return one == nullptr ? hash_of("asks") : hash_with_symbols(one->graph);
  };
  require_shared(hash(known), hash(again.get()),
                 "the expression cache returned a different expression");
}

SINTER_INLINE Optional<Tensor> record_expression(const ExpressionKey& key, Where where,
                                                 FunctionRef<Tensor(ExpressionReader)> record) {
  auto known = expression_cache().find(key);
  if (!known) {
    known = detail::sketch(key, record);
    expression_cache().insert(key, *known);
  } else if (verifies()) {
    detail::require_same_expression(key, known->get(), record);
  }
  if (*known == nullptr) return std::nullopt;
  const Graph& graph = (*known)->graph;
  LazyRef lazy(new Lazy);
  Vector<LazyValue> operands;
  operands.reserve(key.operands().size());
  for (const ExpressionOperand& operand : key.operands()) {
    if (operand.value != nullptr) {
      operands.push_back({reference_to(*operand.value), operand.result});
    } else {
      const Constant number = operand.number;
      operands.push_back({constant_tensor(number, {number.dtype, {}}, operand.where).lazy()});
    }
  }
  Recorder* const recorder = current_recorder();
  lazy->operands = std::move(operands);
  for (const LazyValue& operand : lazy->operands) lazy->follow(*operand.lazy);
  lazy->node.op = graph[graph.outputs[0].node].op;
  lazy->node.results.push_back(graph.type(graph.outputs[0]));
  lazy->node.where = where;
  lazy->node.called = PublicCall::name();
  lazy->expression = *std::move(known);
  if (recorder != nullptr) {
    lazy->node.path = recorder->path();
    recorder->adopt(lazy);
  } else {
    check_devices(*lazy);
  }
  return Tensor(std::move(lazy));
}

// Not cached under autocast, which may change dtypes inside, or for rank-0 operands, which may be
// numbers of the program.
SINTER_INLINE bool is_composite(Span<const Operand> operands) {
  if (is_recording() || current_body != 0 || autocast_dtype()) return false;
  return all_of(operands, [](const Operand& operand) {
    const auto* const tensor = operand.value.get_if<Tensor>();
    return tensor != nullptr && tensor->ndim(operand.where) > 0;
  });
}

SINTER_INLINE Tensor record_composite(const char* name, Span<const Operand> operands,
                                      Span<const std::uint64_t> options,
                                      FunctionRef<Tensor(Span<const Operand>)> record) {
  if (!detail::is_composite(operands)) return record(operands);
  ExpressionKey key(name);
  key.add(word_of_address(PublicCall::name()));
  for (const std::uint64_t option : options) key.add(option);
  for (const Operand& operand : operands) {
    key.add(operand.where);
    key.add(static_cast<std::uint64_t>(operand.type().dtype));
    key.add(operand.tensor(), operand.where);
  }
  const auto record_whole = [&](ExpressionReader reader) {
    std::vector<Operand> given;
    for (const Operand& operand : operands) given.emplace_back(reader.next(), operand.where);
    return record(given);
  };
  const auto known = record_expression(key, operands[0].where, record_whole);
  return known ? *known : record(operands);
}

SINTER_INLINE void map_extents(Lazy& lazy, FunctionRef<Extent(Extent)> replaced) {
  map_extents(lazy.node, replaced);
  if (lazy.expression == nullptr) return;
  lazy.expression = make_shared_ptr<const ExpressionGraph>(
      ExpressionGraph{map_extents(lazy.expression->graph, replaced), detail::next_expression_id()});
}

}  // namespace sinter::inline SINTER_ABI::detail
