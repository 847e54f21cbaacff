// The drawing: places come from the program; here they become SVG, and move and grow with pointer and keys.

import { state, on, emit, ask, value, say } from './state.js';
import { make, find, fill, cut, looks, many } from './dom.js';

const canvas = find('canvas');
const world = make('g');
const edgeLayer = make('g', { 'aria-hidden': 'true' });
const nodeLayer = make('g');
let scale = 1, left = 0, top = 0, isFitted = true;
const nodes = new Map();      // id -> { element, box, rect, val }
const groupOf = new Map();    // id of a node -> id of the folded box that has it
let edges = [];               // { element, edge }
let asked = 0;

canvas.append(
  make('defs', {},
    make('marker', { id: 'head', viewBox: '0 0 8 8', refX: 7.5, refY: 4, markerUnits: 'userSpaceOnUse', markerWidth: 9, markerHeight: 9, orient: 'auto-start-reverse' },
      make('path', { d: 'M0 0.6 L8 4 L0 7.4 Z' }))),
  world);
world.append(edgeLayer, nodeLayer);

// MARK: asking

let isAsking = false, askAgain = false, lastAsked = 0;

/// Asks for the picture, one question at a time, and not more often than four times a second.
export async function refresh(options = {}) {
  if (isAsking) { askAgain = options; return; }
  isAsking = true;
  const wait = lastAsked + 250 - performance.now();
  if (wait > 0 && !options.now) await new Promise((done) => setTimeout(done, wait));
  lastAsked = performance.now();
  asked += 1;
  try {
    const view = state.view;
    state.picture = await ask('graph', {
      group: view.group, fold: view.fold, toggled: [...view.toggled].join('\u001f'), focus: view.focus,
      direction: view.direction, depth: view.depth, target: view.target, at: state.moment, anew: options.anew ? 1 : null,
    });
    draw();
  } catch (error) {
    if (state.connection !== 'lost') say(error.message);
  } finally {
    isAsking = false;
    if (askAgain) { const next = askAgain; askAgain = false; refresh(next); }
  }
}

// MARK: drawing

function draw() {
  const picture = state.picture;
  find('empty').hidden = picture.nodes.length > 0;
  const gone = new Set(nodes.keys());
  groupOf.clear();
  for (const box of picture.nodes) {
    gone.delete(box.id);
    const known = nodes.get(box.id);
    if (known && known.box.label === box.label && known.box.w === box.w && known.box.hidden === box.hidden
      && known.box.listeners === box.listeners && known.box.members?.length === box.members?.length) {
      known.box = box;
      place(known);
    } else {
      const made = makeNode(box);
      if (known) known.element.replaceWith(made.element); else nodeLayer.append(made.element);
      nodes.set(box.id, made);
    }
    for (const member of box.members ?? []) groupOf.set(member, box.id);
  }
  for (const id of gone) { nodes.get(id).element.remove(); nodes.delete(id); }
  order();
  drawEdges();
  drawGroups();
  state.drawn += 1;
  showValues();
  mark();
  if (isFitted) fit(); else move();
  emit('drawn');
}

/// In the order of the drawing, for those who read it one by one.
function order() {
  const sorted = [...nodes.values()].sort((a, b) => a.box.x - b.box.x || a.box.y - b.box.y);
  let before = null;
  for (const { element } of sorted) {
    const expected = before ? before.nextSibling : nodeLayer.firstChild;
    if (expected !== element) nodeLayer.insertBefore(element, expected);
    before = element;
  }
}

function place({ element, box }) {
  element.setAttribute('transform', `translate(${box.x - box.w / 2} ${box.y - box.h / 2})`);
}

