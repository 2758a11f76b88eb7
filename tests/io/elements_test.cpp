// test: moved
// Elements of tensors as bytes.

#include <sinter/io/elements.hpp>

#include "io/support.hpp"
#include "trace/testing.hpp"

using namespace testing;

namespace {

io::Access access(const std::string& path) { return {"test", path, Where::current()}; }

Shape shape(DType dtype, const std::vector<std::int64_t>& extents) {
  return io::require_shape(access("file"), "weight", dtype, extents);
}

}  // namespace

TEST_CASE("elements: a shape is what tensors have, and its bytes are below 2^62") {
  CHECK(same(shape(f32, {2, 3}), Shape{2, 3}));
  CHECK(same(shape(f32, {}), Shape{}));
  CHECK(io::bytes_of({f64, {2, 3}}) == 48);
  CHECK(io::bytes_of({i16, {}}) == 2);
  CHECK(io::bytes_of({f32, {5, 0}}) == 0);
  shape(u8, {1, (std::int64_t{1} << 62) - 1});
  refuses("shape [2305843009213693952]", [] { shape(i16, {std::int64_t{1} << 61}); });
  const std::int64_t large = std::int64_t{1} << 40;
  refuses("too many elements", [&] { shape(u8, {large, large}); });
  refuses("too many elements", [&] { shape(u8, {large, large, 0}); });
  refuses("too many elements", [&] { shape(u8, {0, large, large}); });
  refuses("too many elements", [] { shape(u8, {-1}); });
  refuses("at most 10 dimensions", [] { shape(u8, std::vector<std::int64_t>(11, 1)); });
  refuses("1]...", [] { shape(u8, std::vector<std::int64_t>(1000, 1)); });
}

TEST_CASE("elements: bytes become elements and elements the same bytes") {
  const Folder folder;
  write_bytes(folder / "a", std::string("#\1\0\2\0\xff\xff", 7));
  const io::InputFile file(access(folder / "a"));
  const Tensor x = io::read_elements(file, "x", 1, {i16, {3}});
  CHECK(x.to_vector<std::int16_t>() == std::vector<std::int16_t>{1, 2, -1});
  const Tensor reversed = io::read_elements(file, "x", 1, {i16, {3}}, true);
  CHECK(reversed.to_vector<std::int16_t>() == std::vector<std::int16_t>{256, 512, -1});
  io::OutputFile copy(access(folder / "b"));
  copy.write("#");
  io::write_elements(copy, x);
  copy.commit();
  CHECK(read_bytes(folder / "b") == read_bytes(folder / "a"));
}

TEST_CASE("elements: a part of a tensor is read, with zeros behind its end") {
  const Folder folder;
  write_bytes(folder / "a", std::string("#\1\0\2\0\3\0", 7));
  const io::InputFile file(access(folder / "a"));
  const auto part = [&](std::uint64_t first, std::uint64_t count) {
    return io::read_flat_part(file, "x", 1, {i16, {3, 1}}, first, count).to_vector<std::int16_t>();
  };
  CHECK(part(0, 2) == std::vector<std::int16_t>{1, 2});
  CHECK(part(2, 2) == std::vector<std::int16_t>{3, 0});
  CHECK(part(4, 2) == std::vector<std::int16_t>{0, 0});
  CHECK(part(1, 0).empty());
  refuses("the file ends", [&] { io::read_flat_part(file, "x", 1, {i16, {4}}, 2, 2); });
}

TEST_CASE("elements: what is not there, or is no boolean, is refused") {
  const Folder folder;
  write_bytes(folder / "a", std::string("\0\1\2", 3));
  const io::InputFile file(access(folder / "a"));
  CHECK(io::read_elements(file, "x", 0, {boolean, {2}}).to_vector<bool>() ==
        std::vector<bool>{false, true});
  refuses("element 2\n  found 2", [&] { io::read_elements(file, "x", 0, {boolean, {3}}); });
  refuses("bytes [2, 4)\n  size  3", [&] { io::read_elements(file, "x", 2, {u8, {2}}); });
  refuses("entry x", [&] { io::read_elements(file, "x", 4, {u8, {0}}); });
  const Shape huge{(std::int64_t{1} << 62) - 1};
  refuses("ends before", [&] { io::read_elements(file, "x", 1, {u8, huge}); });
}
