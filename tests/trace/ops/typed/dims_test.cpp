#include <doctest/doctest.h>
#include <sinter/trace/ops/typed/dims.hpp>

using namespace sinter;
using namespace sinter::detail;

TEST_CASE("typed dims: what is added, dropped and put together") {
  constexpr Dims<3> dims{"batch", 1, 4};
  static_assert(inserted(dims, 1, 7) == Dims<4>{"batch", 7, 1, 4});
  static_assert(without<1>(dims, squeezed(dims)) == Dims<2>{"batch", 4});
  static_assert(without<1>(dims, squeezed<1>(dims)) == Dims<2>{"batch", 4});
  static_assert(flattened<1, 2>(dims) == Dims<2>{"batch", 4});
  static_assert(flattened<0, 1>(dims) == Dims<2>{"batch", 4});
  static_assert(flattened<0, 2>(dims) == Dims<1>{dyn});
  static_assert(concatenated_dims<2>(dims, Dims<3>{"batch", 1, 5}) == Dims<3>{"batch", 1, 9});
  static_assert(have_axes<-3, 2>(dims) && !have_axes<3>(dims));
  static_assert(differ<0, 1>(dims) && !differ<0, -3>(dims));
  CHECK(place(-1, dims) == 2);
}

TEST_CASE("typed dims: the compiler tells other sizes only where it knows them") {
  static_assert(same_size(Dims<2>{3, 4}, Dims<1>{12}));
  static_assert(!same_size(Dims<2>{3, 4}, Dims<1>{13}));
  static_assert(!same_size(Dims<2>{"batch", 4}, Dims<2>{"batch", 5}));
  static_assert(same_size(Dims<2>{"batch", 4}, Dims<2>{"rows", 5}));
  static_assert(same_size(Dims<1>{dyn}, Dims<2>{2, 5}));
  static_assert(logits_fit(Dims<3>{"n", 10, 7}, Dims<2>{"n", 7}));
  static_assert(!logits_fit(Dims<2>{"n", 10}, Dims<1>{10}));
  const Shape shape = shape_of<Dims<3>{4, "batch", "new"}>(Dims<2>{"batch", 4}, {6, 4});
  CHECK(same(shape, Shape{4, 6, Extent(-1)}));
}
