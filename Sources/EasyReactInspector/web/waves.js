// Time: the waves in a list, the chosen one in full, and pinned nodes as lanes of marbles.

import { state, on, emit, ask, say, writeAddress } from './state.js';
import { make, find, fill, valueText, time, many, stopWords, cut, looks } from './dom.js';
import { refresh, mark, showValues } from './graph.js';

const list = find('waves'), account = find('account'), scrub = find('scrub'), lanes = find('lanes');
const most = 400;
let isHeld = false;           // somebody reads further down the list
let isOver = false;           // the pointer is on the list: a row must not go between press and release

// MARK: the list

export function addWaves(rows, notShown) {
  if (notShown) { state.notListed += notShown; state.waves.push({ gap: notShown }); }
  for (const row of rows) {
    const known = state.waves.findLast?.((one) => one.number === row.number);
    if (known) Object.assign(known, { ...row, first: known.first, stored: known.stored + row.stored, told: known.told + row.told, stopped: known.stopped + row.stopped, label: known.label, value: known.value ?? row.value, kind: known.kind });
    else state.waves.push(row);
  }
  if (state.waves.length > most) state.waves.splice(0, state.waves.length - most);
}

const listed = () => state.waves.filter((row) => !row.gap);

let isDue = false;
export function showWaves() {
  if (isDue) return;
  isDue = true;
  setTimeout(() => { isDue = false; drawWaves(); }, 120);
}

function drawWaves() {
  const rows = listed();
  scrub.max = Math.max(0, rows.length - 1);
  const chosen = state.wave ? rows.findIndex((row) => row.number === state.wave.row.number) : rows.length - 1;
  if (document.activeElement !== scrub || !state.wave) scrub.value = chosen;
  scrub.setAttribute('aria-valuetext', state.wave ? `wave ${state.wave.row.number}` : 'now');
  find('not-listed').textContent = state.notListed ? `${many(state.notListed, 'wave')} not listed` : '';
  if (isHeld || isOver) {
    for (const row of list.children) row.setAttribute('aria-selected', String(row.dataset.wave === String(state.wave?.row.number)));
    return;
  }
  const items = state.waves.slice(-200).reverse().map((row) => row.gap
    ? make('li', { class: 'gap', role: 'presentation' }, `${many(row.gap, 'wave')} not listed: more came than can be shown`)
    : make('li', {
      role: 'option', id: `wave-${row.number}`, 'data-wave': row.number, 'aria-selected': String(row.number === state.wave?.row.number),
      onclick: () => showWave(row.number),
    },
    make('span', { class: 'quiet mono' }, `#${row.number}`),
    make('span', { class: 'what' }, row.kind === 'pushed' ? 'pushed: ' : '', row.label, ...row.value ? [' = ', valueText(row.value, 60)] : []),
    make('span', { class: 'quiet' }, counts(row)),
    make('span', { class: 'quiet mono' }, time(row.nanoseconds))));
  fill(list, ...items);
  if (state.wave) list.setAttribute('aria-activedescendant', `wave-${state.wave.row.number}`);
}

const counts = (row) => `${row.stored} stored${row.stopped ? `, ${row.stopped} stopped` : ''}`;

list.addEventListener('scroll', () => { isHeld = list.scrollTop > 4; if (!isHeld) showWaves(); });
list.addEventListener('pointerenter', () => { isOver = true; });
list.addEventListener('pointerleave', () => { isOver = false; showWaves(); });
list.addEventListener('keydown', (event) => {
  if (event.key === 'ArrowDown') later(-1);
  else if (event.key === 'ArrowUp') later(1);
  else if (event.key === 'Enter' || event.key === ' ') { const row = listed().at(-1); if (!state.wave && row) showWave(row.number); }
  else return;
  event.preventDefault();
});
scrub.addEventListener('input', () => { const row = listed()[Number(scrub.value)]; if (row) showWave(row.number); });

/// One wave later, or earlier: by the list, and where that ends by the records.
export function later(step) {
  const rows = listed();
  if (!state.wave) { if (step < 0 && rows.length) showWave(rows.at(-1).number); return; }
  const place = rows.findIndex((row) => row.number === state.wave.row.number);
  const next = place >= 0 ? rows[place + step]?.number : null;
  const number = next ?? (step > 0 ? state.wave.next : state.wave.previous);
  if (number) showWave(number); else say(step > 0 ? 'This is the last wave.' : 'This is the first wave that is kept.');
}

// MARK: the chosen wave

let asked = 0;

/// Shows the graph as it was after a wave. Where much happens a wave that is listed may have been dropped: then the
/// newest one that is kept is shown, and said.
export async function showWave(number) {
  stopPlaying();
  const mine = ++asked;
  try {
    const wave = await ask('wave', { number, else: state.hello?.isLive ? 'newest' : null });
    if (mine !== asked) return;
    if (wave.row.number !== Number(number)) say(`Wave ${number} has been dropped by the recorder: this is the newest one that is kept.`);
    state.wave = wave;
    state.moment = wave.row.last;
    state.then = new Map(Object.entries(wave.values));
    said();
  } catch (error) { say(error.message); }
}

function said() {
  drawAccount();
  drawWaves();
  writeAddress();
  refresh({ now: true });
  emit('moment');
}

export function showNow() {
  stopPlaying();
  asked += 1;
  if (state.moment === null) return;
  state.wave = null; state.moment = null; state.then = null;
  said();
}

