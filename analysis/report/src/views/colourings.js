// By what members of a frontier are coloured, and what the legend calls it.
import {capital, listed, sortedGroups, valueText, words} from '../data.js';

/** Axes of which each combination of values has a frontier of its own. */
export function groupAxes(report) {
  const groups = report.tables.get('frontier_groups');
  return report.varying.filter(
      (name) => groups ? groups.has(name) : report.workloads.includes(name));
}

/**
 * By what members may be coloured: frontiers first where there are several, then axes. The place of
 * a row is that of a table, of the given one or another with the same axes.
 */
export function colourings(report, frontier) {
  const axes = report.varying.filter((name) => frontier.has(name));
  const differs = (name) => !frontier.column(name).isConstant;
  const groups = groupAxes(report).filter((name) => axes.includes(name) && differs(name));
  const ofAxis = (name) => ({
    name,
    words: capital(words(name)),
    labels: report.axes[name].labels,
    isOrdered: !groups.includes(name) &&
        (report.alongAxes.includes(name) || Boolean(report.axes[name].values)),
    place: (row, table = frontier) => table.value(name, row)
  });
  const sorted = [...groups, ...axes.filter((name) => !groups.includes(name) && differs(name))];
  const found = sorted.map(ofAxis);
  if (groups.length > 1)
    found.unshift(ofGroups(frontier, groups));
  if (found.length === 1)  // nothing to choose from says which axis the labels are of
    found[0].labels = found[0].labels.map((label) => valueText(found[0].name, label));
  return found;
}

function ofGroups(frontier, axes) {
  const groups = sortedGroups(frontier, axes, [...Array(frontier.rows).keys()]);
  const places = new Map(groups.map(({key}, place) => [key, place]));
  return {
    name: 'frontiers',
    words: capital(listed(axes.map(words))),
    labels: groups.map(({labels}) => labels.join(', ')),
    isOrdered: false,
    place: (row, table = frontier) => places.get(axes.map((n) => table.value(n, row)).join(','))
  };
}
