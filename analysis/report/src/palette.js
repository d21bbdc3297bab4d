// Okabe and Ito, "Color Universal Design": told apart with any colour vision. Compute is blue,
// memory warm, network green and purple, as in the figures for papers.

const RESOURCE_COLOURS = {
  tensor_compute: '#0072B2',
  vector_compute: '#56B4E9',
  dram: '#D55E00',
  l2: '#E69F00',
  shared_memory: '#F0E442',
  scale_up: '#009E73',
  scale_out: '#CC79A7',
  latency: '#999999',
  host: '#6b5b4b',
  storage: '#332288',
  compute: '#0072B2',
  memory: '#D55E00',
  network: '#009E73',
};
const PHASE_COLOURS = {
  forward: '#0072B2',
  backward: '#56B4E9',
  recompute: '#F0E442',
  tensor_communication: '#009E73',
  context_communication: '#66c2a5',
  expert_communication: '#CC79A7',
  pipeline_communication: '#E69F00',
  data_communication: '#D55E00',
  offload: '#6b5b4b',
  optimizer: '#8c564b',
};
const MEMORY_COLOURS = {
  weights: '#0072B2',
  gradients: '#009E73',
  optimizer: '#CC79A7',
  beside: '#999999',
  activations: '#E69F00',
};
const STATUS_COLOURS =
    ['#D55E00', '#CC79A7', '#E69F00', '#56B4E9', '#F0E442', '#999999', '#6b5b4b'];
const OTHERS =
    ['#0072B2', '#D55E00', '#009E73', '#CC79A7', '#E69F00', '#56B4E9', '#F0E442', '#999999'];
// Nine steps of viridis, which is even in lightness and safe as well.
const VIRIDIS = [
  '#440154', '#472d7b', '#3b528b', '#2c728e', '#21918c', '#28ae80', '#5ec962', '#addc30', '#fde725'
];

export function resourceColour(name) { return RESOURCE_COLOURS[name] ?? '#6b5b4b'; }

export function phaseColour(name) { return PHASE_COLOURS[name] ?? '#999999'; }

export function memoryColour(name) { return MEMORY_COLOURS[name] ?? '#999999'; }

export function statusColour(index) { return STATUS_COLOURS[index % STATUS_COLOURS.length]; }

export function otherColour(index) { return OTHERS[index % OTHERS.length]; }

function mixed(from, to, part) {
  const channel = (text, at) => parseInt(text.slice(at, at + 2), 16);
  const parts =
      [1, 3, 5].map((at) => Math.round(channel(from, at) * (1 - part) + channel(to, at) * part));
  return `#${parts.map((value) => value.toString(16).padStart(2, '0')).join('')}`;
}

/** A place from 0 to 1 on the ordered scale. */
export function ordered(place) {
  const at = Math.min(Math.max(place, 0), 1) * (VIRIDIS.length - 1);
  const low = Math.min(Math.floor(at), VIRIDIS.length - 2);
  return mixed(VIRIDIS[low], VIRIDIS[low + 1], at - low);
}

/** A share from 0 to 1 as a shade of one blue: nothing is the colour of the page. */
export function shade(share, isDark) {
  const [none, all] = isDark ? ['#1d232a', '#7cc0f2'] : ['#f0f4f8', '#084f8f'];
  return mixed(none, all, Math.min(Math.max(share, 0), 1));
}

/** Colours of the values of an axis, in order; light enough in the dark and dark enough else. */
export function orderedColours(length, isDark) {
  const [first, last] = isDark ? [0.25, 1.0] : [0.92, 0.05];
  return Array.from(
      {length}, (_, i) => ordered(first + (last - first) * (length > 1 ? i / (length - 1) : 0)));
}

/** White or black, whichever can be read on a colour (contrast after WCAG 2). */
export function inkOn(colour) {
  const linear = [1, 3, 5]
                     .map((at) => parseInt(colour.slice(at, at + 2), 16) / 255)
                     .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
  const luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
  return 1.05 / (luminance + 0.05) >= (luminance + 0.05) / 0.05 ? '#ffffff' : '#000000';
}
