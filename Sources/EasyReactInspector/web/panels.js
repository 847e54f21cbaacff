// The panel at the side: a node's card, why, why not, lint, counts, and what changed between two moments.

import { state, on, emit, ask, change, say, writeAddress, value } from './state.js';
import { make, find, fill, valueText, time, span, many, stopWords, cut } from './dom.js';
import { showWave } from './waves.js';

const panel = find('panel');
const tabs = ['node', 'why', 'whynot', 'lint', 'counts', 'difference'];
let shown = 0;

export function showTab(tab, takesFocus = false) {
  state.tab = tab;
  for (const one of tabs) {
    const button = find(`tab-${one}`);
    button.setAttribute('aria-selected', String(one === tab));
    button.setAttribute('tabindex', one === tab ? '0' : '-1');
    if (one === tab && takesFocus) button.focus();
  }
  panel.setAttribute('aria-labelledby', `tab-${tab}`);
  writeAddress();
  return show();
}

for (const tab of tabs) find(`tab-${tab}`).addEventListener('click', () => showTab(tab));
find('tabs').addEventListener('keydown', (event) => {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!step) return;
  event.preventDefault();
  showTab(tabs[(tabs.indexOf(state.tab) + step + tabs.length) % tabs.length], true);
});

/// Shows the panel anew; what comes too late is not shown.
export async function show() {
  const mine = ++shown;
  let content;
  try {
    content = await { node, why, whynot, lint, counts: countsTable, difference }[state.tab]();
  } catch (error) {
    content = [make('p', { class: 'quiet' }, error.message)];
  }
  if (mine !== shown) return;
  fill(panel, ...content);
  emit('panel');
}

const link = (id, label) => make('button', { class: 'link', 'data-node': id, onclick: () => emit('select', String(id)) }, label);
const waveLink = (number) => number ? make('button', { class: 'link mono', onclick: () => showWave(number) }, `#${number}`) : null;
const note = (text) => make('p', { class: 'quiet' }, text);
const term = (name, ...description) => [make('dt', {}, name), make('dd', {}, ...description)];
const chosen = () => state.selected && !state.selected.startsWith('g:') ? state.selected : null;
const choose = () => [note('Choose a node: click it, search it with /, or go there with the arrow keys.')];

// MARK: a node's card

async function node() {
  const id = chosen();
  if (!id) return choose();
  const card = await ask('node', { id, at: state.moment });
  const record = card.node;
  return [
    make('h2', {}, card.label),
    make('dl', {},
      ...term('Value', valueText(card.value)), ...term('Operator', record.operation), ...term('Type', make('span', { class: 'mono' }, record.type)),
      ...term('Made at', make('span', { class: 'mono' }, `${record.place.file}:${record.place.line}`)),
      ...term('Can be set', record.isMutable ? 'yes' : 'no, it is what its upstreams make it'),
      ...card.owner ? term('Lives for', card.owner) : [],
      ...record.gone ? term('Gone', time(record.gone.nanoseconds)) : [],
      ...term('Stored', many(record.counts.stored, 'time'), record.counts.storedEqual ? `, ${record.counts.storedEqual} unchanged` : ''),
      ...term('Listeners told', many(record.counts.told, 'time')),
      ...record.counts.ranInVain ? term('Ran in vain', many(record.counts.ranInVain, 'time')) : [],
      ...record.counts.ownNanoseconds != null ? term('Own time', span(record.counts.ownNanoseconds)) : []),
    make('div', { class: 'row' },
      action('Why', 'w', () => showTab('why')), action('Why not', 'n', () => showTab('whynot')),
      action('Upstream', 'u', () => emit('focus', { id, direction: 'up' })), action('Downstream', 'd', () => emit('focus', { id, direction: 'down' })),
      state.view.focus && state.view.focus !== id ? action('Way from the focus', 'b', () => emit('between', id)) : null,
      action(state.pinned.includes(id) ? 'Unpin' : 'Pin', 'm', () => emit('pin', id))),
    state.hello?.allowsChanges && record.isMutable ? setter(id) : null,
    ...neighbours('Upstream', card.upstream), ...neighbours('Downstream', card.downstream), ...neighbours('Listeners', card.listeners),
    ...card.formerListeners.length ? [make('h3', {}, 'Listeners that are gone'), ...gone(card.formerListeners)] : [],
    card.notShown ? note(`${many(card.notShown, 'edge')} more are not shown.`) : null,
    make('h3', {}, 'Lately'),
    card.marks.length ? make('ul', { class: 'plain' }, ...card.marks.slice(-12).reverse().map((one) => make('li', {},
      waveLink(one.wave), ' ', one.stop ? make('span', { class: 'stop' }, stopWords[one.stop] ?? one.stop) : valueText(one.value, 90),
      make('span', { class: 'quiet' }, ` ${time(one.nanoseconds)}`)))) : note('Nothing was stored here while it was recorded.'),
  ];
}

