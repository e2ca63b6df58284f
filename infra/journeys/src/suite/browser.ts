import { X509Certificate, createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, type Page, chromium } from 'playwright-core';

const executablePath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((path) =>
  existsSync(path),
);
if (!executablePath)
  process.stderr.write(
    'no chromium on this machine: the journeys in a browser are left out (apt-get install chromium)\n',
  );

/** Whether this machine has Chromium. */
export const hasBrowser = executablePath !== undefined;

/** Chromium reads no file of authorities: it is given the keys in the certificates of a suite over TLS. */
function trustedKeys(): string[] {
  const folder = process.env['TRIBUTARY_CERTIFICATES'];
  if (folder === undefined) return [];
  const hashes = readdirSync(folder)
    .filter((name) => name.endsWith('.crt'))
    .map((name) => new X509Certificate(readFileSync(join(folder, name))).publicKey)
    .map((key) =>
      createHash('sha256')
        .update(key.export({ type: 'spki', format: 'der' }))
        .digest('base64'),
    );
  return [`--ignore-certificate-errors-spki-list=${hashes.join(',')}`];
}

/** Starts Chromium, which sends no requests of its own. */
export function launchBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: executablePath!,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      ...trustedKeys(),
    ],
  });
}

const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

/** What the page violates of WCAG 2.2 AA by the rules of axe, and whether it scrolls sideways. */
export async function accessibilityProblems(page: Page): Promise<string[]> {
  const overflows = await page.evaluate<boolean>('document.documentElement.scrollWidth > innerWidth');
  const { violations } = await page.evaluate<{ violations: { id: string; nodes: { html: string }[] }[] }>(
    // It would also describe each element that violates nothing.
    `${axe}; axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa'], resultTypes: ['violations'] })`,
  );
  return [...(overflows ? ['overflows'] : []), ...violations.map(({ id, nodes }) => `${id} ${nodes[0]?.html}`)];
}
