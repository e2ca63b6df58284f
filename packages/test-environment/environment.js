const vm = require('node:vm');
const { LegacyFakeTimers, ModernFakeTimers } = require('@jest/fake-timers');
const { Redis } = require('ioredis');
const { ModuleMocker } = require('jest-mock');
const { globalRegistry } = require('zod');

const { compileFunction, createContext, Script } = vm;

/** The seed of random values where TEST_SEED gives no other: a failure can be repeated. */
const defaultSeed = '20260101';

/** Stands for the one global object of this process where jest asks for the context of a test file. */
const sharedContext = createContext({});

/** The compiled modules of this process by file. */
const compiledModules = new Map();

/**
 * Compiles a module of jest once for all test files of this process, whereas jest compiles it again for each of them,
 * and runs it with the global object of this process.
 */
function compileOnce(source, parameters, options) {
  const { filename, importModuleDynamically, parsingContext } = options ?? {};
  if (!parsingContext) return compileFunction(source, parameters, options);
  const head = `(function (${parameters.join(', ')}) {`;
  let compiled = compiledModules.get(filename);
  if (compiled?.source !== source || compiled.head !== head) {
    const created = { source, head, importModuleDynamically };
    created.script = new Script(`${head}${source.replace(/^#!.*/, '')}\n})`, {
      filename,
      columnOffset: -head.length,
      importModuleDynamically: (...given) => created.importModuleDynamically(...given),
    });
    compiled = created;
    compiledModules.set(filename, compiled);
  }
  compiled.importModuleDynamically = importModuleDynamically; // That of the test file that runs now.
  return compiled.script.runInThisContext();
}

if (compileFunction.name !== compileOnce.name) vm.compileFunction = compileOnce;

/** A database of the Redis of the run that no other test file has. */
async function ownRedisDatabase(url) {
  const redis = new Redis(url, { lazyConnect: true });
  try {
    return `${url}/${await redis.incr('test-databases')}`;
  } finally {
    redis.disconnect();
  }
}

/** What a test file may change and does not own: the state of the process before it. @returns what restores it */
function keepProcess() {
  const { env, exit, exitCode } = process;
  const properties = Object.getOwnPropertyDescriptors(globalThis);
  const variables = { ...env };
  const listeners = new Map(process.eventNames().map((name) => [name, process.listeners(name)]));
  return () => {
    for (const name of Reflect.ownKeys(globalThis)) {
      const [before, now] = [properties[name], Object.getOwnPropertyDescriptor(globalThis, name)];
      if (!before) delete globalThis[name];
      else if (before.value !== now.value || before.get !== now.get) Object.defineProperty(globalThis, name, before);
    }
    for (const name of Object.keys(env)) if (!(name in variables)) delete env[name];
    Object.assign(env, variables);
    Object.assign(process, { exit, exitCode });
    for (const name of process.eventNames())
      for (const listener of process.listeners(name))
        if (!listeners.get(name)?.includes(listener)) process.removeListener(name, listener);
  };
}

/** What fake timers leave as it is: packages, and `fetch` of Node, run on it as well. */
const neverFaked = ['nextTick', 'queueMicrotask', 'setImmediate'];

class FakeTimers extends ModernFakeTimers {
  useFakeTimers({ doNotFake = [], ...config } = {}) {
    super.useFakeTimers({ ...config, doNotFake: [...doNotFake, ...neverFaked] });
  }
}

/**
 * An environment of jest without a global object of its own: all test files of a process share its global object, and
 * so the packages of `node_modules`, which `runtime.js` loads once. The modules of the workspace are loaded anew for
 * each test file. What a test file changes in the process is undone at its end.
 */
module.exports = class Environment {
  global = globalThis;
  #intervals = new Set();
  #restore = keepProcess();

  constructor({ projectConfig: config }) {
    const { clearInterval, setInterval } = globalThis;
    process.env.TEST_SEED ||= defaultSeed;
    // Node's own limit is 10.
    Error.stackTraceLimit = 100;
    this.moduleMocker = new ModuleMocker(globalThis);
    this.fakeTimers = new LegacyFakeTimers({
      config,
      global: globalThis,
      moduleMocker: this.moduleMocker,
      timerConfig: { idToRef: (id) => id, refToId: (timer) => timer },
    });
    this.fakeTimersModern = new FakeTimers({ config, global: globalThis });
    // An interval that nothing clears, such as that of a service that runs until its process ends, ends with the file.
    globalThis.setInterval = Object.assign((...words) => {
      const interval = setInterval(...words);
      this.#intervals.add(interval);
      return interval;
    }, setInterval);
    globalThis.clearInterval = (interval) => {
      this.#intervals.delete(interval);
      clearInterval(interval);
    };
  }

  exportConditions() {
    return ['node', 'node-addons'];
  }

  getVmContext() {
    return sharedContext;
  }

  async setup() {
    const { TEST_REDIS_URL: url, TEST_RUN: run } = process.env;
    if (run) process.env.TEST_REDIS_URL = await ownRedisDatabase(url);
  }

  /** Adds the seed to the failures of a file that uses `seededRandom`. */
  handleTestEvent({ name, error }) {
    if (name !== 'test_fn_failure' && name !== 'hook_failure') return;
    if (globalThis.usesTestSeed && error?.stack) error.stack = `TEST_SEED=${process.env.TEST_SEED}: ${error.stack}`;
  }

  async teardown() {
    for (const interval of this.#intervals) clearInterval(interval);
    this.moduleMocker.restoreAllMocks();
    this.fakeTimers.dispose();
    this.fakeTimersModern.dispose();
    this.#restore();
    // What the modules of this test file have registered in packages that stay.
    globalRegistry.clear();
    delete globalThis.typeormMetadataArgsStorage;
    // Otherwise each compiled module would keep the modules of the last test file that loaded it in memory.
    for (const compiled of compiledModules.values()) compiled.importModuleDynamically = undefined;
  }
};
