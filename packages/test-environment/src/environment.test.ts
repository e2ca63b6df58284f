import { waitUntil } from './wait-until';
import vm, { type CompileFunctionOptions } from 'node:vm';
import Environment from '../environment';

const compile = (source: string, options: CompileFunctionOptions): (() => unknown) =>
  vm.compileFunction(source, [], { filename: '/environment-test.js', ...options }) as () => unknown;

describe('a module that is compiled once', () => {
  it('runs with the global object of each test file', () => {
    const contexts = [vm.createContext({ name: 'one' }), vm.createContext({ name: 'two' })];
    const names = contexts.map((parsingContext) => compile('return [name, Array]', { parsingContext })());
    expect(names).toEqual([
      ['one', vm.runInContext('Array', contexts[0] as vm.Context)],
      ['two', vm.runInContext('Array', contexts[1] as vm.Context)],
    ]);
  });

  it('shares no state between test files', () => {
    const parsingContext = vm.createContext({});
    const source = 'let calls = 0; return () => ++calls';
    const [one, other] = [1, 2].map(() => compile(source, { parsingContext })() as () => number);
    expect([one?.(), one?.(), other?.()]).toEqual([1, 2, 1]);
  });

  it('is compiled again after its source has changed', () => {
    const parsingContext = vm.createContext({});
    expect([1, 2].map((value) => compile(`return ${value}`, { parsingContext })())).toEqual([1, 2]);
  });

  it('keeps the lines and columns of its source', () => {
    const parsingContext = vm.createContext({});
    const stackOf = (source: string): unknown => compile(source, { parsingContext })();
    expect(stackOf('return new Error().stack')).toContain('/environment-test.js:1:8');
    expect(stackOf('\nreturn new Error().stack')).toContain('/environment-test.js:2:8');
  });
});

describe('the environment of a test file', () => {
  const newEnvironment = (): Environment =>
    new Environment({ projectConfig: { globals: {}, testEnvironmentOptions: {} } }, {});

  it('has an ordinary global object of its own', async () => {
    const environments = [newEnvironment(), newEnvironment()];
    const [one, other] = environments.map(({ global }) => global);
    expect(one?.['Array']).not.toBe(other?.['Array']);
    expect(one?.['Buffer']).toBe(Buffer);
    await Promise.all(environments.map((environment) => environment.teardown()));
  });

  it('ends its intervals with the test file', async () => {
    const environment = newEnvironment();
    const ticks: string[] = [];
    environment.global.setInterval(() => ticks.push('cleared at the end'), 1);
    const cleared = environment.global.setInterval(() => ticks.push('cleared by the test'), 1);
    environment.global.clearInterval(cleared);
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
