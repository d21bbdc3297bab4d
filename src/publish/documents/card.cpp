#include <fmt/format.h>

#include <algorithm>

#include "citation/licenses.hpp"
#include "core/documents/escapes.hpp"
#include "core/text.hpp"
#include "publish/documents/documents.hpp"

namespace scalesweep::publish {
namespace {

std::string creators_text(const citation::Dataset& dataset) {
  std::vector<std::string> texts;
  for (const citation::Creator& creator : dataset.creators) {
    std::string text = markdown_line(creator.name);
    if (!creator.orcid.empty()) {
      text += fmt::format(" ([{0}](https://orcid.org/{0}))", creator.orcid);
    }
    if (!creator.affiliation.empty()) {
      text += ", " + markdown_line(creator.affiliation);
    }
    texts.push_back(text);
  }
  return join(texts, "; ");
}

std::string license_text(const citation::Dataset& dataset) {
  const std::string url = citation::license_url(dataset.license);
  const std::string name = markdown_line(dataset.license);
  return url.empty() ? name : fmt::format("[{}]({})", name, url);
}

std::string funding_text(const citation::Dataset& dataset) {
  std::vector<std::string> texts;
  for (const citation::Funding& one : dataset.funding) {
    texts.push_back(one.award.empty() ? one.funder
                                      : fmt::format("{}, award {}", one.funder, one.award));
  }
  return markdown_line(join(texts, "; "));
}

std::string related_text(const citation::Dataset& dataset) {
  std::vector<std::string> texts;
  for (const citation::RelatedWork& work : dataset.related) {
    texts.push_back(markdown_line(work.relation) + " " + markdown_address(work.url()));
  }
  return join(texts, "; ");
}

std::string contact_text(const citation::Dataset& dataset) {
  return dataset.contact
             ? markdown_line(dataset.contact->name) + " " + markdown_address(dataset.contact->email)
             : "";
}

// Of statuses, those that points have.
std::string outcomes_text(const Publication& p) {
  std::vector<std::string> counts;
  for (const auto& [status, count] : p.counts) {
    counts.push_back(fmt::format("{} `{}`", with_thousands(count), status));
  }
  return join(counts, ", ");
}

// Values are Markdown.
std::string facts(const Publication& p) {
  const citation::Dataset& d = p.dataset;
  std::string text = "| | |\n|---|---|\n";
  const auto row = [&](const char* name, const std::string& value) {
    if (!value.empty()) {
      text += fmt::format("| {} | {} |\n", name, value);
    }
  };
  row("Creators", creators_text(d));
  row("Institution", markdown_line(d.institution));
  row("Project", markdown_line(d.project));
  row("Publisher", markdown_line(d.publisher));
  row("Identifier", address_of(d).empty() ? "" : markdown_address(address_of(d)));
  row("Version", markdown_line(d.version));
  row("Published", p.published);
  row("Computed", markdown_line(fmt::format("{}, by {}", p.created, p.source)));
  row("Licence", license_text(d));
  row("Keywords", markdown_line(join(d.keywords, ", ")));
  row("Funding", funding_text(d));
  row("Related works", related_text(d));
  row("Method", markdown_line(p.references));
  row("Contact", contact_text(d));
  row("Configurations", with_thousands(p.points));
  row("Rows", with_thousands(p.rows));
  row("Outcomes", outcomes_text(p));
  row("Identity", "`" + p.identity + "`");
  row("Seal", p.had_seal ? "" : markdown_line(no_seal_words));
  return text;
}

std::string answers(const Publication& p) {
  std::string text;
  if (!p.verdict.empty()) {
    text += "\n## What it answers\n\n" + markdown_block(p.verdict);
  }
  if (!p.findings.empty()) {
    text += "\n";
    for (const std::string& finding : p.findings) {
      text += fmt::format("- {}\n", markdown_line(finding));
    }
  }
  for (const PublishedFile& file : p.files) {
    if (file.media_type == "image/png") {
      text += fmt::format("\n![{}]({})\n", markdown_line(file.description), file.name);
    }
  }
  return text;
}

// Values of a CSV file are as they are; what a spreadsheet makes of them is said.
std::string csv_text(const Publication& p) {
  const bool has_csv = std::any_of(p.files.begin(), p.files.end(), [](const PublishedFile& file) {
    return file.media_type == "text/csv";
  });
  if (!has_csv) {
    return "";
  }
  return p.is_for_spreadsheets ? "\nIn the CSV file a name that begins with one of `= + - @` has "
                                 "an apostrophe before "
                                 "it, since\na spreadsheet would compute it.\n"
                               : "\nNames are in the CSV file as they are: a spreadsheet may take "
                                 "one that begins with "
                                 "one of `= + - @`\nfor a formula. Import such columns as text, or "
                                 "write the file anew: "
                                 "`scalesweep query --format csv --spreadsheet`.\n";
}

std::string files_text(const Publication& p) {
  std::string text = "\n## Files\n\n| file | bytes | what it is |\n|---|---|---|\n";
  for (const PublishedFile& file : p.files) {
    text += fmt::format("| `{}` | {} | {} |\n", file.name, with_thousands(file.bytes),
                        markdown_line(file.description));
  }
  return text + csv_text(p) +
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
    text += fmt::format("| `{}` | {} | {} |\n", column.name, markdown_line(column.units),
                        markdown_line(column.description));
  }
  return text;
}

}  // namespace

std::string card(const Publication& p) {
  const std::string license =
      p.dataset.license.empty() ? "None is stated: without one the data may not be used by others."
                                : fmt::format("The data are under {}.", license_text(p.dataset));
  return fmt::format("# {}\n\n{}\n\n{}", markdown_line(p.title), markdown_text(description_of(p)),
                     facts(p)) +
         answers(p) + opening(p) + columns_text(p) + files_text(p) +
         fmt::format("\n## Licence\n\n{}\n\n## Citation\n\n{}\n", license,
                     markdown_line(citation_of(p)));
}

}  // namespace scalesweep::publish
