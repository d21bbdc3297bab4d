// Where the parts of a training step are drawn: pictures as src/cli/report/step_picture.hpp has
// them, in whole numbers of time, in pixels.

/**
 * One pane a window of what is drawn, side by side on one scale with a gap where passes are left
 * out: {begin, end, left, width}.
 */
export function panesOf(windows, width, gap) {
  const drawn = windows.reduce((sum, [begin, end]) => sum + end - begin, 0);
  const scale = (width - gap * (windows.length - 1)) / drawn;
  let left = 0;
  return windows.map(([begin, end]) => {
    const pane = {begin, end, left, width: (end - begin) * scale};
    left += pane.width + gap;
    return pane;
  });
}

export function placeIn(pane, time) {
  const part = (time - pane.begin) / (pane.end - pane.begin);
  return pane.left + Math.min(Math.max(part, 0), 1) * pane.width;
}

/** The time at a place, or null in a gap. */
export function timeAt(panes, place) {
  const pane = panes.find(({left, width}) => place >= left && place <= left + width);
  return pane ? pane.begin + (pane.end - pane.begin) * (place - pane.left) / pane.width : null;
}

/** The passes of a stage in their order, with what they are made of: [phase, begin, end]. */
export function passesOf(picture, stage) {
  const {kinds, starts, micro_batches: micro, chunks, pieces} = picture.stages[stage];
  return starts.map((begin, i) => {
    let at = begin;
    const parts = pieces[kinds[i]].map(([phase, time]) => {
      const part = [phase, at, at + time];
      at += time;
      return part;
    });
    return {
      kind: kinds[i],
      microBatch: micro[i],
      chunk: chunks?.[i] ?? null,
      begin,
      end: at,
      parts
    };
  });
}

/** What comes once a step, as parts of passes. */
export function onceParts(picture) {
  return picture.once.map(([phase, begin, time]) => [phase, begin, begin + time]);
}

/** The parts of a stage by phase: [begin, end] each. */
export function partsByPhase(picture, stage) {
  const byPhase = picture.phases.map(() => []);
  const all = [...passesOf(picture, stage).flatMap(({parts}) => parts), ...onceParts(picture)];
  for (const [phase, begin, end] of all)
    byPhase[phase].push([begin, end]);
  return byPhase;
}

const FIXED = ['weights', 'gradients', 'optimizer', 'beside'];

/** What a device holds, from the bottom up: [name, bytes]; activations are those at the peak. */
export function bandsOf(memory) {
  const fixed = FIXED.map((name) => [name, memory[name]]);
  return [...fixed, ['activations', memory.peak * memory.kept]];
}

export function peakBytes(memory) {
  return bandsOf(memory).reduce((sum, [, bytes]) => sum + bytes, 0);
}

/** Micro-batches in flight within a pane: [begin, end, held], without gaps. */
export function levelsIn(memory, pane) {
  const {starts, held} = memory;
  const levels = [];
  for (const [i, start] of starts.entries()) {
    const begin = Math.max(start, pane.begin), end = Math.min(starts[i + 1] ?? pane.end, pane.end);
    if (begin < end)
      levels.push([begin, end, held[i]]);
  }
  return levels;
}

/** What runs on a stage at a time. */
export function passAt(picture, stage, time) {
  return passesOf(picture, stage).find(({begin, end}) => time >= begin && time < end) ?? null;
}
