// test: moved
// What is said of files that are cut off, or of another format.

#include <sinter/io/formats.hpp>
#include <sinter/io/safetensors.hpp>

#include "io/support.hpp"
#include "trace/testing.hpp"

using namespace testing;

TEST_CASE("safetensors: a file that is cut off says how many bytes are missing") {
  const Folder folder;
  io::save_tensors(folder / "a", {{"v", vector({1, 2})}, {"w", vector({3, 4})}});
  const std::string whole = read_bytes(folder / "a");
  for (const std::size_t left : {whole.size() - 1, whole.size() - 10, std::size_t{20}}) {
    write_bytes(folder / "b", whole.substr(0, left));
    refuses("the file is cut off", [&] { io::load_tensors(folder / "b"); });
    refuses(text("size  ", left, " bytes"), [&] { io::load_tensors(folder / "b"); });
  }
}

TEST_CASE("safetensors: files of other formats are refused with the way to read them") {
  const Folder folder;
  const auto refused = [&](const std::string& bytes, const char* part) {
    write_bytes(folder / "a", bytes);
    refuses(part, [&] { io::load_tensors(folder / "a"); });
  };
  const std::string zip("PK\x03\x04 ", 5);
  refused(zip + "model/data.pkl", "safetensors.torch as s; s.save_file(");
  refused("\x80\x02}q\x01(X\x06", "torch.load(");
  refused(zip + "w.npy", "io::load_npz(path)");
  refused("\x93NUMPY\x01", "io::load_npy(path)");
  refused(std::string("\x80\x02\0\0\0\0\0\0[", 9), "this is not a safetensors file");
}
