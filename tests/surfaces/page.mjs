// The page in Chromium: keyboard, themes, filters, cascade graph, diff, entities, plan, contracts, no network but the
// server. page.mjs NODE_MODULES CHROMIUM URL REPORT_FILE SHOTS_FOLDER prints {name: true or what is wrong} as JSON.
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const [modules, program, url, report, shots] = process.argv.slice(2);
const { chromium } = createRequire(pathToFileURL(`${modules}/x.js`))('playwright-core');
const results = {};
const check = (name, good, detail = '') => { results[name] = good ? true : String(detail || 'wrong'); };
const browser = await chromium.launch({ executablePath: program, args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'] });

const open = async (address, options = {}) => {
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, ...options });
  const page = await context.newPage();
  const seen = { requests: [], errors: [] };
  page.on('request', request => seen.requests.push(request.url()));
  page.on('pageerror', error => seen.errors.push(error.message));
  page.on('console', message => { if (message.type() === 'error') seen.errors.push(message.text()); });
  await page.goto(address);
  await page.waitForSelector('[role=tab]', { timeout: 90000 });
  return { page, seen, context };
};
const shot = async (page, name) => page.screenshot({ path: `${shots}/${name}.png`, fullPage: true });
const color = (page, selector, property) => page.$eval(selector, (node, name) => getComputedStyle(node).getPropertyValue(name), property);
const selected = page => page.$eval('[role=tab][aria-selected=true]', tab => tab.id);
const luminance = text => {
  const [r, g, b] = text.match(/[\d.]+/g).map(Number).map(value => { const s = value / 255; return s <= 0.03928 ? s / 12.92 : ((s + 0.055) / 1.055) ** 2.4; });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const contrast = (a, b) => { const [x, y] = [luminance(a), luminance(b)].sort((m, n) => n - m); return (x + 0.05) / (y + 0.05); };

// --- live page
const { page, seen } = await open(url);
check('nothing but this server is asked', seen.requests.every(request => request.startsWith(url)), seen.requests);
check('overview first', await selected(page) === 'tab-overview');
check('a card for each guard', (await page.$$('#panel-overview .card')).length >= 7);
await shot(page, 'overview-light');

// keyboard only: from the top to the findings, open one, walk the rows
await page.keyboard.press('Tab');
check('the first stop skips to the content', await page.evaluate(() => document.activeElement.className === 'skip'));
await page.focus('#tab-overview');
await page.keyboard.press('ArrowRight');
check('arrows move between tabs', await selected(page) === 'tab-findings');
check('one tab is a stop', (await page.$$('[role=tab][tabindex="0"]')).length === 1);
await page.keyboard.press('End');
check('End goes to the last tab', await selected(page) === 'tab-contracts');
await page.keyboard.press('Home');
check('Home goes to the first tab', await selected(page) === 'tab-overview');
await page.keyboard.press('/');
check('slash goes to the filter', await page.evaluate(() => document.activeElement.id === 'search') && await selected(page) === 'tab-findings');
const all = (await page.$$('tr.row')).length;
check('findings are there', all >= 3, all);
await page.keyboard.type('draught');
const filtered = (await page.$$('tr.row')).length;
check('the text filter narrows', filtered > 0 && filtered < all, `${filtered} of ${all}`);
check('and says how many', (await page.textContent('[aria-live]')).startsWith(`${filtered} of ${all}`));
await page.fill('#search', '');
await page.selectOption('select[aria-label="Every guard"]', 'models');
const ofModels = await page.$$eval('tr.row', rows => rows.length);
check('the guard filter narrows', ofModels > 0 && ofModels < all, `${ofModels} of ${all}`);
await page.selectOption('select[aria-label="Every severity"]', 'error');
check('filters combine', (await page.$$('tr.row')).length <= ofModels);
await shot(page, 'findings-light');
await page.focus('tr.row');
await page.keyboard.press('ArrowDown');
check('arrows move between rows', await page.evaluate(() => [...document.querySelectorAll('tr.row')].indexOf(document.activeElement) === 1));
let graph = false;
for (const row of await page.$$('tr.row')) {
  await row.focus();
  await page.keyboard.press('Enter');
  check('Enter opens a row', await row.getAttribute('aria-expanded') === 'true');
  if (await page.$('tr:not([hidden]) svg')) { graph = true; break; }
  await page.keyboard.press('Enter');
}
check('the cascade is drawn', graph);
if (graph) {
  const boxes = await page.$$eval('tr:not([hidden]) svg g', groups => groups.map(group => group.getBoundingClientRect()).map(box => [box.x, box.y, box.right, box.bottom]));
  const overlap = boxes.some((a, i) => boxes.some((b, j) => i < j && a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3]));
  check('its boxes do not overlap', boxes.length >= 2 && !overlap, JSON.stringify(boxes));
  check('its edges are drawn', (await page.$$('tr:not([hidden]) svg path.edge')).length >= 1);
  await shot(page, 'cascade');
}