const action = (label, key, body) => make('button', { onclick: body, 'aria-keyshortcuts': key }, `${label} `, make('kbd', {}, key));

function neighbours(title, list) {
  if (!list.length) return [];
  return [make('h3', {}, `${title} (${list.length})`), make('ul', { class: 'plain' }, ...list.slice(0, 30).map((one) => make('li', {},
    one.id ? link(one.id, one.label) : one.label, make('span', { class: 'quiet' },
      ` ${[one.operation, one.owner && `lives with ${one.owner}`, one.isBackEdge && 'leads back', one.isDeferred && 'later', one.id && value(one.id).text].filter(Boolean).map((text) => cut(String(text), 40)).join(' · ')}`)))),
  list.length > 30 ? note(`${list.length - 30} more`) : null];
}

function setter(id) {
  const input = make('input', { type: 'text', 'aria-label': 'New value', id: 'new-value' });
  const send = async (text) => { try { await change(id, text); say('Set.'); } catch (error) { say(error.message); } };
  return make('form', { class: 'row', onsubmit: (event) => { event.preventDefault(); send(input.value); } },
    input, make('button', { type: 'submit', id: 'set-value' }, 'Set'), make('button', { type: 'button', onclick: () => send(null) }, 'Clean'));
}

// MARK: why

async function why() {
  const id = chosen();
  if (!id) return choose();
  const { answer, text } = await ask('why', { node: id, at: state.moment });
  return [
    make('h2', {}, `Why ${answer.label} is `, valueText(answer.value, 80)),
    answer.isCutOff ? note('The beginning is not among the records: it came before them, or has been dropped.') : null,
    ...answer.steps.length ? answer.steps.map(step) : [note('No set is known that led here.')],
    asText(text),
  ];
}

function step({ event, node: label, operation, depth }) {
  const block = make('div', { class: `step ${event.kind}` });
  block.style.marginLeft = `${Math.min(depth, 12) * 12}px`;
  const details = [event.callSite && `${event.callSite.file}:${event.callSite.line}`, event.context && `context ${event.context}`,
    `thread ${event.thread}`, time(event.nanoseconds)].filter(Boolean).join(' · ');
  block.append(...{
    set: () => ['set ', link(event.node, label), make('div', { class: 'quiet' }, details)],
    pushed: () => ['pushed from ', link(event.node, label), make('div', { class: 'quiet' }, details)],
    stored: () => [operation ? make('span', { class: 'quiet' }, `${operation} → `) : '', link(event.node, label), ' ', valueText(event.old, 60), ' → ', valueText(event.new, 90), ' ', waveLink(event.wave) ?? ''],
    arrived: () => [make('span', { class: 'quiet' }, operation ?? ''), ' reached ', link(event.node, label)],
    told: () => ['a listener of ', link(event.node, label), ' was called'],
    queued: () => ['waited at ', link(event.node, label), ', which was busy'],
    stopped: () => [make('span', { class: 'stop' }, 'stopped'), ' at ', link(event.node, label), `: ${stopWords[event.stop] ?? event.stop}`],
  }[event.kind]?.() ?? [event.kind, ' ', link(event.node, label)]);
  return block;
}

const asText = (text) => text ? make('details', {}, make('summary', {}, 'As text'), make('pre', {}, text)) : null;

// MARK: why not

/// Listeners that were there once.
const gone = (former) => former.length ? [make('ul', { class: 'plain' }, ...former.map((one) => make('li', {},
  `A listener${one.owner ? ` of ${one.owner}` : ''}${one.place ? ` made at ${one.place}` : ''} is gone since ${time(one.cut.nanoseconds)}: it was cancelled, or its owner died.`)))] : [];

/// A sentence that begins with a node's label and a colon, with a link to the node: a whole sentence in a button does not flow.
function linked(id, text) {
  const place = text.lastIndexOf(': ');
  return place < 0 ? [link(id, text)] : [link(id, text.slice(0, place)), text.slice(place)];
}

const outcomes = {
  arrived: 'arrived here', stopped: 'stopped on the way', noWayAnyMore: 'no way leads here any more', noWay: 'leads elsewhere',
};

