#pragma once

#include <sinter/base/error.hpp>
#include <sinter/base/text.hpp>
#include <sinter/dist/collective/transport.hpp>
#include <sinter/dist/parallel/mesh.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail::parallel {

SINTER_INLINE std::string text_of(const std::vector<dist::MeshDim>& dims) {
  std::string result;
  for (const dist::MeshDim& dim : dims) {
    result += text(result.empty() ? "{" : ", ", "{\"", dim.name, "\", ", dim.size, "}");
  }
  return result.empty() ? "{}" : result + "}";
}

[[noreturn]] SINTER_INLINE void throw_mesh(const std::vector<dist::MeshDim>& dims, int ranks,
                                           std::string what, Where where) {
  throw ValueError({.op = "dist::Mesh",
                    .what = std::move(what),
                    .facts = {{"mesh", text_of(dims)}, {"ranks", text(ranks)}},
                    .rule = "names differ, and the product of the sizes is the number of ranks",
                    .fix = "start that many processes, or write -1 for one of the sizes",
                    .where = where,
                    .see = "distributed"});
}

// Replaces a size of -1, and throws unless the mesh fits the number of ranks.
SINTER_INLINE void fit(std::vector<dist::MeshDim>& dims, int ranks, Where where) {
  int product = 1;
  dist::MeshDim* open = nullptr;
  for (dist::MeshDim& dim : dims) {
    for (const dist::MeshDim& other : dims) {
      if (&other != &dim && other.name == dim.name) {
        throw_mesh(dims, ranks, "two dimensions of the mesh have the same name", where);
      }
    }
    const bool is_open = dim.size == -1 && open == nullptr;
    if (is_open) open = &dim;
    if (!is_open && (dim.size < 1 || dim.size > ranks)) {
      throw_mesh(dims, ranks, "a dimension of the mesh has an invalid size", where);
    }
    if (!is_open) product *= dim.size;
    if (product > ranks) break;
  }
  if (open != nullptr && ranks % product == 0) open->size = ranks / product;
  const bool fits = open != nullptr ? ranks % product == 0 : ranks == product;
  if (!fits) throw_mesh(dims, ranks, "the product of the sizes is not the number of ranks", where);
}

}  // namespace detail::parallel

namespace dist {

SINTER_INLINE Mesh::Mesh(std::initializer_list<MeshDim> dims, Where where) : dims_(dims) {
  const Group all_ranks;
  detail::parallel::fit(dims_, all_ranks.size(where), where);
  int stride = all_ranks.size(where);
  for (const MeshDim& dim : dims_) {
    const int before = stride;  // how many ranks are equal in all earlier dimensions
    stride /= dim.size;
    const int rank = all_ranks.rank(where);
    // The same for all ranks that differ in this dimension only.
    const int color = rank / before * stride + rank % stride;
    groups_.emplace_back(detail::collective::split_group(color, "dist::Mesh", where));
  }
}

SINTER_INLINE std::size_t Mesh::find(std::string_view name, Where where) const {
  for (std::size_t i = 0; i < dims_.size(); ++i) {
    if (dims_[i].name == name) return i;
  }
  throw ValueError(
      {.op = "dist::Mesh",
       .what = "the mesh has no dimension of this name",
       .facts = {{"name", std::string(name)}, {"mesh", detail::parallel::text_of(dims_)}},
       .rule = "the name is that of a dimension of the mesh",
       .fix = "use one of its names",
       .where = where,
       .see = "distributed"});
}

SINTER_INLINE Group Mesh::group(std::string_view name, Where where) const {
  return groups_[find(name, where)];
}
SINTER_INLINE int Mesh::rank(std::string_view name, Where where) const {
  return group(name, where).rank(where);
}
SINTER_INLINE int Mesh::size(std::string_view name, Where where) const {
  return dims_[find(name, where)].size;
}

}  // namespace dist

}  // namespace sinter::inline SINTER_ABI
