#pragma once
// Which pairs of products may share a kernel: those with a reduction between them whose rows are
// wider than the rows of the neighbouring pairs. Only the neighbouring kernels decide, so repeated
// layers are always cut at the same places.

#include <vector>  // std::vector

#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/tile/node_accesses.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

class ProductChains {
 public:
  /// Both have to outlive this. With `streams`, only products whose result is larger than their
  /// operands begin pairs: see is_worth_streaming().
  ProductChains(const Vector<LoweredKernel>& kernels, const NodeAccesses& accesses,
                bool streams = false);
  ProductChains(const ProductChains&) = delete;
  ProductChains& operator=(const ProductChains&) = delete;

  /// Whether products `from` and `to` are chained: a reduction reads the result of `from`, directly
  /// or through other kernels, and `to` reads its result. The pairs that end at `from` or begin at
  /// `to` have to pass narrower rows.
  bool may_share(std::size_t from, std::size_t to) const;

  /// For each kernel, whether it is a product that may share a kernel with another, or lies between
  /// two such products.
  Vector<bool> chained_kernels() const;

 private:
  struct Pair {
    std::size_t from = 0, to = 0;
  };
  /// Facts about a product, by which pairs are judged.
  struct Product {
    bool is_transposed = false;       ///< A transposed rematerialization.
    bool is_batched = false;          ///< Both factors depend on a batch loop, such as over heads.
    bool has_batched_factor = false;  ///< A factor depends on two loops: over rows and over heads.
    bool is_wide = false;             ///< A row is longer than the sums that compute its elements.
  };
  bool is_product(std::size_t kernel) const;
  Product product_of(std::size_t kernel) const;
  static bool is_worth_streaming(const Product& from, const Product& to);
  void drop_unprofitable_pairs();
  Vector<bool> reachable(std::size_t product, bool forward) const;
  void find_pairs_from(std::size_t product);
  std::int64_t width(std::size_t product) const;

  const Vector<LoweredKernel>& kernels_;
  const NodeAccesses& accesses_;
  Vector<std::size_t> seen_{}, seen_reduced_{};  ///< For each kernel, the last search it was in.
  std::size_t searches_ = 0;
  Vector<Pair> pairs_{};  ///< In the order of `from`.
  /// Of the pairs that end at each kernel; -1 if there is none.
  std::vector<std::int64_t> widest_before_{};
  /// Of the pairs that begin at each kernel; -1 if there is none.
  std::vector<std::int64_t> width_after_{};
};

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/tile/product_chains.ipp>
#endif
