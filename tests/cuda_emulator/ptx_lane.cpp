// Instructions of a single lane.

#include <bit>
#include <cmath>

#include <sinter/base/half.hpp>

#include "launch.hpp"
#include "ptx.hpp"

namespace emulator {

namespace {

using sinter::bfloat16;
using sinter::half;

template <class T>
std::uint32_t bits16(float v) {
  return T(v).bits;
}

template <class T>
float from16(std::uint64_t bits) {
  T v;
  v.bits = static_cast<std::uint16_t>(bits);
  return v;
}

template <class T>
void widen(PtxCall& call) {
  call.set_f32(0, from16<T>(call.get(1)));
}

template <class T>
void narrow(PtxCall& call) {
  call.set(0, bits16<T>(call.f32(1)));
}

// The first source becomes the upper half.
template <class T>
void narrow_two(PtxCall& call) {
  call.set(0, bits16<T>(call.f32(1)) << 16 | bits16<T>(call.f32(2)));
}

// Rounds to 10 fraction bits (TF32), ties away from zero.
void narrow_tf32(PtxCall& call) {
  const auto bits = static_cast<std::uint32_t>(call.get(1));
  call.set(0, (bits & 0x7fffffff) >= 0x7f800000 ? bits : (bits + 0x1000) & 0xffffe000);
}

template <float (*function)(float)>
void math(PtxCall& call) {
  call.set_f32(0, function(call.f32(1)));
}

float reciprocal(float v) { return 1 / v; }
float reciprocal_root(float v) { return 1 / std::sqrt(v); }
float exp2_of(float v) { return std::exp2(v); }
float log2_of(float v) { return std::log2(v); }
float tanh_of(float v) { return std::tanh(v); }
float sin_of(float v) { return std::sin(v); }
float cos_of(float v) { return std::cos(v); }
float root(float v) { return std::sqrt(v); }

void move(PtxCall& call) { call.set(0, call.get(1)); }
void not_equal(PtxCall& call) { call.set(0, call.get(1) != call.get(2)); }
void equal(PtxCall& call) { call.set(0, call.get(1) == call.get(2)); }
void nothing(PtxCall&) {}

void barrier(PtxCall& call) { running()->barrier(emulated::Join::none, 0, call.frame()); }

struct Row {
  const char* opcode;
  PtxHandler handler;
};

constexpr Row rows[]{
    {"cvt.f32.f16", widen<half>},
    {"cvt.f32.bf16", widen<bfloat16>},
    {"cvt.rn.f16.f32", narrow<half>},
    {"cvt.rn.bf16.f32", narrow<bfloat16>},
    {"cvt.rn.f16x2.f32", narrow_two<half>},
    {"cvt.rn.bf16x2.f32", narrow_two<bfloat16>},
    {"cvt.rna.tf32.f32", narrow_tf32},
    {"ex2.approx.f32", math<exp2_of>},
    {"ex2.approx.ftz.f32", math<exp2_of>},
    {"lg2.approx.f32", math<log2_of>},
    {"lg2.approx.ftz.f32", math<log2_of>},
    {"rcp.approx.f32", math<reciprocal>},
    {"rcp.approx.ftz.f32", math<reciprocal>},
    {"rsqrt.approx.f32", math<reciprocal_root>},
    {"rsqrt.approx.ftz.f32", math<reciprocal_root>},
    {"sqrt.approx.f32", math<root>},
    {"sin.approx.f32", math<sin_of>},
    {"cos.approx.f32", math<cos_of>},
    {"tanh.approx.f32", math<tanh_of>},
    {"mov.b32", move},
    {"mov.u32", move},
    {"mov.b64", move},
    {"mov.u64", move},
    {"mov.f32", move},
    {"setp.ne.b32", not_equal},
    {"setp.ne.u32", not_equal},
    {"setp.ne.s32", not_equal},
    {"setp.eq.b32", equal},
    {"setp.eq.u32", equal},
    {"setp.eq.s32", equal},
    {"bar.sync", barrier},
    {"membar.gl", nothing},
    {"membar.cta", nothing},
    {"fence.acq_rel.gpu", nothing},
    {"griddepcontrol.wait", nothing},
    {"griddepcontrol.launch_dependents", nothing},
};

}  // namespace

PtxHandler ptx_handler(const std::string& opcode) {
  for (const Row& row : rows) {
    if (opcode == row.opcode) return row.handler;
  }
  if (const PtxHandler handler = ptx_matrix_handler(opcode)) return handler;
  return ptx_memory_handler(opcode);
}

}  // namespace emulator