for (const [number, name] of [[3, 'diff'], [4, 'entities'], [5, 'plan'], [6, 'contracts']]) {
  await page.keyboard.press(`Alt+${number}`);
  check(`Alt+${number} shows ${name}`, await selected(page) === `tab-${name}`);
  check(`${name} is not empty`, !(await page.$(`#panel-${name} > .empty`)), await page.textContent(`#panel-${name}`));
  await shot(page, `${name}-light`);
}
const sides = await page.$$eval('#panel-diff .side pre', blocks => blocks.length);
check('the diff has two sides', sides >= 2 && sides % 2 === 0, sides);
check('drifted entities are marked', (await page.$$('#panel-entities svg g.bad')).length >= 1);
check('healthy ones are not', (await page.$$('#panel-entities svg g:not(.bad)')).length >= 1);
check('references are drawn', (await page.$$('#panel-entities svg path.edge')).length >= 1);
check('drifted columns are marked', (await page.$$('#panel-entities svg text.badcol')).length >= 1);
check('the plan has statements', (await page.$$('#panel-plan pre')).length >= 1);
check('the plan names hazards', (await page.$$('#panel-plan .tag.warning')).length >= 1, await page.textContent('#panel-plan'));
check('a contract that no run has seen is declared', (await page.textContent('#panel-contracts')).includes('no run has seen it yet'));
check('contracts show the baseline', (await page.textContent('#panel-contracts')).includes('baseline'));

// themes
const before = await color(page, 'body', 'background-color');
await page.click('text=Dark / light');
const after = await color(page, 'body', 'background-color');
check('the theme turns', before !== after, before);
for (const theme of ['dark', 'light']) {
  if (theme === 'light') await page.click('text=Dark / light');
  for (const selector of ['.tag.error', '.card p', 'header .sub', 'body']) {
    await page.keyboard.press('Alt+1');
    const node = await page.$(selector);
    if (!node) continue;
    const pair = await node.evaluate(start => {
      let at = start;
      while (at && /rgba\(0, 0, 0, 0\)|transparent/.test(getComputedStyle(at).backgroundColor)) at = at.parentElement;
      return [getComputedStyle(start).color, getComputedStyle(at || document.body).backgroundColor];
    });
    check(`${theme}: ${selector} is readable`, contrast(...pair) >= 4.5, `${pair} ${contrast(...pair).toFixed(2)}`);
  }
}
await page.click('text=Check again');
await page.waitForSelector('[role=tab]', { timeout: 90000 });
check('it checks again', (await page.$$('tr.row')).length === all);
check('no error in the console', seen.errors.length === 0, seen.errors);

// dark by the system's wish, narrow
const dark = await open(url, { colorScheme: 'dark' });
check('dark by preference', luminance(await color(dark.page, 'body', 'background-color')) < 0.1);
await shot(dark.page, 'overview-dark');
await dark.page.keyboard.press('Alt+2');
await shot(dark.page, 'findings-dark');
await dark.page.keyboard.press('Alt+4');
await shot(dark.page, 'entities-dark');
const narrow = await open(url, { viewport: { width: 390, height: 800 } });
for (const number of [1, 2, 3, 4, 5, 6]) {
  await narrow.page.keyboard.press(`Alt+${number}`);
  const [wide, shown] = await narrow.page.evaluate(() => [document.documentElement.scrollWidth, window.innerWidth]);
  check(`a phone shows tab ${number} without scrolling sideways`, wide <= shown, `${wide} of ${shown}`);
}
await narrow.page.keyboard.press('Alt+2');
await shot(narrow.page, 'findings-phone');

// the report file, without any network
const file = await open(pathToFileURL(report).href, { offline: true });
check('the report asks for nothing', file.seen.requests.every(request => request.startsWith('file:') || request.startsWith('data:')), file.seen.requests);
check('the report has the same findings', (await file.page.$$('tr.row')).length === all);
check('a report cannot check again', !(await file.page.$('#again')));
check('no error in the report', file.seen.errors.length === 0, file.seen.errors);
await file.page.emulateMedia({ media: 'print' });
check('print shows every part', (await file.page.$$eval('section', parts => parts.filter(part => part.offsetHeight > 0).length)) === 6);
await browser.close();
console.log(JSON.stringify(results));
