#include <fmt/format.h>

#include <algorithm>

#include "core/text.hpp"
#include "publish/documents/documents.hpp"
#include "space/dataset/licenses.hpp"

namespace scalesweep::publish {
namespace {

// A bar would end the cell.
std::string cell(std::string text) {
  for (std::size_t at = text.find('|'); at != std::string::npos; at = text.find('|', at + 2)) {
    text.insert(at, "\\");
  }
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

std::string creators_text(const space::Dataset& dataset) {
  std::vector<std::string> texts;
  for (const space::Creator& creator : dataset.creators) {
    std::string text = creator.name;
    if (!creator.orcid.empty()) {
      text += fmt::format(" ([{0}](https://orcid.org/{0}))", creator.orcid);
    }
    if (!creator.affiliation.empty()) {
      text += ", " + creator.affiliation;
    }
    texts.push_back(text);
  }
  return join(texts, "; ");
}

std::string license_text(const space::Dataset& dataset) {
  const std::string url = space::license_url(dataset.license);
  return url.empty() ? dataset.license : fmt::format("[{}]({})", dataset.license, url);
}

std::string funding_text(const space::Dataset& dataset) {
  std::vector<std::string> texts;
  for (const space::Funding& one : dataset.funding) {
    texts.push_back(one.award.empty() ? one.funder
                                      : fmt::format("{}, award {}", one.funder, one.award));
  }
  return join(texts, "; ");
}

std::string related_text(const space::Dataset& dataset) {
  std::vector<std::string> texts;
  for (const space::RelatedWork& work : dataset.related) {
    texts.push_back(fmt::format("{} <{}>", work.relation, work.url()));
  }
  return join(texts, "; ");
}

std::string facts(const Publication& p) {
  const space::Dataset& d = p.dataset;
  std::string text = "| | |\n|---|---|\n";
  const auto row = [&](const char* name, const std::string& value) {
    if (!value.empty()) {
      text += fmt::format("| {} | {} |\n", name, cell(value));
    }
  };
  row("Creators", creators_text(d));
  row("Institution", d.institution);
  row("Project", d.project);
  row("Publisher", d.publisher);
  row("Identifier", address_of(d).empty() ? "" : "<" + address_of(d) + ">");
  row("Version", d.version);
  row("Published", p.published);
  row("Computed", fmt::format("{}, by {}", p.created, p.source));
  row("Licence", license_text(d));
  row("Keywords", join(d.keywords, ", "));
  row("Funding", funding_text(d));
  row("Related works", related_text(d));
  row("Method", p.references);
  row("Contact", d.contact ? fmt::format("{} <{}>", d.contact->name, d.contact->email) : "");
  row("Configurations", with_thousands(p.points));
  row("Rows", with_thousands(p.rows));
  std::vector<std::string> counts;
  for (const auto& [status, count] : p.counts) {
    counts.push_back(fmt::format("{} `{}`", with_thousands(count), status));
  }
  row("Outcomes", join(counts, ", "));
  row("Identity", "`" + p.identity + "`");
  return text;
}

std::string answers(const Publication& p) {
  std::string text;
  if (!p.verdict.empty()) {
    text += "\n## What it answers\n\n```\n" + p.verdict + "```\n";
  }
  if (!p.findings.empty()) {
    text += "\n";
    for (const std::string& finding : p.findings) {
      text += fmt::format("- {}\n", finding);
    }
  }
  for (const PublishedFile& file : p.files) {
    if (file.media_type == "image/png") {
      text += fmt::format("\n![{}]({})\n", file.description, file.name);
    }
  }
  return text;
}

std::string files_text(const Publication& p) {
  std::string text = "\n## Files\n\n| file | bytes | what it is |\n|---|---|---|\n";
  for (const PublishedFile& file : p.files) {
    text += fmt::format("| `{}` | {} | {} |\n", file.name, with_thousands(file.bytes),
                        cell(file.description));
  }
  return text +
         "\n`sha256sum -c manifest-sha256.txt`, here, checks that every byte is as it was "
         "published;\n`scalesweep verify .` also that the metadata agree with the study.\n";
}

// Four statements for each of three libraries: who knows one of them needs no other.
std::string frontier_text(const Publication& p) {
  if (p.frontier.size() < 2) {
    return "";
  }
  const FrontierColumn& x = p.frontier[0];
  const FrontierColumn& y = p.frontier[1];
  const char* const end = y.is_larger_better ? "max" : "min";
  return fmt::format(
      R"--(
The frontier of `{x}` and `{y}` as a figure with units, and how to cite it, by pandas:

```python
import h5py, json, pandas
table = pandas.DataFrame({{name: data[:] for name, data in h5py.File("{file}")["results"].items()}})
table.query("status == 0").sort_values("{x}"{falling}).query("{y} == {y}.cum{end}()").plot(
    "{x}", "{y}", xlabel="{x} [{x_units}]", ylabel="{y} [{y_units}]")
print(json.load(open("schema-org.jsonld"))["creditText"])
```

by xarray, which knows names and units of the file:

```python
import json, numpy, xarray
data = xarray.open_dataset("{file}", group="results").query(point_id="status == 0").sortby(
    "{x}"{falling})
data.where(data.{y} == numpy.{end}imum.accumulate(data.{y}.values), drop=True).plot.scatter(
    x="{x}", y="{y}")
print(json.load(open("schema-org.jsonld"))["creditText"])
```

and by polars:

```python
import h5py, json, polars
table = polars.DataFrame({{name: data[:] for name, data in h5py.File("{file}")["results"].items()}})
table.filter(polars.col("status") == 0).sort("{x}"{descending}).filter(
    polars.col("{y}") == polars.col("{y}").cum_{end}()).plot.line(
    x="{x}", y="{y}").properties(title="{x} [{x_units}], {y} [{y_units}]").save("frontier.html")
print(json.load(open("schema-org.jsonld"))["creditText"])
```
)--",
      fmt::arg("x", x.name), fmt::arg("y", y.name), fmt::arg("x_units", x.units),
      fmt::arg("y_units", y.units), fmt::arg("file", p.study_file), fmt::arg("end", end),
      fmt::arg("falling", x.is_larger_better ? ", ascending=False" : ""),
      fmt::arg("descending", x.is_larger_better ? ", descending=True" : ""));
}

std::string opening(const Publication& p) {
  return fmt::format(R"(
## Opening it

`{0}` is one HDF5 file: `/results` has a dataset for each column, `/axes` the values of the axes,
`/summary` exact counts, `/provenance` the spec and every input. It needs no plugin.

With h5py alone:

```python
import h5py

with h5py.File("{0}") as file:
    print(file.attrs["title"])
    for name in file["results"].attrs["columns"]:
        column = file["results"][name]
        print(name, column.attrs.get("units", ""), column.attrs["description"])
```
{1}
Columns of names are HDF5 enums, whose words `h5py.check_enum_dtype` has. Numbers are in SI units.
`scalesweep explain {0} --point ID` computes any configuration again, term by term.
)",
                     p.study_file, frontier_text(p));
}

std::string columns_text(const Publication& p) {
  std::string text = "\n## Columns\n\n| column | unit | what it is |\n|---|---|---|\n";
  for (const PublishedColumn& column : p.columns) {
    text += fmt::format("| `{}` | {} | {} |\n", column.name, cell(column.units),
                        cell(column.description));
  }
  return text;
}

}  // namespace

std::string card(const Publication& p) {
  const std::string license =
      p.dataset.license.empty() ? "None is stated: without one the data may not be used by others."
                                : fmt::format("The data are under {}.", license_text(p.dataset));
  return fmt::format("# {}\n\n{}\n\n{}", p.title, description_of(p), facts(p)) + answers(p) +
         opening(p) + columns_text(p) + files_text(p) +
         fmt::format("\n## Licence\n\n{}\n\n## Citation\n\n{}\n", license, citation_of(p));
}

}  // namespace scalesweep::publish
