// Tables inside an entry of a transformer: their rows, and what reads them.
#pragma once

#include "catalog/sections/field.hpp"
#include "workload/model.hpp"

namespace scalesweep::catalog {

Fields<workload::TransformerModel> local_attention_fields();  // with the row of their table
Fields<workload::LinearAttention> linear_fields();
Fields<workload::SparseAttention> sparse_fields();
Fields<workload::LatentAttention> latent_fields();
Fields<workload::Experts> expert_fields();

// How many layers have a window, and how many a state.
void read_attention(EntryReader entry, workload::TransformerModel& model);
void read_linear(EntryReader entry, workload::LinearAttention& linear);
workload::SparseAttention read_sparse(EntryReader entry, const workload::TransformerModel& model);
workload::LatentAttention read_latent(EntryReader entry);
workload::Experts read_experts(EntryReader entry, std::int64_t layers);

}  // namespace scalesweep::catalog
