// ldmatrix and mma, with the fragment layouts of the PTX ISA, section "Matrix fragments".

#include <array>
#include <bit>
#include <cstring>

#include <sinter/base/half.hpp>
#include <sinter/base/text.hpp>

#include "launch.hpp"
#include "ptx.hpp"

namespace emulator {

namespace {

/// The operands and results of a lane in an mma.
struct Fragments {
  std::array<std::uint32_t, 4> a{}, b{}, c{}, d{};
};

float number(const std::string& type, std::uint32_t word, int at) {
  if (type == "tf32") return std::bit_cast<float>(word & 0xffffe000);
  if (type == "f32") return std::bit_cast<float>(word);
  const auto bits = static_cast<std::uint16_t>(at == 0 ? word : word >> 16);
  if (type == "bf16") {
    sinter::bfloat16 v;
    v.bits = bits;
    return v;
  }
  sinter::half v;
  v.bits = bits;
  return v;
}

/// The elements of a row of A, or of a column of B, in one register of a lane.
struct Layout {
  int depth;    // K
  int of_word;  // elements in a register
};

Fragments& fragments(Thread* lane) { return *static_cast<Fragments*>(lane->meeting.data); }

// A is 16 by K. The group of a lane gives its row, and the row 8 below; its index in the group
// gives the columns.
void read_a(Thread** lanes, const Layout& layout, const std::string& type, float (*a)[16]) {
  const int words = 16 * layout.depth / 32 / layout.of_word, step = 4 * layout.of_word;
  for (int lane = 0; lane < 32; ++lane) {
    for (int word = 0; word < words; ++word) {
      for (int at = 0; at < layout.of_word; ++at) {
        const int row = lane / 4 + word % 2 * 8;
        const int column = lane % 4 * layout.of_word + at + word / 2 * step;
        a[row][column] = number(type, fragments(lanes[lane]).a[static_cast<std::size_t>(word)], at);
      }
    }
  }
}

// B is K by 8. The group of a lane gives its column.
void read_b(Thread** lanes, const Layout& layout, const std::string& type, float (*b)[8]) {
  const int words = 8 * layout.depth / 32 / layout.of_word, step = 4 * layout.of_word;
  for (int lane = 0; lane < 32; ++lane) {
    for (int word = 0; word < words; ++word) {
      for (int at = 0; at < layout.of_word; ++at) {
        const int row = lane % 4 * layout.of_word + at + word * step;
        b[row][lane / 4] =
            number(type, fragments(lanes[lane]).b[static_cast<std::size_t>(word)], at);
      }
    }
  }
}

// C and D are 16 by 8: a lane has two neighbours of a row, and of the row 8 below.
void multiply(Thread** lanes, const Layout& layout, const std::string& type) {
  float a[16][16]{}, b[16][8]{};
  read_a(lanes, layout, type, a);
  read_b(lanes, layout, type, b);
  for (int lane = 0; lane < 32; ++lane) {
    for (std::size_t word = 0; word < 4; ++word) {
      const int row = lane / 4 + static_cast<int>(word) / 2 * 8;
      const int column = lane % 4 * 2 + static_cast<int>(word) % 2;
      float sum = std::bit_cast<float>(fragments(lanes[lane]).c[word]);
      for (int k = 0; k < layout.depth; ++k) sum += a[row][k] * b[k][column];
      fragments(lanes[lane]).d[word] = std::bit_cast<std::uint32_t>(sum);
    }
  }
}

bool all_take_part(Thread** lanes) {
  for (int lane = 0; lane < 32; ++lane) {
    if (lanes[lane] == nullptr) return false;
  }
  return true;
}

template <int depth>
void multiply_bf16(Thread** lanes) {
  if (all_take_part(lanes)) multiply(lanes, {depth, 2}, "bf16");
}
template <int depth>
void multiply_f16(Thread** lanes) {
  if (all_take_part(lanes)) multiply(lanes, {depth, 2}, "f16");
}
template <int depth>
void multiply_tf32(Thread** lanes) {
  if (all_take_part(lanes)) multiply(lanes, {depth, 1}, "tf32");
}

using Work = void (*)(Thread**);

Work work_of(const std::string& opcode) {
  const std::string end = ".row.col.f32.";
  const auto is = [&](const char* shape, const char* type) {
    return opcode == sinter::detail::text("mma.sync.aligned.", shape, end, type, ".", type, ".f32");
  };
  if (is("m16n8k16", "bf16")) return multiply_bf16<16>;
  if (is("m16n8k16", "f16")) return multiply_f16<16>;
  if (is("m16n8k8", "bf16")) return multiply_bf16<8>;
  if (is("m16n8k8", "f16")) return multiply_f16<8>;
  if (is("m16n8k8", "tf32")) return multiply_tf32<8>;
  return is("m16n8k4", "tf32") ? multiply_tf32<4> : nullptr;
}

template <std::size_t n>
void get(const PtxCall& call, std::size_t argument, std::array<std::uint32_t, n>& to) {
  const std::size_t count = call.instruction->arguments[argument].values.size();
  for (std::size_t i = 0; i < count && i < n; ++i) {
    to[i] = static_cast<std::uint32_t>(call.get(argument, i));
  }
}

void mma(PtxCall& call) {
  Fragments all;
  get(call, 1, all.a);
  get(call, 2, all.b);
  get(call, 3, all.c);
  running()->meet({"mma", ~0u, 0, &all, work_of(call.instruction->opcode)}, call.frame());
  for (std::size_t i = 0; i < 4; ++i) call.set(0, all.d[i], i);
}

/// 8x8 matrices of 16-bit elements: lane 8 m + r passes the address of row r of matrix m.
struct Matrices {
  std::uintptr_t address = 0;
  std::array<std::uint32_t, 4> words{};
};

template <int count, bool transposed>
void load_matrices(Thread** lanes) {
  if (!all_take_part(lanes)) return;
  const auto element = [&](int matrix, int row, int column) {
    const auto& from = *static_cast<Matrices*>(lanes[8 * matrix + row]->meeting.data);
    std::uint16_t bits = 0;
    std::memcpy(&bits, reinterpret_cast<const char*>(from.address) + 2 * column, 2);
    return std::uint32_t{bits};
  };
  for (int lane = 0; lane < 32; ++lane) {
    auto& to = *static_cast<Matrices*>(lanes[lane]->meeting.data);
    for (int m = 0; m < count; ++m) {
      const int group = lane / 4, first = lane % 4 * 2;
      to.words[static_cast<std::size_t>(m)] =
          transposed ? element(m, first, group) | element(m, first + 1, group) << 16
                     : element(m, group, first) | element(m, group, first + 1) << 16;
    }
  }
}

template <int count, bool transposed>
void ldmatrix(PtxCall& call) {
  Matrices all{.address = call.address(1, true)};
  Running& launch = *running();
  // For the checks, each lane whose address is used reads its row.
  if (launch.thread().lane() < 8 * count) {
    launch.access(all.address, 16, emulated::reads, call.frame());
  }
  launch.meet({"ldmatrix", ~0u, 0, &all, load_matrices<count, transposed>}, call.frame());
  for (std::size_t m = 0; m < count; ++m) call.set(0, all.words[m], m);
}

}  // namespace

PtxHandler ptx_matrix_handler(const std::string& opcode) {
  if (work_of(opcode) != nullptr) return mma;
  std::string name = opcode;
  for (const char* const space : {".shared::cta.b16", ".shared.b16"}) {
    if (name.size() > std::strlen(space) && name.ends_with(space)) {
      name.resize(name.size() - std::strlen(space));
      if (name == "ldmatrix.sync.aligned.m8n8.x1") return ldmatrix<1, false>;
      if (name == "ldmatrix.sync.aligned.m8n8.x2") return ldmatrix<2, false>;
      if (name == "ldmatrix.sync.aligned.m8n8.x4") return ldmatrix<4, false>;
      if (name == "ldmatrix.sync.aligned.m8n8.x1.trans") return ldmatrix<1, true>;
      if (name == "ldmatrix.sync.aligned.m8n8.x2.trans") return ldmatrix<2, true>;
      if (name == "ldmatrix.sync.aligned.m8n8.x4.trans") return ldmatrix<4, true>;
    }
  }
  return nullptr;
}

}  // namespace emulator
