import { Command } from 'commander';
import { keysStatusOf } from './keys-status';
import { UnknownVersionError, UnusableVersionError } from './managed-kek';
import type { ServiceKeyring } from './service-keyring';

export interface KeysCommandContext {
  withKeyring(work: (keyring: ServiceKeyring) => Promise<void>): Promise<void>;
  /** Writes a line to standard output. */
  print(line: string): void;
  /** Writes a line to standard error. */
  report(line: string): void;
  setExitStatus(status: number): void;
}

type Output = Pick<KeysCommandContext, 'print' | 'report'>;
type Options = ServiceKeyring & Output;

const progressEveryMs = 1000;

/** The exit status of `retire` when the service has no such version. */
const unknownVersion = 2;

/** The operator's commands `keys status`, `keys rotate` and `keys retire` of one service. */
export function keysCommand({ withKeyring, print, report, setExitStatus }: KeysCommandContext): Command {
  const run = (work: (options: Options) => Promise<number>): Promise<void> =>
    withKeyring(async (keyring) => setExitStatus(await work({ ...keyring, print, report })));
  const command = new Command('keys').description(
    'the versions of the key-encryption key, and the keys that they wrap',
  );
  command
    .command('status')
    .description(
      'list the versions and the number of keys that each has wrapped; exit status 1 when a version is unknown',
    )
    .option('--json', 'as JSON')
    .action(({ json }: { json?: true }) => run((options) => status(options, json === true)));
  command
    .command('rotate')
    .description(
      'wrap all keys by the newest version, and report how many. May be stopped and started again while services run. With a key service it makes a new wrapping key first, unless an earlier rotation is not finished. A key file needs the new key as its last line first',
    )
    .option('--new', 'make a new wrapping key in any case')
    .option('--json', 'as JSON')
    .action(({ json, new: isNew }: { json?: true; new?: true }) =>
      run((options) => rotate(options, json === true, isNew === true)),
    );
  command
    .command('retire')
    .description('give up a version that wraps no key any more')
    .argument('<id>', 'the version')
    .option('--json', 'as JSON')
    .action((id: string, { json }: { json?: true }) => run((options) => retire(options, json === true, id)));
  return command;
}

async function status({ service, kek, keys, print }: Options, isJson: boolean): Promise<number> {
  const counts = await keys.countByVersion();
  const found = keysStatusOf(await kek.versions(), counts);
  const { versions, unknown, not_noted: notNoted } = found;
  if (isJson) print(JSON.stringify({ service, ...found }));
  else {
    print(service);
    for (const { id, state, keys: count, origin, used_in_seconds: seconds } of versions)
      print(
        `  ${id}  ${state.padEnd(8)}  ${numberOf(count, 'key')}  ${origin}${seconds === undefined ? '' : `, used in ${seconds} s`}`,
      );
    if (notNoted > 0) print(`  ${numberOf(notNoted, 'key')} without a noted version: rotate notes it`);
    for (const { id, keys: count } of unknown)
      print(`  ${id}  UNKNOWN   ${numberOf(count, 'key')} cannot be opened: restore this version`);
  }
  return unknown.length > 0 ? 1 : 0;
}

async function rotate(options: Options, isJson: boolean, isNew: boolean): Promise<number> {
  const { service, kek, keys, print, report } = options;
  const startedAt = performance.now();
  await keys.assertKekMatches().catch((error: unknown) => {
    // A new version takes the place of the current one.
    if (!(isNew && error instanceof UnusableVersionError)) throw error;
  });
  const isContinued = !isNew && (await countDue(options)) > 0;
  const { done: steps, failed } = await kek.rotate(isContinued);
  if (!isJson) {
    print(service);
    if (isContinued) print('  an earlier rotation is continued');
    for (const step of [...steps, ...failed]) print(`  ${step}`);
  }
  const due = await countDue(options);
  let [done, reportedAt] = [0, startedAt];
  const { rewrapped, unopened, unopenedIds } = await keys.rewrapAll(() => {
    done++;
    if (performance.now() - reportedAt < progressEveryMs) return;
    reportedAt = performance.now();
    report(`  ${service}: ${done} of ${due} keys`);
  });
  const current = (await keys.countByVersion()).get(await kek.currentId()) ?? 0;
  const seconds = Math.round((performance.now() - startedAt) / 100) / 10;
  if (isJson)
    print(JSON.stringify({ service, steps, failed, rewrapped, current, unopened, unopened_ids: unopenedIds, seconds }));
  else {
    print(`  ${rewrapped} rewrapped, ${current} wrapped by the newest version, ${unopened} not opened, ${seconds} s`);
    for (const id of unopenedIds) print(`  not opened: ${id}`);
  }
  return unopened > 0 || failed.length > 0 ? 1 : 0;
}

async function retire({ service, kek, keys, print }: Options, isJson: boolean, id: string): Promise<number> {
  await keys.assertKekMatches();
  const counts = await keys.countByVersion();
  const wrapped = (counts.get(id) ?? 0) + (counts.get('') ?? 0);
  if (wrapped > 0)
    throw new Error(`${service}: ${numberOf(wrapped, 'key')} may be wrapped by ${id}: run keys rotate first`);
  let message: string;
  try {
    message = await kek.retire(id);
  } catch (error) {
    if (!(error instanceof UnknownVersionError)) throw error;
    print(isJson ? JSON.stringify({ service, id, known: false }) : `${service}: ${error.message}`);
    return unknownVersion;
  }
  print(isJson ? JSON.stringify({ service, id, known: true, message }) : `${service}: ${message}`);
  return 0;
}

/** The number of keys that another version than the current one has wrapped. */
async function countDue({ kek, keys }: Options): Promise<number> {
  const current = await kek.currentId();
  let due = 0;
  for (const [id, count] of await keys.countByVersion()) if (id !== current) due += count;
  return due;
}

function numberOf(count: number, what: string): string {
  return `${count} ${count === 1 ? what : `${what}s`}`;
}
