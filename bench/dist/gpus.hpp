#pragma once
// The time of collectives on GPUs that NVLink connects to nodes, and InfiniBand to each other.

#include <algorithm>    // std::min
#include <cmath>        // std::ceil, std::log2
#include <string_view>  // std::string_view

namespace bench {

/// An algorithm of collectives: seconds of each call and of each step inside of a node and between
/// nodes, and the share of the bandwidth that it attains.
struct Algorithm {
  double call, inside, between;
  double efficiency;
};

/// NCCL's own estimate of the time of its collectives, with its constants for the protocol Simple:
/// ncclTopoTuneModel in src/graph/tuning.cc of NCCL 2.28. A ring goes through all GPUs, node after
/// node; a tree through the GPUs of each node in a chain, and over the nodes as two binary trees.
struct Gpus {
  int node = 8;                    ///< GPUs of a node: a DGX H200.
  double nvlink = 18 * 20.6e9;     ///< Bytes a second, each way: links times NCCL's SM90_NVLINK_BW.
  double network = 8 * 400e9 / 8;  ///< Of a node: an NDR adapter of 400 Gb/s for each GPU.
  Algorithm ring{8.4e-6, 3.4e-6, 14e-6, 1};
  Algorithm tree{8.4e-6, 4e-6, 14e-6, 0.92};

  int nodes(int gpus) const { return (gpus + node - 1) / node; }
  double bandwidth(int gpus) const { return nodes(gpus) > 1 ? std::min(nvlink, network) : nvlink; }

  /// `passes` is 2 for an all_reduce, 1 for an all_gather or a reduce_scatter of `bytes` in all.
  double ring_seconds(int passes, double bytes, int gpus) const {
    const double steps = passes * (gpus - 1), between = passes * (nodes(gpus) - 1);
    return ring.call + (steps - between) * ring.inside + between * ring.between +
           steps / gpus * bytes / (bandwidth(gpus) * ring.efficiency);
  }

  /// An all_reduce.
  double tree_seconds(double bytes, int gpus) const {
    const int count = nodes(gpus);
    const double inside = std::min(node, gpus) - 1, between = std::ceil(std::log2(count));
    return tree.call + 2 * (inside * tree.inside + between * tree.between) +
           2 * bytes / (bandwidth(gpus) * tree.efficiency);
  }

  /// The faster algorithm, as NCCL chooses. `collective` is "all_reduce", "all_gather",
  /// "reduce_scatter"; others are priced as an all_reduce.
  double seconds(std::string_view collective, double bytes, int gpus) const {
    if (gpus == 1) return 0;
    const bool is_half = collective == "all_gather" || collective == "reduce_scatter";
    if (is_half) return ring_seconds(1, bytes, gpus);
    return std::min(ring_seconds(2, bytes, gpus), tree_seconds(bytes, gpus));
  }
};

}  // namespace bench
