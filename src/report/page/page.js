'use strict';
// The page of kedge: everything is drawn from one data object, embedded in a report or fetched from
// the server that served the page. Text always goes in as text nodes, never as HTML.
const el = (name, attributes = {}, ...children) => {
  const svg = ['svg', 'g', 'rect', 'path', 'text', 'title', 'defs', 'marker'].includes(name);
  const node = svg ? document.createElementNS('http://www.w3.org/2000/svg', name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith('on')) node.addEventListener(key.slice(2), value);
    else if (value === true) node.setAttribute(key, '');
    else if (value !== false && value != null) node.setAttribute(key, value);
  }
  node.append(...children.flat(Infinity).filter(child => child != null));
  return node;
};
const tag = state => el('span', { class: `tag ${state}` }, state);
const place = finding => finding.file ? `${finding.file}:${finding.line ?? ''}:${finding.column ?? ''}` : '';
const subject = finding => {
  const s = finding.subject || {};
  return [s.connection, s.container, s.name].filter(Boolean).join('.') || s.kind || '';
};

// A layered drawing of {nodes: [{id, label, kind, state}], edges: [{from, to, label}]}.
const drawGraph = graph => {
  const depth = new Map(graph.nodes.map(node => [node.id, 0]));
  for (let pass = 0; pass < graph.nodes.length; ++pass) {
    let moved = false;
    for (const { from, to } of graph.edges) {
      if (depth.has(from) && depth.has(to) && depth.get(to) < depth.get(from) + 1 && depth.get(from) + 1 < graph.nodes.length) {
        depth.set(to, depth.get(from) + 1);
        moved = true;
      }
    }
    if (!moved) break;
  }
  const rows = new Map();
  const at = new Map();
  const width = 230, height = 34, gapX = 60, gapY = 14;
  for (const node of graph.nodes) {
    const column = depth.get(node.id);
    const row = rows.get(column) || 0;
    rows.set(column, row + 1);
    at.set(node.id, [10 + column * (width + gapX), 10 + row * (height + gapY)]);
  }
  const columns = Math.max(...rows.keys()) + 1, most = Math.max(...rows.values());
  const svg = el('svg', { width: columns * (width + gapX), height: most * (height + gapY) + 20, role: 'img',
    'aria-label': `Chain of reasons: ${graph.nodes.map(node => node.label).join(', ')}` });
  for (const { from, to, label } of graph.edges) {
    if (!at.has(from) || !at.has(to)) continue;
    const [x1, y1] = at.get(from), [x2, y2] = at.get(to);
    svg.append(el('path', { class: 'edge bad', d: `M${x1 + width} ${y1 + height / 2} C${x1 + width + 30} ${y1 + height / 2} ${x2 - 30} ${y2 + height / 2} ${x2} ${y2 + height / 2}` },
      el('title', {}, label || '')));
  }
  for (const node of graph.nodes) {
    const [x, y] = at.get(node.id);
    svg.append(el('g', { class: node.state === 'safe' ? '' : 'bad' }, el('rect', { class: 'box', x, y, width, height, rx: 5 }),
      el('text', { x: x + 8, y: y + 21, class: 't' }, node.label.length > 31 ? node.label.slice(0, 30) + '…' : node.label, el('title', {}, node.label))));
  }
  return svg;
};

const overview = data => {
  const guards = (data.guards || []).map(guard => el('div', { class: 'card' },
    el('h3', {}, guard.guard, ' ', guard.ran ? tag(guard.ok ? 'ok' : guard.failed ? 'warning' : 'error') : el('span', { class: 'tag note' }, 'not here')),
    el('p', {}, guard.message || (guard.ran ? (guard.ok ? 'in line' : `${guard.findings ?? 0} finding(s)`) : 'not part of this project'))));
  const databases = (data.databases || []).map(database => el('div', { class: 'card' },
    el('h3', {}, database.connection, ' ', tag(database.reachable === false ? 'error' : 'ok')),
    el('p', {}, database.reachable === false ? (database.error || 'unreachable') :
      [database.product, database.version, database.tables != null ? `${database.tables} tables` : ''].filter(Boolean).join(' · '))));
  return [el('h2', {}, 'Guards'), guards.length ? el('div', { class: 'cards' }, guards) : el('p', { class: 'empty' }, 'No guard ran.'),
    el('h2', {}, 'Databases'), databases.length ? el('div', { class: 'cards' }, databases) : el('p', { class: 'empty' }, 'No database was looked at.')];
};

