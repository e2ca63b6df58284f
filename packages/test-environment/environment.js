const vm = require('node:vm');
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

  async teardown() {
    for (const interval of this.#intervals) clearInterval(interval);
    await super.teardown();
  }
};
