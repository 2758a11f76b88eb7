// test: moved
// Files of named tensors, in NumPy's format.

#include <sinter/io/npz.hpp>
#include <sinter/io/zip_writer.hpp>

#include "io/support.hpp"
#include "trace/testing.hpp"

using namespace testing;

TEST_CASE("npz: a file of NumPy is read") {
  const auto tensors = io::load_npz(golden("stored.npz"));
  CHECK(tensors.size() == 3);
  CHECK(same(tensors.at("f32").type(), {f32, {2, 3}}));
  CHECK(numbers(tensors.at("f32")) == Numbers{-2, -1, 0, 1, 2, 3});
  CHECK(tensors.at("i64").to_vector<std::int64_t>() == std::vector<std::int64_t>{-2, -1, 0, 1});
  CHECK(tensors.at("a.b").dtype() == boolean);
  CHECK(io::load_npz(golden("commented.npz")).count("f32") == 1);
}

TEST_CASE("npz: tensors come back by name") {
  const Folder folder;
  const std::map<std::string, Tensor> tensors{{"w", counting({3, 4})},
                                              {"layers.0.bias", counting({2}).to(f16)},
                                              {"\u00e4 b", full({}, 7)},
                                              {"", zeros({0}, boolean)}};
  io::save_npz(folder / "a", tensors);
  const auto loaded = io::load_npz(folder / "a");
  CHECK(loaded.size() == tensors.size());
  for (const auto& [name, tensor] : tensors) {
    CHECK(same(loaded.at(name).type(), tensor.type()));
    CHECK(numbers(loaded.at(name)) == numbers(tensor));
  }
  io::save_npz(folder / "a", {});
  CHECK(io::load_npz(folder / "a").empty());
}

TEST_CASE("npz: a compressed file is refused, with the way to write another") {
  refuses("numpy.savez, not with numpy.savez_compressed",
          [] { io::load_npz(golden("compressed.npz")); });
}

TEST_CASE("npz: a file of torch.save is called so, with the line of Python that converts it") {
  const Folder folder;
  io::OutputFile file({"test", folder / "model.pt", Where::current()});
  io::ZipWriter archive(file);
  archive.add("model/data.pkl", std::vector<std::string_view>{"pickle"});
  archive.finish();
  file.commit();

  refuses("this is a file of torch.save", [&] { io::load_npz(folder / "model.pt"); });
  refuses("save_file", [&] { io::load_npz(folder / "model.pt"); });
}

TEST_CASE("npz: what cannot be written is refused, and the old file stays") {
  const Folder folder;
  io::save_npz(folder / "a", {{"x", ones({1})}});
  const std::string old = read_bytes(folder / "a");
  MISTAKE(ValueError, io::save_npz(folder / "a", {{"x", Tensor()}}), "not defined", "name  x");
  MISTAKE(ValueError, io::save_npz(folder / "a", {{"\xff", ones({1})}}), "UTF-8");
  const std::string longest(65531, 'x');
  MISTAKE(ValueError, io::save_npz(folder / "a", {{longest + "x", ones({1})}}), "65531");
  MISTAKE(DTypeError, io::save_npz(folder / "a", {{"y", ones({1}, bf16)}}), "entry y");
  CHECK(read_bytes(folder / "a") == old);
  io::save_npz(folder / "a", {{longest, ones({1})}});
  CHECK(io::load_npz(folder / "a").count(longest) == 1);
  CHECK(folder.files() == 1);
}

TEST_CASE("npz: a file that is cut anywhere, or has a byte that differs, is refused") {
  const Folder folder;
  const std::string bytes = read_bytes(golden("stored.npz"));
  for (std::size_t length = 0; length < bytes.size(); length += 3) {
    write_bytes(folder / "a", bytes.substr(0, length));
    refuses("io::load_npz: ", [&] { io::load_npz(folder / "a"); });
  }
  std::string wrong = bytes;
  wrong[wrong.find("\x93NUMPY") + 130] ^= 1;  // an element of the first array
  write_bytes(folder / "a", wrong);
  refuses("not those that were written", [&] { io::load_npz(folder / "a"); });
}

TEST_CASE("npz: archives of other files are refused") {
  const Folder folder;
  const std::string bytes = read_bytes(golden("commented.npz"));
  const std::string renamed = replaced(replaced(bytes, "f32.npy", "f32.txt"), "f32.npy", "f32.txt");
  write_bytes(folder / "a", renamed);
  refuses("entry f32.txt", [&] { io::load_npz(folder / "a"); });
  refuses("this is not an archive", [] { io::load_npz(golden("f32.npy")); });
}