const findingDetail = finding => {
  const parts = [];
  if (finding.hint) parts.push(el('p', {}, 'What to do: ', finding.hint));
  for (const note of finding.notes || []) parts.push(el('p', {}, note.file ? `${note.file}:${note.line}: ` : '', note.text));
  if (finding.graph && finding.graph.nodes.length) parts.push(el('div', { class: 'scroll' }, drawGraph(finding.graph)));
  return parts.length ? parts : [el('p', { class: 'empty' }, 'Nothing more is known.')];
};

const findings = data => {
  const all = data.findings || [];
  const search = el('input', { type: 'search', id: 'search', placeholder: 'Filter by text (press /)', 'aria-label': 'Filter by text' });
  const choice = (label, values) => el('select', { 'aria-label': label }, el('option', { value: '' }, label),
    [...new Set(values)].filter(Boolean).sort().map(value => el('option', { value }, value)));
  const severity = choice('Every severity', all.map(finding => finding.severity));
  const guard = choice('Every guard', all.map(finding => finding.guard));
  const body = el('tbody');
  const count = el('p', { 'aria-live': 'polite' });
  const draw = () => {
    const text = search.value.toLowerCase();
    const shown = all.filter(finding => (!severity.value || finding.severity === severity.value) && (!guard.value || finding.guard === guard.value) &&
      (!text || JSON.stringify(finding).toLowerCase().includes(text)));
    count.textContent = `${shown.length} of ${all.length} finding(s)`;
    body.replaceChildren(...shown.flatMap(finding => {
      const detail = el('tr', { hidden: true }, el('td', { colspan: 5 }, findingDetail(finding)));
      const toggle = () => {
        detail.hidden = !detail.hidden;
        row.setAttribute('aria-expanded', String(!detail.hidden));
      };
      const row = el('tr', { class: 'row', tabindex: 0, 'aria-expanded': 'false', onclick: toggle, onkeydown: event => {
        if (event.key === 'Enter' || event.key === ' ') { event.preventDefault(); toggle(); }
        if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
          event.preventDefault();
          const rows = [...body.querySelectorAll('tr.row')];
          rows[rows.indexOf(row) + (event.key === 'ArrowDown' ? 1 : -1)]?.focus();
        }
      } }, el('td', { class: 'short' }, tag(finding.severity)), el('td', { class: 'short' }, el('code', {}, finding.code)),
        el('td', {}, finding.message), el('td', {}, subject(finding)), el('td', {}, el('code', {}, place(finding))));
      return [row, detail];
    }));
  };
  for (const control of [search, severity, guard]) control.addEventListener('input', draw);
  draw();
  if (!all.length) return [el('p', { class: 'empty' }, 'Nothing has drifted.')];
  return [el('div', { class: 'filters' }, search, severity, guard), count,
    el('table', {}, el('thead', {}, el('tr', {}, ['Severity', 'Code', 'What', 'Where', 'File'].map(name => el('th', { scope: 'col' }, name)))), body)];
};

const diffs = data => {
  const blocks = (data.diffs || []).flatMap(diff => [el('h2', {}, `${diff.left} against ${diff.right}`),
    ...(diff.rows || []).map(row => el('div', { class: 'diff' }, el('h4', {}, tag(row.state), ' ', row.object),
      el('div', { class: 'side head' }, el('span', {}, `is: ${diff.left}`), el('span', {}, `declared: ${diff.right}`)),
      (row.lines || []).map(line => el('div', { class: `side line ${line.state}` }, el('pre', {}, line.left || ' '), el('pre', {}, line.right || ' '))))),
    (diff.rows || []).length ? null : el('p', { class: 'empty' }, 'No difference.')]);
  return blocks.length ? blocks : [el('p', { class: 'empty' }, 'No two shapes were compared.')];
};

