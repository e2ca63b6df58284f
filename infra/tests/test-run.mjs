// Runs test files and commands one after the other, follows their progress, and collects the outcome of each file.
import { spawn, spawnSync } from 'node:child_process';
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { note, repository } from '../local/bootstrap.mjs';

const jest = join(repository, 'node_modules', 'jest', 'bin', 'jest.js');
const journeys = join('infra', 'journeys', '');
/** More failures than this come from the change, not from chance, and are not run again. */
const mostRepeats = 10;
const progressEveryMs = 30_000;
/** Ticks of /proc in a second, which Linux fixes for programs. */
const ticksPerSecond = 100;

/**
 * What happened to a test file, as summary-reporter.js of test-environment writes it.
 * @typedef {{file: string, project: string, seconds: number, passed: number, failed: number, skipped: number,
 *   failedTests: string[], message: string}} FileOutcome
 */

export class TestRun {
  /** Another prefix than that of the test servers, whose old folders each run of jest removes. */
  #folder = mkdtempSync(join(tmpdir(), 'tributary-npm-test-'));
  #started = performance.now();
  #logs = 0;
  /** @type {FileOutcome[]} */
  outcomes = [];
  /** Files that failed and passed alone afterwards: {file, first, second}, the last two what jest printed. */
  unstable = [];
  /** Parts that ended with an error which no failed test explains: {title, log}. */
  broken = [];
  /** The wall time of each part: {title, seconds}. */
  parts = [];

  /**
   * Runs test files in one jest, and those of the journeys in a second one against one running suite. A file that fails
   * runs once more, alone.
   * @param {string} title
   * @param {string[]} files paths below the repository
   */
  async files(title, files) {
    const [ofJourneys, ofProjects] = [true, false].map((is) =>
      files.filter((file) => file.startsWith(journeys) === is),
    );
    if (ofProjects.length > 0) await this.#jest(title, ofProjects, join(repository, 'infra', 'tests'));
    if (ofJourneys.length > 0)
      await this.#jest(`${title}: journeys against the whole suite`, ofJourneys, join(repository, journeys));
  }

  /**
   * Runs a script of the repository. The outcomes of the test files that it runs are collected, too.
   * @param {string} title
   * @param {string[]} words arguments of node
   */
  async command(title, words) {
    const { status, log, outcomes } = await this.#follow(title, words, repository);
    this.outcomes.push(...outcomes);
    if (status !== 0 && !outcomes.some(({ failed }) => failed > 0)) this.broken.push({ title, log });
  }

  get seconds() {
    return (performance.now() - this.#started) / 1000;
  }

  /** Processor time of this process and all that have ended below it; undefined where there is no /proc. */
  get cpuSeconds() {
    if (!existsSync('/proc/self/stat')) return undefined;
    const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1].split(' ');
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / ticksPerSecond;
  }

  get hasFailed() {
    return this.broken.length > 0 || this.outcomes.some(({ failed }) => failed > 0);
  }

  async #jest(title, files, folder) {
    const { status, log, outcomes } = await this.#follow(title, [jest, '--runTestsByPath', ...absolute(files)], folder);
    const missing = files.filter((file) => !outcomes.some((outcome) => outcome.file === file));
    const failed = outcomes.filter((outcome) => outcome.failed > 0);
    if (missing.length > 0) this.broken.push({ title: `${title} (${missing.length} files did not run)`, log });
    else if (status !== 0 && failed.length === 0) this.broken.push({ title, log });
    this.outcomes.push(...outcomes.filter((outcome) => !failed.includes(outcome)));
    for (const outcome of failed)
      this.outcomes.push(failed.length > mostRepeats ? outcome : await this.#repeat(outcome, folder));
  }

  /** Runs a failed file alone, and keeps what both runs printed when it passes. */
  async #repeat(first, folder) {
    const words = [jest, '--runInBand', '--runTestsByPath', ...absolute([first.file])];
    const { log, outcomes } = await this.#follow(`once more, alone: ${first.file}`, words, folder);
    const [second] = outcomes;
    if (!second || second.failed > 0) return second ?? first;
    this.unstable.push({ file: first.file, first: first.message, second: readFileSync(log, 'utf8') });
    return second;
  }

  /** Runs a process whose output goes to a log, and prints now and then how many files have ended. */
  async #follow(title, words, folder) {
    note(title);
    const started = performance.now();
    const name = join(this.#folder, String(++this.#logs));
    const [log, summary] = [`${name}.log`, `${name}.ndjson`];
    const output = openSync(log, 'w');
    const child = spawn(process.execPath, words, {
      cwd: folder,
      env: { ...process.env, NX_DAEMON: 'false', TEST_SUMMARY_FILE: summary },
      stdio: ['ignore', output, output],
    });
    closeSync(output);
    const timer = setInterval(() => note(`  ${progressOf(readOutcomes(summary))}`), progressEveryMs);
    const status = await new Promise((done) => child.once('close', done));
    clearInterval(timer);
    const [seconds, outcomes] = [(performance.now() - started) / 1000, readOutcomes(summary)];
    note(`  ${status === 0 ? 'passed' : 'FAILED'}: ${progressOf(outcomes)}, ${Math.round(seconds)} s`);
    this.parts.push({ title, seconds });
    return { status, log, outcomes };
  }
}

/** Runs files and shows what jest prints; for a few files that somebody works on. */
export function runShown(files) {
  let status = 0;
  for (const isJourney of [false, true]) {
    const some = files.filter((file) => file.startsWith(journeys) === isJourney);
    if (some.length === 0) continue;
    const cwd = join(repository, isJourney ? journeys : join('infra', 'tests'));
    const words = [jest, '--runTestsByPath', ...absolute(some)];
    if (spawnSync(process.execPath, words, { cwd, stdio: ['ignore', 2, 2] }).status !== 0) status = 1;
  }
  return status;
}

function absolute(files) {
  return files.map((file) => join(repository, file));
}

/** @returns {FileOutcome[]} */
function readOutcomes(path) {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, 'utf8').split('\n');
  return lines.slice(0, -1).map((line) => JSON.parse(line));
}

function progressOf(outcomes) {
  const sum = (name) => outcomes.reduce((total, outcome) => total + outcome[name], 0);
  const failed = sum('failed');
  return `${outcomes.length} files, ${sum('passed')} tests passed${failed > 0 ? `, ${failed} FAILED` : ''}`;
}

/** The path of a file below the repository, from a word of the command line. */
export function fileOf(word) {
  return relative(repository, resolve(process.env.INIT_CWD ?? repository, word));
}
