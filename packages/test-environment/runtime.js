const { createRequire, isBuiltin } = require('node:module');
const { dirname } = require('node:path');
const { default: JestRuntime } = require('jest-runtime');

/**
 * Stands for `AsyncLocalStorage` in jest-circus, which keeps the running test in it. With one of them Node runs hooks
 * at every promise of the process. A variable is enough, as tests run one after the other.
 */
class RunningTest {
  #store;

  getStore() {
    return this.#store;
  }

  async run(store, work) {
    const before = this.#store;
    this.#store = store;
    try {
      return await work();
    } finally {
      this.#store = before;
    }
  }
}

/** Node's `require` by folder. */
const requires = new Map();

/** Whether a module is of a package outside the workspace. Those of jest itself belong to the test file. */
function isOfPackage(name) {
  return !/^(?:[./]|@tributary\/|@jest\/)/.test(name) && !isBuiltin(name);
}

function load(from, name) {
  const folder = dirname(from);
  let require = requires.get(folder);
  if (!require) requires.set(folder, (require = createRequire(from)));
  const loaded = require(name);
  // It prints the seed with each failure itself; `environment.js` does so for tests that use `seededRandom`.
  if (name === 'fast-check') loaded.configureGlobal({ seed: Number(process.env.TEST_SEED) });
  return loaded;
}

/**
 * Loads the packages of `node_modules` once for all test files of a process, by Node itself; jest loads them again for
 * each test file, which takes most of the time of a small one.
 */
module.exports = class Runtime extends JestRuntime {
  /** Packages that the test file replaces by `jest.mock`. */
  #mocked = new Set();

  setMock(from, name, ...rest) {
    this.#mocked.add(name);
    super.setMock(from, name, ...rest);
  }

  requireModuleOrMock(from, name) {
    return isOfPackage(name) && !this.#mocked.has(name) ? load(from, name) : super.requireModuleOrMock(from, name);
  }

  requireActual(from, name) {
    return isOfPackage(name) ? load(from, name) : super.requireActual(from, name);
  }

  requireInternalModule(from, name) {
    if (name === 'node:async_hooks') return { AsyncLocalStorage: RunningTest };
    return super.requireInternalModule(from, name);
  }
};
