#pragma once
// A graph that has a program of its own. What a compiled function computes under a transform
// outside of recordings is one node that calls it.

#include <cstdint>        // std::int64_t, std::uint64_t
#include <memory>         // std::shared_ptr
#include <span>           // std::span
#include <unordered_map>  // std::unordered_map
#include <vector>         // std::vector

#include <sinter/base/function_ref.hpp>
#include <sinter/base/hash.hpp>
#include <sinter/base/process_mutex.hpp>
#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// A callee that computes something about another, its gradient or its batch, and which of the
/// operands and results of a call of that it is given, before anything else.
struct DerivedCallee {
  std::shared_ptr<const Callee> callee{};
  std::vector<std::uint32_t> operands{}, results{};
};

class Callee {
 public:
  explicit Callee(Graph graph);
  virtual ~Callee() = default;
  Callee(const Callee&) = delete;
  Callee& operator=(const Callee&) = delete;

  /// What it computes, for any sizes of its symbols.
  const Graph& graph() const { return graph_; }
  /// Another one for every callee of the process: an address may be taken again.
  std::uint64_t id() const { return id_; }
  /// Returns a callee that belongs to the same compiled function and computes `graph`.
  virtual std::shared_ptr<const Callee> with(Graph graph) const = 0;
  /// What `derive` gave first for `key`. Safe from several threads.
  const DerivedCallee& derived(const Hash& key, FunctionRef<DerivedCallee()> derive) const;

 private:
  Graph graph_;
  std::uint64_t id_;
  mutable ProcessMutex mutex_{};
  mutable std::unordered_map<Hash, DerivedCallee, HashOfHash> derived_{};
};

/// The callee of a call that has one in the place of bodies; null for other nodes.
const Callee* callee_of(const Node& node);
/// The same, to keep it.
const std::shared_ptr<const Callee>& shared_callee_of(const Node& node);
/// The sizes that the symbols of its graph have in this call.
std::span<const std::int64_t> callee_sizes(const Node& node);
/// A call of `callee`, without inputs, where its symbols have these sizes.
Node call_of(std::shared_ptr<const Callee> callee, std::vector<std::int64_t> sizes);

/// `type` in a call where symbols have these sizes.
TensorType type_with(const TensorType& type, std::span<const std::int64_t> sizes);

}  // namespace sinter::inline SINTER_ABI::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/graph/callee.ipp>
#endif
