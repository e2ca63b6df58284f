// Checks the built package as npm would publish it: its entry points, and its size.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';

/** The largest size of the file for a script tag, in bytes, compressed by gzip. */
const limit = 4000;

const folder = join(import.meta.dirname, '..');
const { messages, pkg } = await publint({ pkgDir: folder, strict: true, pack: false });
const problems = messages.map((message) => `publint: ${formatMessage(message, pkg)}`);
const { length } = gzipSync(readFileSync(join(folder, 'dist', 'connect.min.js')), { level: 9 });
process.stdout.write(`connect.min.js: ${length} bytes, compressed\n`);
if (length > limit) problems.push(`connect.min.js has ${length} bytes, more than ${limit}`);
for (const problem of problems) process.stderr.write(`error: ${problem}\n`);
process.exit(problems.length === 0 ? 0 : 1);
