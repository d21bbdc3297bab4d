// Tiles of C that one core of a device can hold while it multiplies: what vendor libraries choose
// from.
//
// A tile of m x n takes 4 m n bytes of sums. They lie in registers or tensor memory beside the
// shared memory (`accumulators`), of which a share goes to operands and addresses, or, where there
// are none, in the shared memory itself (scratchpads of systolic arrays, caches of CPUs). Shared
// memory holds the operands of the step that is multiplied and of the next one: 2 (m + n) 64 bytes.
// Rows and columns are whole matrix units. Goto and van de Geijn, Anatomy of high-performance
// matrix multiplication, ACM TOMS 34(3), 2008, section 4, for the levels.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "technology/device.hpp"

namespace scalesweep::technology {

// Rows and columns of C.
struct GemmTile {
  double m, n;
  double area() const { return m * n; }
};

// Largest first; rectangular ones serve skinny GEMMs.
constexpr std::array<GemmTile, 25> gemm_tiles = {
    {{1024, 1024}, {1024, 512}, {512, 1024}, {512, 512}, {512, 256}, {256, 512}, {384, 256},
     {256, 384},   {256, 256},  {256, 192},  {192, 256}, {256, 128}, {128, 256}, {192, 128},
     {128, 192},   {160, 128},  {128, 160},  {128, 128}, {256, 64},  {64, 256},  {128, 96},
     {96, 128},    {128, 64},   {64, 128},   {64, 64}}};

// Those of gemm_tiles that fit: bit i for tile i. A device that holds none has the smallest that is
// whole matrix units.
using GemmTileSet = std::uint32_t;
GemmTileSet gemm_tiles_of(const Device& device);

GemmTile largest_gemm_tile(const Device& device);

constexpr bool holds(GemmTileSet set, std::size_t tile) {
  return ((set >> tile) & 1U) != 0U;
}

}  // namespace scalesweep::technology
