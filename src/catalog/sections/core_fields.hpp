// Rows that devices and templates share: what multiplies, at what energy, and what the libraries of
// kernels take beside FLOP and bytes. `Record` has members of these names.
#pragma once

#include <fmt/format.h>

#include <optional>

#include "catalog/sections/field.hpp"
#include "technology/device.hpp"

namespace scalesweep::catalog {

Fields<technology::MatMulKernels> matmul_fields();
Fields<technology::AttentionKernels> attention_fields();
Fields<technology::ExpertKernels> expert_kernels_fields();
Fields<technology::AllReduceKernels> all_reduce_fields();
Fields<technology::MatrixUnit> matrix_unit_fields();
Key matmul_table();
Key attention_table();
Key expert_kernels_table();
Key all_reduce_table();
Key matrix_unit_table();
Key long_gemm_clock_key();

// A table that is a part of the record where it is there.
template <class Record, class Part>
Fields<Record> in_place(Key table, std::optional<Part> Record::*part, const Fields<Part>& fields) {
  table.need = Need::optional;
  return read_by_table<Record>(table, keys_of(fields), [=](EntryReader& entry, Record& record) {
    if (entry.has(table.path)) {
      EntryReader group = entry.group(table.path);
      read_fields(group, fields, (record.*part).emplace());
    }
  });
}

// Rates and energies of the matrix units, by operand precision. `energy` says where one comes from
// that is not given.
template <class Record>
Fields<Record> sustained_fields(std::string_view energy) {
  return joined<Record>(
      {by_precision(table("tensor_sustained",
                          "fraction of the peak that the inner loop of a GEMM reaches while "
                          "cool, by precision"),
                    number("*", fraction, "of one", "0.89"), &Record::tensor_sustained),
       by_precision(table("tensor_energy", "energy of the matrix units, by precision", energy),
                    quantity("*", Dimension::joules_per_flop, "of one", "\"0.34 pJ/FLOP\"", energy),
                    &Record::tensor_energy)});
}

template <class Record>
Fields<Record> unit_fields() {
  return joined<Record>(
      {in_table(matrix_unit_table(), &Record::matrix_unit, matrix_unit_fields()),
       {value(&Record::cluster, "cluster",
              "cores that read what they share from L2 once (multicast)", "4", "1")}});
}

template <class Record>
Fields<Record> vector_fields() {
  return {number(&Record::vector_sustained, fraction, "vector_sustained",
                 "fraction of the vector peak that kernels reach", "1"),
          value(&Record::vector_energy, "vector_energy", "energy of the vector units",
                "\"3.7 pJ/FLOP\""),
          or_zero(value(&Record::memory_access_energy, "memory_access_energy",
                        "from the interface of the DRAM to the cores: controllers and "
                        "wires",
                        "\"31 pJ/B\"", "\"0 J/B\"")),
          value(&Record::kernel_latency, "kernel_latency",
                "fixed time of one kernel: launch, ramp-up and drain", "\"2.5 us\"")};
}

// What has a peak must have a sustained fraction.
template <class Peak>
void check_precisions(const EntryReader& entry,
                      const std::array<Peak, technology::precision_count>& peak,
                      const std::array<double, technology::precision_count>& sustained,
                      std::string_view peak_key) {
  for (std::size_t i = 0; i < technology::precision_count; ++i) {
    const bool has_peak = !(peak[i] == Peak{});
    const std::string_view name = technology::precision_names[i];
    if (has_peak != (sustained[i] > 0.0)) {
      entry.table().error("tensor_sustained",
                          fmt::format("{} stands in only one of {} and tensor_sustained; give both",
                                      name, peak_key));
    }
  }
}

}  // namespace scalesweep::catalog