async function whynot() {
  const id = chosen();
  if (!id) return choose();
  const since = state.wave ? state.wave.row.first - 1 : null;
  const { answer, text, empty, listeners, formerListeners } = await ask('whynot', { node: id, since, at: state.moment });
  const telling = answer.answers.filter((one) => one.outcome !== 'noWay');
  const others = answer.answers.length - telling.length;
  const newest = telling.slice(-20).reverse();
  return [
    make('h2', {}, `Why ${answer.label} was not told`),
    note(state.wave ? `Sets since wave ${state.wave.row.number}.` : 'The sets of the last turn; choose a wave to begin there.'),
    ...newest.map((one) => make('div', { class: 'card', 'data-outcome': one.outcome },
      make('div', {}, 'set ', link(one.set.node, one.source), ' ', waveLink(one.set.wave) ?? '', ' ',
        make('strong', { class: one.outcome === 'arrived' ? 'good' : 'stop' }, outcomes[one.outcome] ?? one.outcome)),
      one.set.callSite ? make('div', { class: 'quiet mono' }, `${one.set.callSite.file}:${one.set.callSite.line}`) : null,
      make('ul', { class: 'plain' }, ...one.ends.map((end) => make('li', {}, '× ', ...linked(end.downstream, end.text),
        ...empty[end.downstream] ? [': ', ...empty[end.downstream].flatMap((up) => [link(up.id, up.label), ' '])] : []))))),
    telling.some((one) => one.outcome === 'arrived') && listeners === 0 ? make('div', { class: 'card', id: 'nobody' },
      make('strong', { class: 'stop' }, 'It arrived here, but nobody listens.'), ...gone(formerListeners)) : null,
    telling.length > newest.length ? note(`${many(telling.length - newest.length, 'earlier set')} not shown.`) : null,
    others ? note(`${many(others, 'other set leads', 'other sets lead')} elsewhere.`) : null,
    telling.length === 0 ? make('p', {}, 'Nothing was set that leads here.') : null,
    answer.sources.length ? make('div', {}, make('h3', {}, 'What leads here when it is set'),
      make('ul', { class: 'plain' }, ...answer.sources.slice(0, 30).map((label) => make('li', {}, label)))) : null,
    answer.cuts.length ? make('div', {}, make('h3', {}, 'Ways that were cut'),
      make('ul', { class: 'plain' }, ...answer.cuts.slice(0, 30).map((label) => make('li', {}, label)))) : null,
    asText(text),
  ];
}

// MARK: lint, counts, changes

async function lint() {
  const { findings, leftOut } = await ask('lint');
  return [
    findings.length ? make('h2', {}, many(findings.length, 'finding')) : make('p', { class: 'good' }, 'Nothing found.'),
    ...findings.slice(0, 200).map((one) => make('div', { class: 'card', 'data-rule': one.rule },
      make('strong', {}, one.rule), make('div', {}, ...one.nodes.slice(0, 12).flatMap((id, index) => [link(id, one.labels[index] ?? `node ${id}`), ' '])),
      make('div', {}, one.reason), make('div', { class: 'quiet' }, one.remedy))),
    findings.length > 200 ? note(`${findings.length - 200} more are not shown.`) : null,
    leftOut.length ? make('p', { class: 'quiet', id: 'left-out' }, `Not looked for, since only the running program knows: ${leftOut.join(', ')}.`) : null];
}

let sortedBy = 'stored';
async function countsTable() {
  const columns = [['stored', 'Stored'], ['storedEqual', 'Equal'], ['ranInVain', 'In vain'], ['told', 'Told'], ['ownNanoseconds', 'Own time']];
  const { nodes, notShown } = await ask('counts', { by: sortedBy });
  const isTimed = nodes.some((one) => one.counts.ownNanoseconds != null);
  const used = columns.filter(([name]) => name !== 'ownNanoseconds' || isTimed);
  return [make('table', {},
    make('thead', {}, make('tr', {}, make('th', { scope: 'col' }, 'Node'), ...used.map(([name, title]) => make('th', {
      scope: 'col', 'aria-sort': name === sortedBy ? 'descending' : null,
    }, make('button', { onclick: () => { sortedBy = name; show(); } }, title))))),
    make('tbody', {}, ...nodes.map((one) => make('tr', {}, make('td', {}, link(one.id, one.label)),
      ...used.map(([name]) => make('td', {}, name === 'ownNanoseconds' ? span(one.counts[name] ?? 0) : String(one.counts[name]))))))),
  notShown ? note(`${many(notShown, 'node')} with less are not shown.`) : null];
}

let marked = null;
async function difference() {
  const here = state.moment ?? state.frame?.sequence ?? 0;
  const head = [
    make('p', {}, 'What is left after something was opened and closed? Mark a moment, do it, and compare.'),
    make('div', { class: 'row' },
      make('button', { id: 'mark-moment', onclick: () => { marked = here; show(); } }, 'Mark this moment'),
      marked === null ? null : make('button', { onclick: () => show() }, 'Compare with now'))];
  if (marked === null) return head;
  const answer = await ask('difference', { from: marked, to: here });
  const part = (title, items) => [make('h3', {}, `${title} (${items.length})`), items.length
    ? make('ul', { class: 'plain' }, ...items.slice(0, 100).map((one) => make('li', {}, link(one.id, one.label), ' ', make('span', { class: 'value' }, cut(one.text, 120)))))
    : note('none')];
  return [...head, ...part('Made', answer.made), ...part('Gone', answer.gone), ...part('Changed', answer.changed),
    answer.notShown ? note(`${answer.notShown} more are not shown.`) : null];
}

on('select', () => { if (!['lint', 'counts', 'difference'].includes(state.tab)) show(); else showTab('node'); });
on('moment', show);
