// The spec, where the values come from, and how to make all of it again.
import {copyButton, h, section} from '../dom.js';
import {plain} from '../numbers.js';

function described(pairs) {
  return h(
      'dl', {},
      pairs.filter(([, value]) => value !== '' && value !== undefined)
          .map(([name, value]) => [h('dt', {}, name), h('dd', {}, value)]));
}

function ranksText(ranks) {
  return ranks ? `on ${ranks} rank${Number(ranks) === 1 ? '' : 's'}` : '';
}

function folded(title, text, what) {
  return text ? h('details', {}, h('summary', {}, title), copyButton(() => text, what),
                  h('pre', {tabindex: 0}, text)) :
                null;
}

export function sourceView(report) {
  const {study, provenance, commands} = report;
  const trimmed = [...report.tables.values()].filter((table) => table.isTrimmed);
  const element = section(
      'source', 'Spec, provenance, and how to make it again', h('h3', {}, 'To make it again'),
      h('pre', {class: 'commands', tabindex: 0}, commands.join('\n')),
      copyButton(() => commands.join('\n'), 'the commands'),
      h('p', {},
        'With the same version the study has the same identity, and the same study file gives ' +
            'this report byte by byte.'),
      described([
        ['Study file', study.file], ['SHA-256 of the file', h('code', {}, study.sha256)],
        ['Identity of the study', h('code', {}, study.identity)], ['Report by', report.program],
        ['Estimated by', provenance.version ?? ''],
        ['Estimator sources', provenance.estimator ? h('code', {}, provenance.estimator) : ''],
        [
          'Computed',
          [provenance.started, ranksText(provenance.ranks)].filter((text) => text).join(', ')
        ],
        ['Points', plain(study.points)], ['Rows kept in the file', plain(study.rows)]
      ]),
      trimmed.length ?
          h('p', {},
            `To stay small, this page shortens ${
                trimmed
                    .map(
                        (table) =>
                            `${table.name} (${plain(table.rows)} of ${plain(table.allRows)} rows)`)
                    .join(', ')}; ` +
                'the tables of \'scalesweep analyze\' have everything.') :
          null,
      folded(
          `The spec${provenance.spec_file ? ` (${provenance.spec_file})` : ''}`, report.spec,
          'the spec'),
      folded('The catalog entries that were used', provenance.catalog ?? '', 'the entries'));
  return {element, update: () => {}};
}