function makeNode(box) {
  const isGroup = box.id.startsWith('g:');
  const val = make('text', { class: 'val', x: 9, y: 28 });
  const rect = make('rect', { width: box.w, height: box.h });
  const element = make('g', {
    class: `node${isGroup ? ' group' : ''}${box.isMutable ? ' source' : ''}`, 'data-id': box.id, role: 'button', tabindex: '-1',
    onclick: () => isGroup ? toggleGroup(box.group) : emit('select', box.id),
    ondblclick: () => { if (!isGroup) emit('focus', { id: box.id, direction: 'both' }); },
    // By keyboard: a pointer clicks, and what is under it must not move before it does.
    onfocus: () => { if (element.matches(':focus-visible') && state.selected !== box.id && !isGroup) emit('select', box.id); },
  },
  rect,
  make('text', { class: 'label', x: 9, y: 14 }, cut(box.label, Math.max(6, Math.floor((box.w - 18) / 6.5)))),
  val,
  box.listeners ? make('circle', { class: 'ear', cx: box.w, cy: box.h / 2, r: 3.5 }) : null,
  box.hidden ? make('text', { class: 'more', x: box.w + 6, y: box.h - 2 }, `+${box.hidden}`) : null);
  const made = { element, box, rect, val, shown: null };
  place(made);
  if (isGroup) val.textContent = many(box.members.length, 'node');
  return made;
}

/// From layer to layer with level ends; past a layer straight.
function path(edge) {
  const p = edge.points;
  const bow = edge.isBackEdge && p.length === 4 ? 16 : 0;
  let d = `M${p[0]} ${p[1]}`;
  for (let i = 0; i + 3 < p.length; i += 4) {
    const middle = (p[i] + p[i + 2]) / 2;
    d += `C${middle} ${p[i + 1] + bow} ${middle} ${p[i + 3] + bow} ${p[i + 2]} ${p[i + 3]}`;
    if (i + 5 < p.length) d += `L${p[i + 4]} ${p[i + 5]}`;
  }
  return d;
}

function drawEdges() {
  edges = state.picture.edges.map((edge) => {
    const classes = ['edge', edge.isBackEdge && 'back', edge.isSync && 'sync', edge.isDeferred && 'later'].filter(Boolean);
    const line = make('path', { d: path(edge) });
    if (edge.isSync || edge.isReversed) line.setAttribute('marker-start', 'url(#head)');
    if (edge.isSync || !edge.isReversed) line.setAttribute('marker-end', 'url(#head)');
    const words = [edge.operations.join(', '), edge.isBackEdge && 'leads back', edge.isSync && 'both ways', edge.isDeferred && 'arrives later'];
    const element = make('g', { class: classes.join(' ') }, make('title', {}, words.filter(Boolean).join(' · ')), line);
    return { element, edge };
  });
  fill(edgeLayer, ...edges.map((one) => one.element));
}

const byNumber = new Intl.Collator('en', { numeric: true });
const mostGroups = 200;

function drawGroups() {
  const groups = state.picture.groups.filter((group) => group.key && group.count > 1).sort((a, b) => byNumber.compare(a.key, b.key));
  fill(find('groups'), ...groups.slice(0, mostGroups).map((group) => make('button', {
    'aria-expanded': String(!group.isFolded), 'data-group': group.key, onclick: () => toggleGroup(group.key),
    title: group.isFolded ? 'Unfold' : 'Fold',
  }, `${group.isFolded ? '▸' : '▾'} ${cut(group.key.split('/').pop(), 28)} ${group.count}`)),
  groups.length > mostGroups ? make('span', { class: 'quiet' }, `${many(groups.length - mostGroups, 'group')} more`) : null);
}

export function toggleGroup(key) {
  const toggled = state.view.toggled;
  if (toggled.has(key)) toggled.delete(key); else toggled.add(key);
  isFitted = true;
  refresh({ now: true });
}

// MARK: values and marks

/// Writes the values that changed; those that are new now flash.
export function showValues(changed = null) {
  const ids = changed ?? nodes.keys();
  for (const id of ids) {
    const node = nodes.get(String(id));
    if (!node || node.box.members) continue;
    const { text, kind } = looks(value(id));
    const shown = `${kind} ${text}`;
    if (node.shown === shown) continue;
    const isFirst = node.shown === null;
    node.shown = shown;
    node.val.textContent = cut(kind === 'empty' ? '∅ empty' : kind === 'event' ? `⚡ ${text}` : text, Math.floor((node.box.w - 16) / 6.7));
    node.val.setAttribute('class', `val ${kind}`);
    const box = node.box;
    node.element.setAttribute('aria-label',
      `${box.label}, ${box.operation}, ${kind === 'held' ? `value ${text}` : kind === 'event' ? `event ${text}` : kind}`
      + (box.isMutable ? ', can be set' : '') + (box.listeners ? `, ${many(box.listeners, 'listener')}` : ''));
    if (!isFirst && changed && !state.then) flash(node.element);
  }
}

