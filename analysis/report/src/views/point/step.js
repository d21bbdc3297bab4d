// How a training step runs: what each stage of the pipeline does when, and what its devices hold
// meanwhile.
import {words} from '../../data.js';
import {clear, h, section, select} from '../../dom.js';
import {plain, quantity} from '../../numbers.js';
import {inkOn, memoryColour, phaseColour} from '../../palette.js';

import {pointLink} from './links.js';
// clang-format off
import {
  bandsOf, levelsIn, panesOf, partsByPhase, passAt, passesOf, peakBytes, placeIn, timeAt,
} from './step_picture.js';
// clang-format on

const LEFT = 76, RIGHT = 14, GAP = 34;  // pixels
const LANE = 24, LEAST_LANE = 9, MOST_LANES_HEIGHT = 520;
const MEMORY_HEIGHT = 104;
const ROOM_FOR_NUMBER = 15;  // pixels that the number of a micro-batch takes
const PASSES = {
  F: 'forward pass',
  B: 'backward pass',
  W: 'gradients of weights'
};
const BANDS = {
  weights: 'weights',
  gradients: 'gradients',
  optimizer: 'optimizer states',
  beside: 'layer in work, logits, framework',
  activations: 'activations of micro-batches'
};

function svg(tag, attributes = {}, ...children) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes))
    element.setAttribute(name, value);
  element.append(...children.flat(Infinity));
  return element;
}

function text(x, y, anchor, what, attributes = {}) {
  return svg(
      'text', {x: x.toFixed(1), y: y.toFixed(1), 'text-anchor': anchor, ...attributes}, what);
}

function rectPath(x, y, width, height) {
  return `M${x.toFixed(2)} ${y.toFixed(1)}h${width.toFixed(2)}v${height.toFixed(1)}h${
      (-width).toFixed(2)}z`;
}

/** One path a phase: a picture of thousands of passes stays a few elements. */
function lane(picture, panes, stage, y, height) {
  const parts = partsByPhase(picture, stage);
  const across = (begin, end) =>
      panes.filter((pane) => begin < pane.end && end > pane.begin)
          .map((pane) => [LEFT + placeIn(pane, begin), LEFT + placeIn(pane, end)]);
  const back = panes.map(
      (pane) => svg('rect', {class: 'idle', x: LEFT + pane.left, y, width: pane.width, height}));
  const drawn = parts.map((some, phase) => {
    const path = some.flatMap(([begin, end]) => across(begin, end))
                     .map(([from, to]) => rectPath(from, y, Math.max(to - from, 0.3), height))
                     .join('');
    return svg('path', {d: path, fill: phaseColour(picture.phases[phase])});
  });
  const numbers = height < 14 ? [] : passesOf(picture, stage).flatMap((pass) => {
    const phase =
        picture.phases[pass.parts.reduce((a, b) => (b[2] - b[1] > a[2] - a[1] ? b : a))[0]];
    return across(pass.begin, pass.end)
        .filter(([from, to]) => to - from >= ROOM_FOR_NUMBER)
        .map(
            ([from, to]) => text(
                (from + to) / 2, y + height / 2 + 3.5, 'middle', String(pass.microBatch),
                {class: 'micro-batch', fill: inkOn(phaseColour(phase))}));
  });
  return [
    ...back, ...drawn, ...numbers,
    text(LEFT - 8, y + height / 2 + 4, 'end', height < 14 ? String(stage) : `stage ${stage}`)
  ];
}

function timeTicks(picture, panes, y) {
  return panes.flatMap((pane, i) => {
    const count = pane.width > 420 ? 4 : pane.width > 200 ? 2 : 1;
    return Array
        .from(
            {length: count + 1},
            (_, tick) => {
              const time = pane.begin + (pane.end - pane.begin) * tick / count;
              const anchor = tick === 0 && i === 0 ? 'start' : tick === count ? 'end' : 'middle';
              const skipped = tick === 0 && i > 0;  // would run into the end of the pane before
              return skipped ? [] : [text(
                                        LEFT + placeIn(pane, time), y, anchor,
                                        quantity(time / picture.units * picture.end_s, 's', 3))];
            })
        .flat();
  });
}

