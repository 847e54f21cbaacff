// Joins the parts: the stream of updates, the address, search, keys.

import { state, on, emit, say, ask, file, writeAddress, readAddress } from './state.js';
import { make, find, fill, cut, looks, many, time } from './dom.js';
import { refresh, showValues, fit, zoom, step, reveal, isDrawn, svgFile, mark } from './graph.js';
import { addWaves, showWaves, showWave, showNow, later, play, drawLanes } from './waves.js';
import { showTab, show } from './panels.js';

// MARK: following the program

let stream = null;

function connect() {
  stream?.close();
  stream = new EventSource('api/events');
  stream.addEventListener('hello', (event) => begin(JSON.parse(event.data)));
  stream.addEventListener('frame', (event) => take(JSON.parse(event.data)));
  stream.onerror = () => {
    if (state.hello?.isLive !== false) setConnection('lost');
    // A refusal ends a stream for good; whatever it was, the program may be started again.
    if (stream.readyState === EventSource.CLOSED) setTimeout(connect, 2000);
  };
}

function begin(hello) {
  const isOtherRun = state.hello?.run !== hello.run;
  const isOther = isOtherRun || state.hello.began !== hello.began;
  const wasKnown = state.hello !== null;
  state.hello = hello;
  document.title = `${hello.title} · EasyReact`;
  find('title').textContent = hello.title;
  setConnection(hello.isLive ? 'live' : 'saved');
  if (!isOther) return;
  if (wasKnown) say(isOtherRun ? 'The program was started again.' : 'The recorder was started again.');
  Object.assign(state, { now: new Map(), then: null, wave: null, moment: null, waves: [], frame: null, events: 0, notListed: 0, structure: null });
  if (wasKnown && isOtherRun) { Object.assign(state, { selected: null, pinned: [] }); Object.assign(state.view, { focus: null, target: null }); }
  if (!wasKnown) follow();
  showWaves();
  drawLanes();
  show();
}

let shownAt = 0;
function take(frame) {
  // The recorder was started again, and numbers its events anew.
  if (frame.began !== state.hello.began) begin({ ...state.hello, began: frame.began });
  state.frame = frame;
  state.events += frame.events;
  for (const [id, value] of Object.entries(frame.values)) state.now.set(id, value);
  addWaves(frame.waves, frame.wavesNotShown);
  if (!state.then) showValues(Object.keys(frame.values));
  if (state.structure !== frame.structure) {
    state.structure = frame.structure;
    if (state.moment === null) refresh();
  }
  showWaves();
  // The card follows, once a second.
  if (state.moment === null && state.tab === 'node' && state.selected in frame.values && performance.now() - shownAt > 1000
    && !find('panel').contains(document.activeElement)) {
    shownAt = performance.now();
    show();
  }
  if (state.pinned.some((id) => id in frame.values) && state.moment === null) drawLanes();
  showCounts();
}

function setConnection(connection) {
  state.connection = connection;
  showMode();
}

function showMode() {
  const mode = find('mode');
  const isPast = state.moment !== null;
  const [name, text] = isPast ? ['past', `Wave ${state.wave?.row.number ?? ''}, ${time(state.wave?.row.nanoseconds ?? 0)}`]
    : { wait: ['wait', 'Connecting'], live: ['live', 'Live'], saved: ['saved', 'Saved session'],
      lost: ['lost', 'The program has ended'] }[state.connection];
  mode.dataset.mode = name;
  mode.textContent = text;
  mode.title = state.connection === 'lost' ? 'What it told stays here. When it runs again at this address, the page follows it.' : '';
  find('live').hidden = !isPast;
}

function showCounts() {
  const frame = state.frame;
  if (!frame) return;
  const picture = state.picture;
  const parts = [many(frame.nodeCount, 'node'), many(frame.edgeCount, 'edge', 'edges and listeners'), many(state.events, 'event'),
    frame.dropped ? `${many(frame.dropped, 'event')} dropped by the recorder` : null,
    state.notListed ? `${many(state.notListed, 'wave')} not listed` : null,
    picture && picture.shownCount < picture.nodeCount ? `${picture.shownCount.toLocaleString('en')} of ${many(picture.nodeCount, 'node')} shown` : null];
  find('counts-line').textContent = parts.filter(Boolean).join(' · ');
}

// MARK: choosing

