const vm = require('node:vm');
const { Redis } = require('ioredis');
const { TestEnvironment: NodeEnvironment } = require('jest-environment-node');

const { compileFunction, constants, createContext, Script } = vm;

/** The compiled modules of this process by file. */
const compiledModules = new Map();

/**
 * Compiles a module once for all test files of this process, whereas jest compiles it again for each of them. A script
 * is bound to no global object: it runs in that of the test file.
 */
function compileOnce(source, parameters, options) {
  const { filename, importModuleDynamically, parsingContext } = options ?? {};
  if (!parsingContext || source.startsWith('#!')) return compileFunction(source, parameters, options);
  const head = `(function (${parameters.join(', ')}) {`;
  let compiled = compiledModules.get(filename);
  if (compiled?.source !== source || compiled.head !== head) {
    const created = { source, head, importModuleDynamically };
    created.script = new Script(`${head}${source}\n})`, {
      filename,
      columnOffset: -head.length,
      importModuleDynamically: (...given) => created.importModuleDynamically(...given),
    });
    compiled = created;
    compiledModules.set(filename, compiled);
  }
  compiled.importModuleDynamically = importModuleDynamically; // That of the test file that runs now.
  return compiled.script.runInContext(parsingContext);
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

/**
 * The environment of jest for Node, with less work for each test file. Its global object is an ordinary one; jest looks
 * up each global variable through a proxy. Its intervals end with the test file: an interval that nothing clears, such
 * as that of a service that runs until its process ends, keeps all modules of the file in memory.
 */
module.exports = class Environment extends NodeEnvironment {
  #intervals = new Set();

  constructor(...given) {
    vm.createContext = () => createContext(constants.DONT_CONTEXTIFY);
    try {
      super(...given);
    } finally {
      vm.createContext = createContext;
    }
    const { clearInterval, setInterval } = globalThis;
    // Node makes this set anew at each access through the copy of `process` that jest makes; axios reads it each time.
    Object.defineProperty(this.global.process, 'allowedNodeEnvironmentFlags', {
      value: process.allowedNodeEnvironmentFlags,
    });
    this.global.setInterval = (...words) => {
      const interval = setInterval(...words);
      this.#intervals.add(interval);
      return interval;
    };
    this.global.clearInterval = (interval) => {
      this.#intervals.delete(interval);
      clearInterval(interval);
    };
  }

  async setup() {
    await super.setup();
    const { TEST_REDIS_URL: url, TEST_RUN: run } = process.env;
    // The variables of a test file are a copy of those of the process.
    if (run) this.global.process.env.TEST_REDIS_URL = await ownRedisDatabase(url);
  }

  /** Adds the seed to the failures of a file that uses `seededRandom`. */
  handleTestEvent({ name, error }) {
    if (name !== 'test_fn_failure' && name !== 'hook_failure') return;
    if (this.global.usesTestSeed && error?.stack)
      error.stack = `TEST_SEED=${this.global.process.env.TEST_SEED}: ${error.stack}`;
  }

  async teardown() {
    for (const interval of this.#intervals) clearInterval(interval);
    // Otherwise each compiled module would keep the modules of the last test file that loaded it in memory.
    for (const compiled of compiledModules.values()) compiled.importModuleDynamically = undefined;
    await super.teardown();
  }
};
