import { waitUntil } from './wait-until';
import vm from 'node:vm';
import Environment from '../environment';

const newEnvironment = (): Environment => new Environment({ projectConfig: {} });

describe('a module that is compiled once', () => {
  const environment = newEnvironment();
  const parsingContext = environment.getVmContext();
  afterAll(() => environment.teardown());
  const compile = (source: string): (() => unknown) =>
    vm.compileFunction(source, [], { filename: '/environment-test.js', parsingContext }) as () => unknown;

  it('runs with the global object of the process', () => {
    expect(compile('return Array')()).toBe(Array);
  });

  it('shares no state between test files', () => {
    const source = 'let calls = 0; return () => ++calls';
    const [one, other] = [1, 2].map(() => compile(source)() as () => number);
    expect([one?.(), one?.(), other?.()]).toEqual([1, 2, 1]);
  });

  it('is compiled again after its source has changed', () => {
    expect([1, 2].map((value) => compile(`return ${value}`)())).toEqual([1, 2]);
  });

  it('keeps the lines and columns of its source', () => {
    const stackOf = (source: string): unknown => compile(source)();
    expect(stackOf('return new Error().stack')).toContain('/environment-test.js:1:8');
    expect(stackOf('\nreturn new Error().stack')).toContain('/environment-test.js:2:8');
  });
});

describe('the environment of a test file', () => {
  it('undoes at its end what the file has changed in the process', async () => {
    const listener = (): void => undefined;
    const state = (): unknown => [
      process.env['TEST_ENVIRONMENT'],
      'ofTheFile' in globalThis,
      globalThis.fetch,
      process.listeners('SIGTERM').includes(listener),
      process.exitCode,
    ];
    const before = state();
    const environment = newEnvironment();
    process.env['TEST_ENVIRONMENT'] = 'changed';
    process.exitCode = 3;
    process.on('SIGTERM', listener);
    Object.assign(globalThis, { ofTheFile: true, fetch: listener });
    expect(state()).not.toEqual(before);
    await environment.teardown();
    expect(state()).toEqual(before);
  });

  it('ends its intervals with the test file', async () => {
    const environment = newEnvironment();
    const ticks: string[] = [];
    setInterval(() => ticks.push('cleared at the end'), 1);
    const cleared = setInterval(() => ticks.push('cleared by the test'), 1);
    clearInterval(cleared);
    await waitUntil(() => ticks.length > 0);
    await environment.teardown();
    ticks.length = 0;
    // An interval that begins later has had several ticks.
    let later = 0;
    const other = setInterval(() => later++, 1);
    await waitUntil(() => later > 5);
    clearInterval(other);
    expect(ticks).toEqual([]);
  });
});
