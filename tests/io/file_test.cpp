// Files of tensors: their errors name the function that was called, the file and the line.

#include <sinter/io/file.hpp>
#include <sinter/io/npy.hpp>

#include "io/support.hpp"

using namespace testing;

TEST_CASE(
    "io: a file that is not there, or is no file, is refused by the function that was called") {
  const Folder folder;
  refuses("io::load_npy: the file cannot be opened", [&] { io::load_npy(folder / "none.npy"); });
  refuses("io::load_npy: this is not a regular file",
          [&] { io::load_npy(folder.directory.path()); });
  refuses("io::save_npy: the path is empty", [] { io::save_npy("", ones({1})); });
}