/** Stacked from the bottom: what stays as bands, what comes and goes as steps. */
function memoryPanel(memory, panes, y, most) {
  const up = (bytes) => MEMORY_HEIGHT * bytes / most;
  const drawn = [];
  const fixed = bandsOf(memory).slice(0, -1);
  const states = fixed.reduce((sum, [, bytes]) => sum + bytes, 0);
  for (const pane of panes) {
    let floor = y + MEMORY_HEIGHT;
    for (const [name, bytes] of fixed) {
      floor -= up(bytes);
      drawn.push(svg(
          'path',
          {d: rectPath(LEFT + pane.left, floor, pane.width, up(bytes)), fill: memoryColour(name)}));
    }
    const steps = levelsIn(memory, pane)
                      .map(
                          ([begin, end, held]) => rectPath(
                              LEFT + placeIn(pane, begin), floor - up(held * memory.kept),
                              placeIn(pane, end) - placeIn(pane, begin), up(held * memory.kept)))
                      .join('');
    drawn.push(svg('path', {d: steps, fill: memoryColour('activations')}));
    drawn.push(svg('line', {
      class: 'rule',
      x1: LEFT + pane.left,
      x2: LEFT + pane.left + pane.width,
      y1: y + MEMORY_HEIGHT,
      y2: y + MEMORY_HEIGHT
    }));
  }
  const peak = peakBytes(memory);
  const right = LEFT + panes[panes.length - 1].left + panes[panes.length - 1].width;
  return [
    ...drawn, text(LEFT - 8, y + MEMORY_HEIGHT - up(peak) + 9, 'end', quantity(peak, 'B', 3)),
    text(LEFT - 8, y + MEMORY_HEIGHT, 'end', '0'),
    text(
        0, y - 7, 'start',
        `Stage ${memory.stage}: ${quantity(states, 'B', 3)} stay, up to ${
            quantity(memory.peak * memory.kept, 'B', 3)} of ${plain(memory.peak, 3)} ` +
            `micro-batch${memory.peak === 1 ? '' : 'es'}`),
    svg('line', {
      class: 'peak',
      x1: LEFT,
      x2: right,
      y1: y + MEMORY_HEIGHT - up(peak),
      y2: y + MEMORY_HEIGHT - up(peak)
    })
  ];
}

function gaps(picture, panes, top, bottom) {
  return panes.slice(1).map((pane) => {
    const x = LEFT + pane.left - GAP / 2;
    return [
      svg('line', {class: 'cut', x1: x, x2: x, y1: top, y2: bottom}),
      text(x, top - 5, 'middle', '\u2026')
    ];
  });
}

function laneHeight(stages) {
  return Math.max(LEAST_LANE, Math.min(LANE, Math.floor(MOST_LANES_HEIGHT / stages) - 3));
}

function drawing(picture, width) {
  const panes = panesOf(picture.windows, width - LEFT - RIGHT, GAP);
  const height = laneHeight(picture.stages.length), step = height + (height < 14 ? 1 : 4);
  const top = 16;
  const below = top + picture.stages.length * step;
  const most = Math.max(...picture.memory.map(peakBytes)) * 1.04;
  const panelTop = (i) => below + 48 + i * (MEMORY_HEIGHT + 32);
  const bottom = panelTop(picture.memory.length) - 28;
  const root = svg('svg', {width, height: bottom, viewBox: `0 0 ${width} ${bottom}`});
  root.append(
      ...picture.stages.flatMap(
          (_, stage) => lane(picture, panes, stage, top + stage * step, height)),
      ...timeTicks(picture, panes, below + 13),
      ...picture.memory.flatMap((memory, i) => memoryPanel(memory, panes, panelTop(i), most)),
      ...gaps(picture, panes, top, bottom - 8).flat());
  return {root, panes, stageAt: (y) => Math.floor((y - top) / step)};
}