let flashes = 0;
function flash(element) {
  if (flashes > 60 || element.classList.contains('flash')) return;
  flashes += 1;
  element.classList.add('flash');
  setTimeout(() => { element.classList.remove('flash'); flashes -= 1; }, 900);
}

/// The box that shows a node: itself, or the folded group that has it.
const boxOf = (id) => nodes.has(String(id)) ? String(id) : groupOf.get(String(id));

/// Selection, and what the chosen wave did.
export function mark() {
  const hit = new Set(), stopped = new Set(), hitEdges = new Set(), stoppedEdges = new Set();
  for (const { event } of state.wave?.events ?? []) {
    if (event.sequence > state.moment && !state.isPlaying) break;
    if (state.isPlaying && event.sequence > state.moment) break;
    if (event.kind === 'stored' || event.kind === 'told') hit.add(boxOf(event.node));
    if (event.kind === 'stopped') { stopped.add(boxOf(event.node)); if (event.edge) stoppedEdges.add(event.edge); }
    else if (event.edge) hitEdges.add(event.edge);
  }
  for (const [id, { element }] of nodes) {
    element.classList.toggle('selected', id === state.selected);
    element.classList.toggle('hit', hit.has(id));
    element.classList.toggle('stopped', stopped.has(id));
    element.classList.toggle('pinned', state.pinned.includes(id));
    element.setAttribute('tabindex', id === state.selected ? '0' : '-1');
  }
  for (const { element, edge } of edges) {
    const isNear = edge.from === state.selected || edge.to === state.selected;
    element.classList.toggle('near', isNear);
    element.classList.toggle('hit', edge.ids.some((id) => hitEdges.has(id)));
    element.classList.toggle('stopped', edge.ids.some((id) => stoppedEdges.has(id)));
    const label = element.querySelector('text');
    if (isNear && !label) {
      const p = edge.points, last = p.length - 4;
      const [x, y] = edge.from === state.selected ? [(p[0] + p[2]) / 2, (p[1] + p[3]) / 2] : [(p[last] + p[last + 2]) / 2, (p[last + 1] + p[last + 3]) / 2];
      element.append(make('text', { x, y: y - 4, 'text-anchor': 'middle' }, cut(edge.operations.join(', '), 22)));
    } else if (!isNear && label) label.remove();
  }
}

// MARK: moving

function move() {
  world.setAttribute('transform', `translate(${left} ${top}) scale(${scale})`);
}

export function fit() {
  isFitted = true;
  const { width, height } = canvas.getBoundingClientRect();
  const picture = state.picture;
  if (!picture || !width || !picture.nodes.length) return;
  scale = Math.min(1.4, (width - 60) / picture.width, (height - 120) / picture.height);
  scale = Math.max(scale, 0.02);
  left = (width - picture.width * scale) / 2;
  top = (height - picture.height * scale) / 2 + 14;
  move();
}

export function zoom(factor, x = canvas.clientWidth / 2, y = canvas.clientHeight / 2) {
  isFitted = false;
  const next = Math.min(4, Math.max(0.02, scale * factor));
  left = x - (x - left) * next / scale;
  top = y - (y - top) * next / scale;
  scale = next;
  move();
}

/// Brings a node into sight, large enough to be read.
export function reveal(id) {
  const node = nodes.get(boxOf(id) ?? '');
  if (!node) return false;
  const { width, height } = canvas.getBoundingClientRect();
  if (scale < 0.55) { scale = 0.9; isFitted = false; left = width / 2 - node.box.x * scale; top = height / 2 - node.box.y * scale; }
  const x = left + node.box.x * scale, y = top + node.box.y * scale;
  const margin = 90;
  if (x < margin || x > width - margin) { left += width / 2 - x; isFitted = false; }
  if (y < margin || y > height - margin) { top += height / 2 - y; isFitted = false; }
  move();
  return true;
}

