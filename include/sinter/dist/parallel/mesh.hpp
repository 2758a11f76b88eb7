#pragma once
// Mesh: the ranks as a grid with named dimensions, and the groups along each of them.

#include <initializer_list>  // std::initializer_list
#include <string>            // std::string
#include <string_view>       // std::string_view
#include <vector>            // std::vector

#include <sinter/base/where.hpp>
#include <sinter/config.hpp>
#include <sinter/dist/collective/operations.hpp>

namespace sinter::inline SINTER_ABI::dist {

/// A dimension of a mesh. One size may be -1: the number of ranks divided by the other sizes.
struct MeshDim {
  std::string name;
  int size = 1;
};

/// The ranks of the World as a grid, the last dimension varying fastest. Here ranks 0 and 1 are
/// neighbours along "model":
///
///   dist::Mesh mesh{{"data", 2}, {"model", 2}};
///   Tensor y = dist::all_reduce(x, dist::Reduce::sum, mesh["model"]);
class Mesh {
 public:
  /// All ranks make the same mesh, in the same order as other collectives.
  ///
  /// Throws ValueError without a World, if the product of the sizes is not the number of ranks, or
  /// if two names are equal; RankError if a rank fails
  Mesh(std::initializer_list<MeshDim> dims, Where where = Where::current());

  /// The group of the ranks that differ from this one only in dimension `name`, in its order.
  ///
  /// Throws ValueError if there is no such dimension
  Group operator[](std::string_view name) const { return group(name); }
  Group group(std::string_view name, Where where = Where::current()) const;
  /// The coordinate of this rank along a dimension, and the size of the dimension.
  int rank(std::string_view name, Where where = Where::current()) const;
  int size(std::string_view name, Where where = Where::current()) const;
  const std::vector<MeshDim>& dims() const { return dims_; }

 private:
  std::size_t find(std::string_view name, Where where) const;

  std::vector<MeshDim> dims_;
  std::vector<Group> groups_{};  // by dimension
};

}  // namespace sinter::inline SINTER_ABI::dist

#ifdef SINTER_DEFINITIONS
#include <sinter/dist/parallel/mesh.ipp>
#endif
