// The page: reads the data that stand in it, makes the sections, and keeps them in step.
import {chartNamed, FONT, updateCharts} from './charts.js';
import {Report, words} from './data.js';
import {choice, h} from './dom.js';
import {filterBar, Filters} from './filters.js';
import {bestOnPaper, watchPrinting} from './paper/print.js';
import {nameFiles, stemOf} from './paper/save.js';
import {bottleneckView} from './views/bottlenecks.js';
import {coverageView} from './views/coverage.js';
import {effectView} from './views/effects.js';
import {frontierView} from './views/frontier.js';
import {phaseView} from './views/phases.js';
import {pointPanel} from './views/point/panel.js';
import {stepView} from './views/point/step.js';
import {bestView, otherTablesView} from './views/points.js';
import {sensitivityView} from './views/sensitivity.js';
import {sourceView} from './views/source.js';
import {summaryView} from './views/summary.js';
import {transitionView} from './views/transitions.js';
import {verdictView} from './views/verdict.js';

/** Sections in order, and what to say where the analysis has nothing for one. */
const VIEWS = [
  [frontierView, 'Frontier', 'there is no frontier in this analysis'],
  [bottleneckView, 'Bottlenecks', 'no best point is there to say what limits it'],
  [stepView, 'Step', ''],
  [transitionView, 'Transitions', 'nothing changes along the axis'],
  [phaseView, 'Phase diagram', 'it needs two axes with more than one value'],
  [sensitivityView, 'What to improve', 'no best point is there to improve'],
  [
    effectView, 'What matters',
    'the analysis has no table of effects: all combinations of two axes must be there for it'
  ],
  [coverageView, 'Feasibility', 'no counts by combination are in this analysis'],
  [bestView, 'Best points', 'no feasible point is in this analysis'],
  [otherTablesView, 'Tables', ''],
  [sourceView, 'Source', ''],
];

function filterAxes(report) {
  return report.varying
      .filter(
          (name) => ['best', 'coverage', 'frontier'].some(
              (table) => report.tables.get(table)?.has(name)))
      .map((name) => ({name, labels: report.axes[name].labels}));
}

function themeChoice() {
  const root = document.documentElement;
  return choice(
      'Colours', [['auto', 'Auto'], ['light', 'Light'], ['dark', 'Dark']], 'auto', (value) => {
        if (value === 'auto')
          root.removeAttribute('data-theme');
        else
          root.setAttribute('data-theme', value);
        updateCharts();
      });
}

function heading(report, sections) {
  const title = report.study.title || report.study.file;
  return h(
      'header', {}, h('h1', {}, title),
      h('p', {class: 'byline'},
        `${report.study.file}, ${words(report.time)} along ` +
            `${report.alongAxes.map(words).join(' and ')}. Analysed by ${report.program}.`),
      h('nav', {'aria-label': 'Sections'},
        sections.map(({element, name}) => h('a', {href: `#${element.id}`}, name))));
}

function start() {
  const report = new Report(JSON.parse(document.getElementById('data').textContent));
  const filters = new Filters(filterAxes(report));
  const shown = () => (filters.isOpen ? '' : `; shown: ${filters.text()}`);
  nameFiles({
    stem: stemOf(report.study.file),
    caption: () => report.study.file + shown(),
    font: FONT,
  });
  const absent = [];
  const verdict = verdictView(report);
  const first = [
    ...(verdict ? [{name: 'Verdict', ...verdict}] : []), {name: 'Summary', ...summaryView(report)}
  ];
  const sections = [...first];
  for (const [make, name, reason] of VIEWS) {
    const view = make(report, filters);
    if (view)
      sections.push({name, ...view});
    else if (reason)
      absent.push(`${name}: ${reason}.`);
  }
  const paper = bestOnPaper(report, filters);
  const update = () => {
    for (const view of [...sections, paper])
      view.update();
  };
  filters.onChange(update);
  const best = report.table('best');
  const isEmpty = () => best !== null && filters.rows(best).length === 0;
  const others = sections.slice(first.length);
  const root = document.getElementById('report');
  root.append(
      heading(report, sections), themeChoice(),
      h('main', {}, first.map(({element}) => element),
        filters.axes.length ? filterBar(filters, isEmpty) : null,
        others.map(({element}) => element),
        absent.length ? h('section', {id: 'absent'}, h('h2', {}, 'Left out'),
                          h('ul', {}, absent.map((text) => h('li', {}, text)))) :
                        null,
        paper.element));
  const panel = pointPanel(report);
  root.append(panel.element);
  update();
  panel.follow();
  // Tables that are unfolded later have charts and sizes of their own.
  root.addEventListener('toggle', updateCharts, true);
  window.matchMedia('(prefers-color-scheme: dark)').addEventListener('change', updateCharts);
  watchPrinting(root, update);
  window.scalesweepReport = {report, filters, chartNamed};
}

start();