/** What runs where the pointer is, as a sentence; "" where nothing is. */
function hoverText(picture, {panes, stageAt}, x, y) {
  const stage = stageAt(y), time = timeAt(panes, x - LEFT);
  if (time === null || stage < 0 || stage >= picture.stages.length)
    return '';
  const seconds = (units) => quantity(units / picture.units * picture.end_s, 's');
  const pass = passAt(picture, stage, time);
  if (!pass)
    return `Stage ${stage} at ${seconds(time)}`;
  const chunk = pass.chunk === null ? '' : `, chunk ${pass.chunk}`;
  const parts = pass.parts.map(
      ([phase, begin, end]) => `${words(picture.phases[phase])} ${seconds(end - begin)}`);
  return `Stage ${stage}: ${PASSES[pass.kind]} of micro-batch ${pass.microBatch}${chunk}, ${
      parts.join(', ')}`;
}

function legend(items) {
  return h(
      'ul', {class: 'legend'},
      items.map(([colour, name]) => h('li', {}, h('i', {style: {background: colour}}), name)));
}

/** The picture of one point, drawn again where its width changes; `describe` for who cannot see. */
export function stepPicture(picture) {
  if (picture.problem)
    return h('p', {class: 'absent'}, `Not drawn: ${picture.problem}.`);
  const many = picture.stages.length;
  const canvas = h('div', {
    class: 'step-picture',
    role: 'img',
    'aria-label': `Passes of ${many} stage${many === 1 ? '' : 's'} over a step of ${
        quantity(picture.end_s, 's')}, and the memory of a device: ${
        picture.memory.map((m) => `stage ${m.stage} at most ${quantity(peakBytes(m), 'B', 3)}`)
            .join(', ')}`
  });
  const told = h('p', {class: 'status step-told', 'aria-live': 'polite'}, '\u00a0');
  let drawn = null, width = 0;
  canvas.addEventListener('pointermove', (event) => {
    const box = canvas.getBoundingClientRect();
    const said =
        drawn && hoverText(picture, drawn, event.clientX - box.left, event.clientY - box.top);
    told.textContent = said || '\u00a0';
  });
  new ResizeObserver(() => {
    if (canvas.clientWidth === width || canvas.clientWidth === 0)
      return;
    width = canvas.clientWidth;
    drawn = drawing(picture, width);
    canvas.replaceChildren(drawn.root);
  }).observe(canvas);
  const used = picture.phases.map((name) => [phaseColour(name), words(name)]);
  return h(
      'div', {}, legend([...used, ['var(--line)', 'waiting (the bubble)']]), canvas, told,
      legend(Object.entries(BANDS).map(([name, what]) => [memoryColour(name), what])),
      picture.windows.length > 1 ?
          h('p', {class: 'status'},
            'The first and the last passes are drawn; those between repeat them.') :
          null,
      picture.notes.map(
          (note) => h('p', {class: 'status'}, `${note.charAt(0).toUpperCase()}${note.slice(1)}.`)));
}

/** The best points of questions of which there is a picture: [id, words]. */
function choices(report) {
  const found = new Map();
  for (const {question, choice, points} of report.verdict.answers) {
    for (const {what, id, words: layout} of points ?? []) {
      const name = [question || choice, layout, what === 'best' ? '(very best)' : ''];
      if (what !== 'next' && report.explanations.picture(id) && !found.has(id))
        found.set(id, name.filter((part) => part).join(' '));
    }
  }
  return [...found];
}

export function stepView(report) {
  const points = choices(report);
  if (!points.length)
    return null;
  const place = h('div');
  const link = h('p');
  const show = (id) => {
    clear(place, stepPicture(report.explanations.picture(id)));
    clear(link, 'Every term of it: ', pointLink(id, `point ${id}`), '.');
  };
  const [[first, name]] = points;
  show(first);
  const element = section(
      'step', 'How a step runs',
      h('p', {},
        'What every stage of the pipeline does when, of the layout that is the answer, and what ' +
            'one device of a stage holds meanwhile: activations of a micro-batch come with its ' +
            'forward pass and go with its backward pass. Point at a pass to read what it is.'),
      points.length > 1 ? h('div', {class: 'controls'}, select('Of', points, first, show)) :
                          h('p', {class: 'status'}, name),
      place, link);
  return {element, update: () => {}};
}