export const isDrawn = (id) => nodes.has(String(id));
export const focusElement = (id) => nodes.get(String(id))?.element.focus();

let drag = null;
canvas.addEventListener('pointerdown', (event) => {
  if (event.target.closest('.node')) return;
  drag = { x: event.clientX - left, y: event.clientY - top };
  canvas.setPointerCapture(event.pointerId);
  canvas.classList.add('dragged');
});
canvas.addEventListener('pointermove', (event) => {
  if (!drag) return;
  isFitted = false;
  left = event.clientX - drag.x;
  top = event.clientY - drag.y;
  move();
});
for (const end of ['pointerup', 'pointercancel']) {
  canvas.addEventListener(end, () => { drag = null; canvas.classList.remove('dragged'); });
}
canvas.addEventListener('wheel', (event) => {
  event.preventDefault();
  const box = canvas.getBoundingClientRect();
  if (event.ctrlKey || !event.shiftKey) zoom(Math.exp(-event.deltaY * 0.0016), event.clientX - box.left, event.clientY - box.top);
  else { left -= event.deltaY; isFitted = false; move(); }
}, { passive: false });
new ResizeObserver(() => { if (isFitted) fit(); }).observe(canvas);

// MARK: keys

/// The next node from the selected one: along an edge, or up and down in its layer.
export function step(direction) {
  const from = nodes.get(state.selected ?? '');
  const all = [...nodes.values()];
  if (!from) { if (all.length) choose(all.sort((a, b) => a.box.x - b.box.x || a.box.y - b.box.y)[0]); return; }
  const near = (list) => list.sort((a, b) => Math.abs(a.box.y - from.box.y) - Math.abs(b.box.y - from.box.y))[0];
  const ends = (take, give) => edges.filter(({ edge }) => edge[take] === state.selected).map(({ edge }) => nodes.get(edge[give])).filter(Boolean);
  let next = null;
  if (direction === 'right') next = near(ends('from', 'to'));
  if (direction === 'left') next = near(ends('to', 'from'));
  if (direction === 'down') next = all.filter((one) => Math.abs(one.box.x - from.box.x) < 5 && one.box.y > from.box.y).sort((a, b) => a.box.y - b.box.y)[0];
  if (direction === 'up') next = all.filter((one) => Math.abs(one.box.x - from.box.x) < 5 && one.box.y < from.box.y).sort((a, b) => b.box.y - a.box.y)[0];
  if (next) choose(next);
}

function choose({ box, element }) {
  if (box.members) { state.selected = box.id; mark(); } else emit('select', box.id);
  reveal(box.id);
  element.focus({ preventScroll: true });
}

/// The present view as a file of its own: with the colours it has.
export function svgFile() {
  const picture = state.picture;
  const copy = canvas.cloneNode(true);
  copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  copy.setAttribute('viewBox', `-20 -20 ${picture.width + 40} ${picture.height + 40}`);
  copy.setAttribute('width', picture.width + 40);
  copy.setAttribute('height', picture.height + 40);
  copy.querySelectorAll('g')[0]?.removeAttribute('transform');
  const originals = canvas.querySelectorAll('rect, path, text, circle'), copies = copy.querySelectorAll('rect, path, text, circle');
  copies.forEach((element, index) => {
    const style = getComputedStyle(originals[index]);
    for (const name of ['fill', 'stroke', 'stroke-width', 'stroke-dasharray', 'font-size', 'font-family', 'font-style', 'font-weight', 'rx']) {
      const own = style.getPropertyValue(name);
      if (own && own !== 'none' && own !== 'auto' || name === 'fill') element.setAttribute(name, own);
    }
  });
  return new XMLSerializer().serializeToString(copy);
}

on('select', () => { mark(); });
on('moment', () => { showValues(); mark(); });