on('select', async (id) => {
  writeAddress();
  mark();
  if (!isDrawn(id)) {
    // In a folded group, or outside of the focus.
    const box = state.picture?.nodes.find((one) => one.members?.includes(id));
    if (box) { state.view.toggled.has(box.group) ? state.view.toggled.delete(box.group) : state.view.toggled.add(box.group); await refresh({ now: true }); }
    else if (state.view.focus) { unfocus(); await refresh({ now: true }); }
  }
  reveal(id);
});

on('focus', ({ id, direction }) => {
  Object.assign(state.view, { focus: id, direction, target: null });
  showFocus();
});

on('between', (id) => { state.view.target = id; showFocus(); });

on('pin', (id) => {
  state.pinned = state.pinned.includes(id) ? state.pinned.filter((one) => one !== id) : [...state.pinned, id].slice(-8);
  mark();
  emit('pins');
  show();
});

function showFocus() {
  const { focus, direction, target } = state.view;
  const label = (id) => state.picture?.nodes.find((one) => one.id === id)?.label ?? `node ${id}`;
  find('focus-line').textContent = !focus ? '' : target ? `between ${label(focus)} and ${label(target)}`
    : { up: `what leads to ${label(focus)}`, down: `what follows from ${label(focus)}`, both: `around ${label(focus)}` }[direction];
  find('unfocus').hidden = !focus;
  // Which groups are folded by themselves depends on how many nodes are shown.
  state.view.toggled.clear();
  writeAddress();
  fit();
  refresh({ now: true }).then(() => { fit(); showCounts(); });
}

function unfocus() {
  Object.assign(state.view, { focus: null, target: null, direction: 'both' });
  showFocus();
}

on('moment', showMode);
on('drawn', showCounts);
on('say', (text) => {
  const line = find('said');
  line.textContent = text;
  clearTimeout(say.timer);
  say.timer = setTimeout(() => { line.textContent = ''; }, 6000);
});

// MARK: the address

async function follow() {
  const { wave, node, tab, focus, direction, target } = readAddress();
  if (focus) { Object.assign(state.view, { focus, direction: direction ?? 'both', target: target ?? null }); find('unfocus').hidden = false; }
  if (node) { state.selected = node; writeAddress(); }
  if (tab && find(`tab-${tab}`)) state.tab = tab;
  if (wave && Number(wave) !== state.wave?.row.number) await showWave(wave); else if (!wave && state.moment !== null) showNow();
  await refresh({ now: true });
  if (focus) showFocus();
  if (node) { mark(); reveal(node); }
  showTab(state.tab);
}
addEventListener('hashchange', follow);

// MARK: search

const search = find('search'), found = find('found');
let matches = [], place = 0;

function look() {
  const words = search.value.toLowerCase().trim();
  if (!words) { closeSearch(); return; }
  ask('search', { text: words }).then((answer) => {
    if (search.value.toLowerCase().trim() !== words) return;
    matches = answer.nodes;
    place = 0;
    found.hidden = false;
    search.setAttribute('aria-expanded', 'true');
    drawFound(answer.notShown);
  }).catch((error) => say(error.message));
}

function drawFound(notShown = 0) {
  fill(found, ...matches.map((one, index) => make('li', { role: 'option', id: `found-${index}`, 'aria-selected': String(index === place), onclick: () => take1(index) },
    make('strong', {}, cut(one.label, 40)), make('span', { class: 'quiet' }, `${one.operation} · ${cut(one.type, 30)}`),
    make('span', { class: 'value' }, cut(looks(one.value).text, 40)), make('span', { class: 'quiet' }, `${one.place.file}:${one.place.line}`))),
  matches.length ? null : make('li', { class: 'quiet' }, 'No node fits.'),
  notShown ? make('li', { class: 'quiet' }, `${many(notShown, 'more')}`) : null);
  search.setAttribute('aria-activedescendant', matches.length ? `found-${place}` : '');
}

function take1(index) {
  const one = matches[index];
  closeSearch();
  search.value = '';
  if (!one) return;
  emit('select', String(one.id));
  find('canvas').focus();
}

function closeSearch() {
  found.hidden = true;
  search.setAttribute('aria-expanded', 'false');
  search.removeAttribute('aria-activedescendant');
}

search.addEventListener('input', look);
search.addEventListener('keydown', (event) => {
  if (event.key === 'ArrowDown') place = Math.min(matches.length - 1, place + 1);
  else if (event.key === 'ArrowUp') place = Math.max(0, place - 1);
  else if (event.key === 'Enter') { take1(place); event.preventDefault(); return; }
  else if (event.key === 'Escape') { closeSearch(); search.value = ''; find('canvas').focus(); event.stopPropagation(); return; }
  else return;
  event.preventDefault();
  drawFound();
});

