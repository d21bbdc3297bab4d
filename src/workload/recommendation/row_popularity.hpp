// How often rows of an embedding table are asked for, where they are popular by a Zipf law: the
// i-th most popular one in proportion to i^-skew. Closed forms; sums are their oracle.
#pragma once

namespace scalesweep::workload {

// The share of lookups that the `kept` most popular of `rows` rows have.
double most_popular_share(double rows, double kept, double skew);

// How many rows of `rows` so many lookups reach, each counted once: all those that are expected at
// least once, and of the others as many as are looked up.
double distinct_rows(double rows, double lookups, double skew);

}  // namespace scalesweep::workload