const entities = data => {
  const list = data.entities || [];
  if (!list.length) return [el('p', { class: 'empty' }, 'No entities are known.')];
  const across = Math.max(1, Math.floor(Math.sqrt(list.length * 1.4))), width = 250, line = 18;
  const at = new Map();
  const bottoms = new Array(across).fill(10);
  for (const entity of list) {
    const column = bottoms.indexOf(Math.min(...bottoms));
    const height = 34 + line * (entity.columns || []).length;
    at.set(entity.name, { x: 10 + column * (width + 70), y: bottoms[column], height });
    bottoms[column] += height + 34;
  }
  const svg = el('svg', { width: across * (width + 70), height: Math.max(...bottoms), role: 'img', 'aria-label': 'Entities and their references' });
  for (const relation of data.relations || []) {
    const from = at.get(relation.from), to = at.get(relation.to);
    if (!from || !to) continue;
    const right = to.x >= from.x;
    const x1 = from.x + (right ? width : 0), x2 = to.x + (right && to.x > from.x ? 0 : width);
    svg.append(el('path', { class: relation.drifted ? 'edge bad' : 'edge', d: `M${x1} ${from.y + 16} C${x1 + (right ? 50 : -50)} ${from.y + 16} ${x2 + (x2 > to.x ? 50 : -50)} ${to.y + 16} ${x2} ${to.y + 16}` },
      el('title', {}, `${relation.from} (${(relation.columns || []).join(', ')}) references ${relation.to}`)));
  }
  for (const entity of list) {
    const { x, y, height } = at.get(entity.name);
    const group = el('g', { class: entity.drifted ? 'bad' : '' }, el('rect', { class: 'box', x, y, width, height, rx: 6 }),
      el('text', { class: 'title t', x: x + 10, y: y + 20 }, entity.name));
    (entity.columns || []).forEach((column, index) => group.append(el('text', { x: x + 10, y: y + 40 + index * line, class: column.drifted ? 'badcol' : '' },
      `${column.key ? '● ' : '  '}${column.name}  ${column.type || ''}`.slice(0, 34))));
    svg.append(group);
  }
  return [el('p', {}, '● key. Red: drifted; “not declared”: in the database only.'), el('div', { class: 'scroll' }, svg)];
};

const plan = data => {
  const steps = (data.plan && data.plan.statements) || [];
  if (!steps.length) return [el('p', { class: 'empty' }, 'Nothing is to be migrated.')];
  const blocked = steps.filter(step => step.status === 'blocked').length;
  const tokens = [...new Set(steps.flatMap(step => (step.allow || '').split(',')).filter(Boolean))];
  return [el('p', {}, `${steps.length} statement(s), ${blocked} blocked.`, blocked && tokens.length ? ' To allow them: ' : null,
    blocked && tokens.length ? el('code', {}, `kedge migrate --allow ${tokens.join(',')}`) : null),
  ...steps.map((step, index) => el('div', { class: 'diff' },
    el('h4', {}, step.kind || 'statement', ' ', el('span', { class: `tag ${step.status === 'blocked' ? 'error' : 'ok'}` }, step.status),
      (step.hazards || []).map(hazard => [' ', el('span', { class: 'tag warning' }, hazard.hazard)])),
    step.reason && step.reason !== steps[index - 1]?.reason ? el('p', { class: 'why' }, step.reason) : null,
    (step.hazards || []).map(hazard => el('p', { class: 'why' }, hazard.text, hazard.lock ? ` (lock: ${hazard.lock})` : '')),
    el('pre', { class: 'sql' }, step.sql)))];
};

const contracts = data => {
  const list = data.contracts || [];
  if (!list.length) return [el('p', { class: 'empty' }, 'No contracts or baselines are known.')];
  return list.map(contract => el('div', { class: 'diff' }, el('h4', {}, contract.entity, ' ', tag(contract.state || 'ok')),
    contract.state === 'declared' ? el('p', { class: 'why' }, 'Declared in connections.yml; no run has seen it yet.') : el('div', { class: 'side' }, el('pre', {}, `baseline\n${contract.baseline || ''}`), el('pre', {}, `observed\n${contract.observed || ''}`)),
    (contract.history || []).map(entry => el('p', { style: 'padding:0 .7rem' }, entry))));
};