function drawAccount() {
  const wave = state.wave;
  find('play').hidden = !wave;
  if (!wave) { fill(account, make('p', { class: 'quiet' }, 'Choose a wave: the graph then shows the values as they were after it.')); return; }
  const row = wave.row;
  fill(account,
    make('div', { class: 'row' },
      make('strong', {}, `Wave ${row.number}`), make('span', { class: 'quiet' },
        [time(row.nanoseconds), `thread ${row.thread}`, row.callSite, row.context && `context ${row.context}`].filter(Boolean).join(' · '))),
    make('ol', {}, ...wave.events.map((one) => eventLine(one))),
    wave.notShown ? make('p', { class: 'quiet' }, `${many(wave.notShown, 'event')} more are not shown.`) : null);
}

/// One line: what happened, at which node, from where.
export function eventLine({ event, label, from, operation, depth }) {
  const name = make('button', { class: 'link', onclick: () => emit('select', String(event.node)) }, label);
  const over = operation && from ? [make('span', { class: 'quiet' }, ` ← ${operation} of ${cut(from, 30)}`)] : [];
  const body = {
    set: () => ['set ', name, event.callSite ? make('span', { class: 'quiet' }, ` at ${event.callSite.file}:${event.callSite.line}`) : null,
      event.context ? make('span', { class: 'quiet' }, ` with ${event.context}`) : null],
    pushed: () => ['pushed ', name],
    stored: () => [name, ' ', valueText(event.old, 60), ' → ', valueText(event.new, 80), ...over],
    told: () => ['listener of ', name, ' called'],
    arrived: () => [name, ' is due', ...over],
    stopped: () => [make('span', { class: 'stop' }, 'stopped'), ' at ', name, `: ${stopWords[event.stop] ?? event.stop}`, ...over],
    queued: () => [name, ' is busy: it waits there', ...over],
    endlessSets: () => [make('span', { class: 'stop' }, 'sets without end'), ' at ', name],
    nodeMade: () => [name, ' made'], nodeGone: () => [name, ' gone'],
    edgeMade: () => ['edge from ', name, ' made'], edgeCut: () => ['edge from ', name, ' cut'],
  }[event.kind]?.() ?? [event.kind, ' ', name];
  const line = make('li', { 'data-sequence': event.sequence, 'data-kind': event.kind }, ...body.filter(Boolean));
  line.style.paddingLeft = `${4 + Math.min(depth, 20) * 14}px`;
  return line;
}

// MARK: a slow replay

let player = null;
state.isPlaying = false;

/// Shows the wave event by event, at a speed that eyes can follow.
export function play() {
  if (player) { stopPlaying(); return; }
  const wave = state.wave;
  if (!wave?.events.length) return;
  state.isPlaying = true;
  find('play').textContent = 'Stop';
  for (const { event } of [...wave.events].reverse()) if (event.kind === 'stored' && event.old) state.then.set(String(event.node), event.old);
  let next = 0;
  const step = () => {
    account.querySelector('.now')?.classList.remove('now');
    if (next === wave.events.length) { stopPlaying(); return; }
    const { event } = wave.events[next];
    next += 1;
    state.moment = event.sequence;
    if (event.kind === 'stored' && event.new) state.then.set(String(event.node), event.new);
    const line = account.querySelector(`[data-sequence="${event.sequence}"]`);
    line?.classList.add('now');
    line?.scrollIntoView({ block: 'nearest' });
    showValues();
    mark();
  };
  step();
  player = setInterval(step, 450);
}

function stopPlaying() {
  if (!player) return;
  clearInterval(player);
  player = null;
  state.isPlaying = false;
  find('play').textContent = 'Play slowly';
  if (state.wave) state.moment = state.wave.row.last;
  mark();
}

// MARK: lanes

/// Pinned nodes over time, one line each: marbles in the order in which they happened.
export async function drawLanes() {
  lanes.hidden = state.pinned.length === 0;
  account.hidden = !lanes.hidden && !state.wave;
  if (lanes.hidden) return;
  let cards;
  try { cards = await Promise.all(state.pinned.map((id) => ask('node', { id, at: state.moment }))); } catch (error) { say(error.message); return; }
  const wide = 44, shown = 40;
  const moments = [...new Set(cards.flatMap((card) => card.marks.map((one) => one.sequence)))].sort((a, b) => a - b);
  const kept = moments.slice(-shown), column = new Map(kept.map((sequence, index) => [sequence, index]));
  const rows = cards.map((card, row) => make('g', { transform: `translate(0 ${row * 44})`, role: 'listitem', 'aria-label': `${card.label}: ${card.marks.slice(-5).map((one) => one.stop ? 'stopped' : looks(one.value).text).join(', ')}` },
    make('text', { class: 'name', x: 0, y: 24 }, cut(card.label, 18)),
    make('line', { x1: 130, x2: 130 + wide * Math.max(1, kept.length), y1: 20, y2: 20 }),
    ...card.marks.filter((one) => column.has(one.sequence)).map((one) => make('g', {
      class: `mark${one.stop ? ' stopped' : ''}${one.wave === state.wave?.row.number ? ' now' : ''}`,
      transform: `translate(${130 + wide * (column.get(one.sequence) + 0.5)} 20)`, onclick: () => showWave(one.wave),
    }, make('title', {}, one.stop ? stopWords[one.stop] ?? one.stop : looks(one.value).text), make('circle', { r: one.stop ? 5 : 8 }),
    make('text', { y: 21 }, one.stop ? '×' : cut(looks(one.value).text, 6))))));
  fill(lanes, make('svg', { width: 140 + wide * Math.max(1, kept.length), height: 44 * rows.length + 4, role: 'list', 'aria-label': 'Lanes' }, ...rows),
    moments.length > shown ? make('p', { class: 'quiet' }, `${many(moments.length - shown, 'earlier moment')} not shown.`) : null);
}

on('pins', drawLanes);
on('moment', drawLanes);
drawAccount();
