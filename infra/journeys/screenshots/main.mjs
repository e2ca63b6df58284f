// npm run screenshots: every state of the pages for patients and of the developer console, and pages of the
// documentation, in both themes and languages, on a phone and a desktop. The built renderers get their data from
// states.mjs and console.mjs; no suite runs. Further words are the pages that are wanted.
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { prepare } from '../../local/bootstrap.mjs';

prepare();
const { launchBrowser } = createRequire(import.meta.url)('../dist/suite/browser.js');
const { default: express } = await import('express');
const { assets, documentation, pages: rendered } = await import('./states.mjs');
const { consoleStates, openConsoleState, serveConsole } = await import('./console.mjs');
const pages = { ...rendered, ...consoleStates };

const app = express();
app.get(assets.path, assets.send);
app.get(/^\/docs(\/|$)/, documentation);
app.use(serveConsole);
// The places are read again while something is collected, and the results from where the user is.
app.get(['/:page/:state', '/:page/:state/places', '/:page/:state/search'], ({ params }, response) =>
  rendered[params.page].states[params.state](response),
);
const server = app.listen(0, '127.0.0.1');
await once(server, 'listening');
const origin = `http://127.0.0.1:${server.address().port}`;

const folder = mkdtempSync(join(tmpdir(), 'tributary-screenshots-'));
const browser = await launchBrowser();
const wanted = process.argv.slice(2);
for (const page of wanted.length > 0 ? wanted : Object.keys(pages)) await takePage(page);
await browser.close();
server.close();
process.stdout.write(`${folder}\n`);

/** Takes the screenshots of a page, and writes a contact sheet of them. */
async function takePage(page) {
  const { languages, states } = pages[page];
  mkdirSync(join(folder, page));
  const variants = languages.flatMap((language) =>
    ['light', 'dark'].flatMap((colorScheme) => [390, 1280].map((width) => ({ language, colorScheme, width }))),
  );
  const sections = await Promise.all(variants.map((variant) => takeVariant(page, Object.keys(states), variant)));
  const style =
    'body{font:16px sans-serif;background:#999}div{display:flex;flex-wrap:wrap;gap:16px;align-items:flex-start}figure{margin:0}img{display:block;max-width:480px}';
  writeFileSync(
    join(folder, `${page}.html`),
    `<!doctype html><html lang="en"><meta charset="utf-8"><title>${page}</title><style>${style}</style>${sections.join('')}</html>`,
  );
}

async function askLocation(tab, isGranted) {
  await tab.context().setGeolocation({ latitude: 38.9, longitude: -77 });
  if (isGranted) await tab.context().grantPermissions(['geolocation']);
  else await tab.context().clearPermissions();
  await tab.locator('.near button').click();
  await tab.mouse.move(0, 0);
  await tab.waitForLoadState('networkidle');
}

/** @returns the section of the contact sheet */
async function takeVariant(page, states, { language, colorScheme, width }) {
  const name = `${language} ${colorScheme} ${width}`;
  const viewport = { width, height: 600 };
  const context = await browser.newContext({ locale: `${language}-US`, colorScheme, viewport });
  const tab = await context.newPage();
  const figures = [];
  for (const state of states) {
    if (page in consoleStates) await openConsoleState(tab, origin, consoleStates[page].states[state]);
    else await tab.goto(`${origin}/${page}/${encodeURIComponent(state)}`);
    if (state.endsWith('opened'))
      await tab.evaluate(`document.querySelectorAll('details').forEach((details) => (details.open = true))`);
    if (state === 'nearby' || state === 'location refused') await askLocation(tab, state === 'nearby');
    const file = `${page}/${state} ${name}.png`.replaceAll(' ', '-');
    await tab.screenshot({ path: join(folder, file), fullPage: true });
    figures.push(`<figure><figcaption>${state}</figcaption><img src="${file}" alt=""></figure>`);
  }
  await context.close();
  return `<h2>${name}</h2><div>${figures.join('')}</div>`;
}