// MARK: keys and buttons

const keys = [
  ['← →', 'to the node before or after, along an edge'], ['↑ ↓', 'up and down in the layer'], ['/', 'search'],
  ['w', 'why the node is what it is'], ['n', 'why it was not told'], ['u', 'show only what leads to it'], ['d', 'show only what follows from it'],
  ['b', 'the way from the focus to it'], ['a', 'show all nodes again'], ['g', 'fold or unfold its group'], ['m', 'pin it: a lane of its values'],
  ['[ ]', 'one wave earlier or later'], ['p', 'play the wave slowly'], ['Esc', 'back to now'], ['+ − 0', 'zoom, show all'], ['?', 'these keys'],
];

const dialog = find('help');
fill(dialog, make('h2', { id: 'help-title' }, 'Keys'), make('table', {}, make('tbody', {}, ...keys.map(([key, text]) =>
  make('tr', {}, make('td', {}, make('kbd', {}, key)), make('td', {}, text))))),
make('p', { class: 'quiet' }, 'Amber: can be set. Dotted violet: leads back, or both ways. Dashed: arrives later. A dot at the right: somebody listens.'),
make('button', { onclick: () => dialog.close() }, 'Close'));

function toggleOwnGroup() {
  const box = state.picture?.nodes.find((one) => one.id === state.selected);
  if (box?.group) find('groups').querySelector(`[data-group="${CSS.escape(box.group)}"]`)?.click();
}

const commands = {
  ArrowRight: () => step('right'), ArrowLeft: () => step('left'), ArrowUp: () => step('up'), ArrowDown: () => step('down'),
  '/': () => search.focus(), w: () => showTab('why'), n: () => showTab('whynot'), c: () => showTab('node'), l: () => showTab('lint'),
  u: () => state.selected && emit('focus', { id: state.selected, direction: 'up' }),
  d: () => state.selected && emit('focus', { id: state.selected, direction: 'down' }),
  b: () => state.selected && state.view.focus && emit('between', state.selected),
  a: unfocus, g: toggleOwnGroup, m: () => state.selected && !state.selected.startsWith('g:') && emit('pin', state.selected),
  '[': () => later(-1), ']': () => later(1), p: play, Escape: showNow, '+': () => zoom(1.25), '=': () => zoom(1.25), '-': () => zoom(0.8), 0: fit,
  '?': () => dialog.showModal(),
};

addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || dialog.open) return;
  const target = event.target;
  const isText = target.matches('input[type="search"], input[type="text"], select');
  if (isText) return;
  const isArrow = event.key.startsWith('Arrow');
  if (isArrow && !target.closest('#canvas') && target !== document.body) return;
  if (event.key === 'Enter' && target.closest('.node.group')) { target.closest('.node').dispatchEvent(new Event('click')); return; }
  const command = commands[event.key];
  if (!command) return;
  event.preventDefault();
  command();
});

find('live').addEventListener('click', showNow);
find('zoom-in').addEventListener('click', () => zoom(1.25));
find('zoom-out').addEventListener('click', () => zoom(0.8));
find('fit').addEventListener('click', fit);
find('tidy').addEventListener('click', () => { fit(); refresh({ now: true, anew: true }); });
find('unfocus').addEventListener('click', unfocus);
find('earlier-wave').addEventListener('click', () => later(-1));
find('later-wave').addEventListener('click', () => later(1));
find('play').addEventListener('click', play);
find('help-open').addEventListener('click', () => dialog.showModal());
for (const [id, name] of [['grouping', 'group'], ['folding', 'fold']]) {
  find(id).addEventListener('change', (event) => { state.view[name] = event.target.value; state.view.toggled.clear(); fit(); refresh({ now: true }).then(fit); });
}
find('export').addEventListener('change', (event) => {
  const form = event.target.value;
  event.target.value = '';
  if (!form) return;
  save(form);
});

async function save(form) {
  try {
    const { name, blob } = form === 'svg' ? { name: 'graph.svg', blob: new Blob([svgFile()], { type: 'image/svg+xml' }) } : await file(form);
    const address = URL.createObjectURL(blob);
    make('a', { href: address, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(address), 10_000);
  } catch (error) { say(error.message); }
}
find('theme').addEventListener('click', () => {
  const root = document.documentElement;
  const next = { undefined: 'light', light: 'dark', dark: undefined }[root.dataset.theme];
  if (next) root.dataset.theme = next; else delete root.dataset.theme;
  say(next ? `Theme: ${next}` : 'Theme: as the system');
});

connect();
