#pragma once
// A graph with a separate compiled program. Under a transform outside of recordings, a call of a
// compiled function is one node that calls it.

#include <cstdint>        // std::int64_t, std::uint64_t
#include <vector>         // std::vector

#include <sinter/base/container/function_ref.hpp>
#include <sinter/base/container/hash_map.hpp>
#include <sinter/base/container/shared_ptr.hpp>
#include <sinter/base/container/span.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/base/hash.hpp>
#include <sinter/base/process_mutex.hpp>
#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// A callee derived from another, as its gradient or batch, and which operands and results of a
/// call of the original it takes as its first inputs.
struct DerivedCallee {
  SharedPtr<const Callee> callee{};
  Vector<std::uint32_t> operands{}, results{};
};

class Callee {
 public:
  explicit Callee(Graph graph);
  virtual ~Callee() = default;
  Callee(const Callee&) = delete;
  Callee& operator=(const Callee&) = delete;

  /// The graph, for any values of its symbols.
  const Graph& graph() const { return graph_; }
  /// Unique in the process, unlike an address, which may be reused.
  std::uint64_t id() const { return id_; }
  /// Returns a callee that belongs to the same compiled function and computes `graph`.
  virtual SharedPtr<const Callee> with(Graph graph) const = 0;
  /// The result of the first `derive` for `key`. Thread-safe.
  const DerivedCallee& derived(const Hash& key, FunctionRef<DerivedCallee()> derive) const;

 private:
  Graph graph_;
  std::uint64_t id_;
  mutable ProcessMutex mutex_{};
  mutable HashMap<Hash, DerivedCallee, HashOfHash> derived_{};
};

/// The callee of a call node that has one instead of bodies; null for other nodes.
const Callee* callee_of(const Node& node);
/// The same, with shared ownership.
const SharedPtr<const Callee>& shared_callee_of(const Node& node);
/// The values of the symbols of its graph in this call.
Span<const std::int64_t> callee_sizes(const Node& node);
/// A call node of `callee` without inputs, with these values of its symbols.
Node call_of(SharedPtr<const Callee> callee, std::vector<std::int64_t> sizes);

/// `type` in a call with these values of symbols.
TensorType type_with(const TensorType& type, Span<const std::int64_t> sizes);

}  // namespace sinter::inline SINTER_ABI::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/graph/callee.ipp>
#endif
