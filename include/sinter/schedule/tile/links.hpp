#pragma once
// Which two products may share a kernel: those that hand on rows through a reduction of them, as
// long as they are the widest for their neighbours. What the kernels next to them look like
// decides, so repeated layers are cut at the same places however many there are.

#include <vector>  // std::vector

#include <sinter/config.hpp>
#include <sinter/schedule/tile/row_group.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

class Links {
 public:
  /// Both have to live, where they are, as long as this. Where kernels are `streams`, only those
  /// products begin links that give more than they are made from: see is_worth_streaming().
  Links(const std::vector<Lowered>& kernels, const Traces& traces, bool streams = false);
  Links(const Links&) = delete;
  Links& operator=(const Links&) = delete;

  /// True if a kernel that reduces reads what the product `from` gives, itself or through others,
  /// the product `to` reads what it gives, and the links that `from` ends or `to` begins hand on
  /// narrower rows.
  bool may_share(std::size_t from, std::size_t to) const;

  /// True for products that may share a kernel with another one, and for what lies between two.
  std::vector<bool> between() const;

 private:
  struct Link {
    std::size_t from = 0, to = 0;
  };
  bool is_product(std::size_t kernel) const;
  bool has_rows_of_its_own(std::size_t product) const;
  bool has_rows_of_heads(std::size_t product) const;
  bool is_worth_streaming(const Link& link) const;
  void drop_slow_streams();
  std::vector<bool> reached(std::size_t product, bool forward) const;
  void follow(std::size_t product);
  std::int64_t width(std::size_t product) const;

  const std::vector<Lowered>& kernels_;
  const Traces& traces_;
  std::vector<Link> links_{};                  ///< In the order of `from`.
  std::vector<std::int64_t> widest_before_{};  ///< Of the links that end at each kernel; or -1.
  std::vector<std::int64_t> width_behind_{};   ///< Of those that begin there; -1 if there is none.
};

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/tile/links.ipp>
#endif
