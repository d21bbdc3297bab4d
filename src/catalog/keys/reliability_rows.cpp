// Rows of what fails in a long run, and of where it is saved.
#include "catalog/keys/rows.hpp"

namespace scalesweep::catalog {
namespace {

Key between_failures(std::string_view path, std::string_view of, std::string_view example) {
  return quantity(path, Dimension::seconds, of, example, "never");
}

Key moment(std::string_view path, std::string_view text, std::string_view example) {
  return or_zero(quantity(path, Dimension::seconds, text, example, "\"0 s\""));
}

}  // namespace

std::vector<Key> reliability_rows() {
  return heritable({
      between_failures(
          "die",
          "mean time between failures of a die of `die_area`, with all of a device but "
          "its memory; of other dies by their area",
          "\"12 a\""),
      quantity("die_area", Dimension::area, "of that die", "\"814 mm2\"", "\"814 mm2\""),
      between_failures("stack", "the same of a stack of memory", "\"168 a\""),
      between_failures("node", "of a host: board, supplies, disks, maintenance", "\"6.6 a\""),
      integer("node_devices", "devices of a host", "8", "8"),
      between_failures("link", "of what joins a device to the network: adapter, cable, optics",
                       "\"59 a\""),
      between_failures("network_switch", "of a switch between domains", "\"160 a\""),
      between_failures("software", "for each device: what stops a job and is nobody's hardware",
                       "\"43 a\""),
      between_failures("corruption", "of a device that computes wrongly without a sign of it",
                       "\"400 a\""),
      moment("corruption_found", "from then until it is seen; what was computed meanwhile is lost",
             "\"30 min\""),
      between_failures("slow",
                       "until a device becomes slow, and all others wait for it; 0.5 % of them "
                       "are it at a time where this is 200 times `slow_found`",
                       "\"100 a\""),
      moment("slow_found", "from then until it is replaced", "\"6 h\""),
      number("slowed_by", from_zero, "part of a step that it takes longer meanwhile", "0.1", "0"),
      moment("detection", "from a failure until it is located", "\"5 min\""),
      moment("replacement", "until a node that stands by is in the place of another", "\"2 min\""),
      moment("start", "of processes and communicators, until the first step", "\"3 min\""),
      moment("start_of_each", "what each device adds to that", "\"2 ms\""),
      number("repaired_share", fraction_or_none,
             "of failures of hardware, after which a node is out for `repair`", "0.5", "0"),
      moment("repair", "of a node", "\"2 d\""),
  });
}

std::vector<Key> storage_rows() {
  return heritable({
      quantity("write", Dimension::bytes_per_second, "of one device", "\"1 GB/s\""),
      quantity("read", Dimension::bytes_per_second, "of one device", "\"2 GB/s\""),
      quantity("most_write", Dimension::bytes_per_second, "of all devices together", "\"2 TB/s\"",
               "as many times that of one"),
      quantity("most_read", Dimension::bytes_per_second, "of all devices together", "\"2 TB/s\"",
               "as many times that of one"),
      moment("checkpoint_latency",
             "what a checkpoint stops the job for however small it is: ranks agree and wait",
             "\"2 s\""),
  });
}

}  // namespace scalesweep::catalog