const tabs = [['overview', 'Overview', overview], ['findings', 'Findings', findings], ['diff', 'Schema diff', diffs],
  ['entities', 'Entities', entities], ['plan', 'Migration plan', plan], ['contracts', 'Contracts', contracts]];

const show = name => {
  for (const [id] of tabs) {
    const chosen = id === name;
    document.getElementById(`tab-${id}`).setAttribute('aria-selected', String(chosen));
    document.getElementById(`tab-${id}`).tabIndex = chosen ? 0 : -1;
    document.getElementById(`panel-${id}`).hidden = !chosen;
  }
  if (location.hash !== `#${name}`) history.replaceState(null, '', `#${name}`);
};

const build = data => {
  const project = data.project || {};
  document.title = `kedge: ${project.name || 'project'}`;
  const bad = (data.findings || []).filter(finding => finding.severity === 'error').length;
  const list = el('div', { role: 'tablist', 'aria-label': 'Parts of the report' }, tabs.map(([id, label]) => el('button', {
    role: 'tab', id: `tab-${id}`, 'aria-controls': `panel-${id}`, onclick: () => show(id), onkeydown: event => {
      const at = tabs.findIndex(([other]) => other === id);
      const target = { ArrowRight: at + 1, ArrowLeft: at - 1 + tabs.length, Home: 0, End: tabs.length - 1 }[event.key];
      if (target === undefined) return;
      event.preventDefault();
      const next = tabs[target % tabs.length][0];
      show(next);
      document.getElementById(`tab-${next}`).focus();
    } }, label, id === 'findings' && (data.findings || []).length ? ` (${data.findings.length})` : '')));
  const theme = el('button', { onclick: () => {
    const dark = document.documentElement.dataset.theme ? document.documentElement.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
    document.documentElement.dataset.theme = dark ? 'light' : 'dark';
  } }, 'Dark / light');
  document.body.replaceChildren(el('a', { class: 'skip', href: '#main' }, 'Skip to the content'),
    el('header', {}, el('h1', {}, 'kedge'), el('span', { class: 'sub' }, [project.name, project.version].filter(Boolean).join(' ')),
      tag(bad ? 'error' : 'ok'), el('span', { class: 'sub' }, data.generated || ''), el('span', { class: 'space' }),
      data.live ? el('button', { id: 'again', onclick: () => load(true) }, 'Check again') : null, theme), list,
    el('main', { id: 'main' }, tabs.map(([id, , draw]) => el('section', { role: 'tabpanel', id: `panel-${id}`, 'aria-labelledby': `tab-${id}`, hidden: true }, draw(data)))));
  const wanted = location.hash.slice(1);
  show(tabs.some(([id]) => id === wanted) ? wanted : 'overview');
};

document.addEventListener('keydown', event => {
  if (event.key === '/' && !['INPUT', 'SELECT', 'TEXTAREA'].includes(document.activeElement.tagName)) {
    event.preventDefault();
    show('findings');
    document.getElementById('search')?.focus();
  }
  if (event.altKey && event.key >= '1' && event.key <= String(tabs.length)) show(tabs[Number(event.key) - 1][0]);
});

const load = async again => {
  const embedded = document.getElementById('kedge-data');
  if (embedded && !again) return build(JSON.parse(embedded.textContent));
  document.body.replaceChildren(el('p', { class: 'empty' }, 'Checking…'));
  try {
    const headers = {};
    const token = sessionStorage.getItem('kedge-token');
    if (token) headers.Authorization = `Bearer ${token}`;
    const answer = await fetch('page/data', { headers });
    if (answer.status === 401) {
      const field = el('input', { type: 'password', 'aria-label': 'Token', placeholder: 'Token' });
      const form = el('form', { class: 'empty', onsubmit: event => {
        event.preventDefault();
        sessionStorage.setItem('kedge-token', field.value);
        load(true);
      } }, field, ' ', el('button', {}, 'Go on'));
      return document.body.replaceChildren(form);
    }
    const data = await answer.json();
    if (!answer.ok) throw new Error(data.message || answer.statusText);
    build({ ...data, live: true });
  } catch (error) {
    document.body.replaceChildren(el('p', { class: 'empty', role: 'alert' }, `The check could not be made: ${error.message}`), el('button', { onclick: () => load(true) }, 'Try again'));
  }
};
load(false);
