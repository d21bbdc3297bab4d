// What fails in a long run, where it is saved, and how weights follow from gradients.
#include "catalog/data.hpp"
#include "catalog/sections/field.hpp"

namespace scalesweep::catalog {
namespace {

using technology::Reliability;
using technology::Storage;
using workload::Optimizer;

Field<Reliability> between_failures(std::string_view path, Seconds Reliability::*member,
                                    std::string_view of, std::string_view example) {
  return field(quantity(path, Dimension::seconds, of, example, "never"), member);
}

template <class Record>
Field<Record> moment(std::string_view path, Seconds Record::*member, std::string_view text,
                     std::string_view example) {
  return field(or_zero(quantity(path, Dimension::seconds, text, example, "\"0 s\"")), member);
}

Fields<Reliability> failure_fields() {
  return {
      between_failures("die", &Reliability::die,
                       "mean time between failures of a die of `die_area`, with all of a device "
                       "but its memory; of other dies by their area",
                       "\"12 a\""),
      value(&Reliability::die_area, "die_area", "of that die", "\"814 mm2\"", "\"814 mm2\""),
      between_failures("stack", &Reliability::stack, "the same of a stack of memory", "\"168 a\""),
      between_failures("node", &Reliability::node, "of a host: board, supplies, disks, maintenance",
                       "\"6.6 a\""),
      value(&Reliability::node_devices, "node_devices", "devices of a host", "8", "8"),
      between_failures("link", &Reliability::link,
                       "of what joins a device to the network: adapter, cable, optics", "\"59 a\""),
      between_failures("network_switch", &Reliability::network_switch,
                       "of a switch between domains", "\"160 a\""),
      between_failures("software", &Reliability::software,
                       "for each device: what stops a job and is nobody's hardware", "\"43 a\""),
      between_failures("corruption", &Reliability::corruption,
                       "of a device that computes wrongly without a sign of it", "\"400 a\""),
      moment("corruption_found", &Reliability::corruption_found,
             "from then until it is seen; what was computed meanwhile is lost", "\"30 min\""),
      between_failures("slow", &Reliability::slow,
                       "until a device becomes slow, and all others wait for it; 0.5 % of them are "
                       "it at a time where this is 200 times `slow_found`",
                       "\"100 a\""),
      moment("slow_found", &Reliability::slow_found, "from then until it is replaced", "\"6 h\""),
      number(&Reliability::slowed_by, from_zero, "slowed_by",
             "part of a step that it takes longer meanwhile", "0.1", "0"),
  };
}

Fields<Reliability> recovery_fields() {
  return {
      moment("detection", &Reliability::detection, "from a failure until it is located",
             "\"5 min\""),
      moment("replacement", &Reliability::replacement,
             "until a node that stands by is in the place of another", "\"2 min\""),
      moment("start", &Reliability::start, "of processes and communicators, until the first step",
             "\"3 min\""),
      moment("start_of_each", &Reliability::start_of_each, "what each device adds to that",
             "\"2 ms\""),
      number(&Reliability::repaired_share, fraction_or_none, "repaired_share",
             "of failures of hardware, after which a node is out for `repair`", "0.5", "0"),
      moment("repair", &Reliability::repair, "of a node", "\"2 d\""),
  };
}

// What is known of whole runs beside failures.
Fields<Reliability> run_fields() {
  return {
      number(&Reliability::batch_ramp, fraction_or_none, "batch_ramp",
             "part of the time of published runs that smaller batches at their beginning took",
             "0.01", "0"),
      number(&Reliability::evaluation, fraction_or_none, "evaluation",
             "the same of evaluations that stop the job", "0.007", "0"),
      number(&Reliability::by_hand, fraction_or_none, "by_hand",
             "the same of what people stop and start: hangs, losses that diverge, maintenance",
             "0.015", "0"),
      number(&Reliability::reached, from_zero, "reached",
             "how many times as long as estimated published runs took, in the middle of them; 0: "
             "not known",
             "1.3", "0"),
      number(&Reliability::reached_low, from_zero, "reached_low",
             "two of three of them took at least so many times as long", "1.1", "0"),
      number(&Reliability::reached_high, from_zero, "reached_high", "and at most", "1.9", "0"),
  };
}

// The times of runs are known altogether or not at all.
void check_reached(EntryReader& entry, const Reliability& reliability) {
  const bool is_known = reliability.reached > 0.0;
  const bool has_bar = reliability.reached_low > 0.0 || reliability.reached_high > 0.0;
  if (is_known
          ? !(0.0 < reliability.reached_low && reliability.reached_low <= reliability.reached &&
              reliability.reached <= reliability.reached_high)
          : has_bar) {
    entry.table().error("reached",
                        "'reached' has to lie between 'reached_low', above 0, and 'reached_high'; "
                        "give all three or none of them");
  }
}

const Fields<Reliability>& reliability_fields() {
  static const Fields<Reliability> fields =
      joined<Reliability>({failure_fields(), recovery_fields(), run_fields()});
  return fields;
}

const Fields<Storage>& storage_fields() {
  static const Fields<Storage> fields = {
      value(&Storage::write, "write", "of one device", "\"1 GB/s\""),
      value(&Storage::read, "read", "of one device", "\"2 GB/s\""),
      value(&Storage::most_write, "most_write", "of all devices together", "\"2 TB/s\"",
            "as many times that of one"),
      value(&Storage::most_read, "most_read", "of all devices together", "\"2 TB/s\"",
            "as many times that of one"),
      moment("checkpoint_latency", &Storage::checkpoint_latency,
             "what a checkpoint stops the job for however small it is: ranks agree and wait",
             "\"2 s\""),
  };
  return fields;
}

Fields<Optimizer> state_fields() {
  return {
      number(&Optimizer::moments, from_zero, "moments", "states that are as large as the weights",
             "2"),
      field(
          number("edge_moments", from_zero, "the same of embedding and head", "2", "as `moments`"),
          &Optimizer::edge_moments, &Optimizer::moments),
      quantity(&Optimizer::moment_bytes, Dimension::bytes, "moment_size",
               "of an element of these, with scales", "\"1 B\"", "by `moments` of the precision"),
      number(&Optimizer::flop, from_zero, "flop", "of a parameter, on the vector units", "16",
             "16"),
      number(&Optimizer::gradient_reads, from_zero, "gradient_reads",
             "how often gradients are read before the update", "2", "0"),
  };
}

Fields<Optimizer> product_fields() {
  return {
      number(&Optimizer::orthogonal_steps, from_zero, "orthogonal_steps",
             "steps of Newton and Schulz that make a matrix orthogonal, three products each; "
             "ranks that have parts of one gather it before",
             "5", "0"),
      or_zero(value(&Optimizer::block, "block",
                    "side of the squares that matrices are cut into, of which factors are "
                    "kept; 0: none",
                    "2048", "0")),
      number(&Optimizer::block_states, from_zero, "block_states",
             "matrices as large as a block that are kept for each, besides", "4", "0"),
      number(&Optimizer::block_products, from_zero, "block_products",
             "products of such matrices in a step", "4", "0"),
      quantity(&Optimizer::product_bytes, Dimension::bytes, "product_size",
               "of an element that is multiplied: 4 bytes where it is fp32", "\"4 B\"", "\"2 B\""),
  };
}

const Fields<Optimizer>& optimizer_fields() {
  static const Fields<Optimizer> fields = joined<Optimizer>({state_fields(), product_fields()});
  return fields;
}

}  // namespace

std::vector<Key> reliability_rows() {
  return heritable(keys_of(reliability_fields()));
}
std::vector<Key> storage_rows() {
  return heritable(keys_of(storage_fields()));
}
std::vector<Key> optimizer_rows() {
  return heritable(keys_of(optimizer_fields()));
}

Reliability read_reliability(EntryReader& entry, const std::string& name) {
  Reliability reliability = read_named(entry, name, reliability_fields());
  check_reached(entry, reliability);
  return reliability;
}
Storage read_storage(EntryReader& entry, const std::string& name) {
  return read_named(entry, name, storage_fields());
}
Optimizer read_optimizer(EntryReader& entry, const std::string& name) {
  return read_named(entry, name, optimizer_fields());
}

}  // namespace scalesweep::catalog
