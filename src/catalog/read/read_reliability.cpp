// What fails, and where a run is saved, out of their entries.
#include "catalog/data.hpp"

namespace scalesweep::catalog {
namespace {

Seconds or_never(EntryReader& entry, std::string_view key) {
  const std::optional<double> seconds = entry.given(key);
  return seconds ? Seconds::si(*seconds) : technology::never;
}

}  // namespace

technology::Reliability read_reliability(EntryReader& entry, const std::string& name) {
  technology::Reliability r;
  r.name = name;
  r.die = or_never(entry, "die");
  r.die_area = SquareMetres::si(entry.value("die_area"));
  r.stack = or_never(entry, "stack");
  r.node = or_never(entry, "node");
  r.node_devices = static_cast<int>(entry.integer("node_devices"));
  r.link = or_never(entry, "link");
  r.network_switch = or_never(entry, "network_switch");
  r.software = or_never(entry, "software");
  r.corruption = or_never(entry, "corruption");
  r.corruption_found = Seconds::si(entry.value("corruption_found"));
  r.slow = or_never(entry, "slow");
  r.slow_found = Seconds::si(entry.value("slow_found"));
  r.slowed_by = entry.value("slowed_by");
  r.detection = Seconds::si(entry.value("detection"));
  r.replacement = Seconds::si(entry.value("replacement"));
  r.start = Seconds::si(entry.value("start"));
  r.start_of_each = Seconds::si(entry.value("start_of_each"));
  r.repaired_share = entry.value("repaired_share");
  r.repair = Seconds::si(entry.value("repair"));
  return r;
}

technology::Storage read_storage(EntryReader& entry, const std::string& name) {
  technology::Storage s;
  s.name = name;
  s.write = BytesPerSecond::si(entry.value("write"));
  s.read = BytesPerSecond::si(entry.value("read"));
  s.most_write = BytesPerSecond::si(entry.given("most_write").value_or(0.0));
  s.most_read = BytesPerSecond::si(entry.given("most_read").value_or(0.0));
  s.checkpoint_latency = Seconds::si(entry.value("checkpoint_latency"));
  return s;
}

}  // namespace scalesweep::catalog
