#pragma once
// Which pairs of products may share a kernel: those with a reduction between them whose rows are
// wider than the rows of the neighbouring pairs. Only the neighbouring kernels decide, so repeated
// layers are always cut at the same places.

#include <vector>  // std::vector

#include <sinter/config.hpp>
#include <sinter/schedule/tile/row_group.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

class ProductLinks {
 public:
  /// Both have to outlive this. With `streams`, only products whose result is larger than their
  /// operands begin links: see is_worth_streaming().
  ProductLinks(const std::vector<LoweredKernel>& kernels, const NodeAccesses& accesses,
               bool streams = false);
  ProductLinks(const ProductLinks&) = delete;
  ProductLinks& operator=(const ProductLinks&) = delete;

  /// Whether products `from` and `to` are linked: a reduction reads the result of `from`, directly
  /// or through other kernels, and `to` reads its result. The links that end at `from` or begin at
  /// `to` have to pass narrower rows.
  bool may_share(std::size_t from, std::size_t to) const;

  /// For each kernel, whether it is a product that may share a kernel with another, or lies between
  /// two such products.
  std::vector<bool> linked_kernels() const;

 private:
  struct Link {
    std::size_t from = 0, to = 0;
  };
  bool is_product(std::size_t kernel) const;
  bool is_batched(std::size_t product) const;
  bool has_batched_factor(std::size_t product) const;
  bool is_worth_streaming(const Link& link) const;
  void drop_unprofitable_links();
  std::vector<bool> reachable(std::size_t product, bool forward) const;
  void find_links_from(std::size_t product);
  std::int64_t width(std::size_t product) const;

  const std::vector<LoweredKernel>& kernels_;
  const NodeAccesses& accesses_;
  std::vector<Link> links_{};  ///< In the order of `from`.
  /// Of the links that end at each kernel; -1 if there is none.
  std::vector<std::int64_t> widest_before_{};
  /// Of the links that begin at each kernel; -1 if there is none.
  std::vector<std::int64_t> width_after_{};
};

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/tile/links.ipp>
#endif
