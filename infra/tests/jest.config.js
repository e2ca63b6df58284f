const { join } = require('node:path');
const preset = require('../../packages/test-environment/jest-preset.js');

/**
 * One run of jest for the test files of all projects: they share the servers, the transformed sources and the compiled
 * modules. The journeys need the running suite and have a configuration of their own (infra/journeys).
 */
module.exports = {
  ...preset,
  rootDir: join(__dirname, '..', '..'),
  roots: ['packages', 'services', 'infra'].map((folder) => `<rootDir>/${folder}`),
  testMatch: ['<rootDir>/{packages,services,infra}/*/{src,test}/**/*.test.ts'],
  testSequencer: join(__dirname, 'longest-first.js'),
  // Tests wait for servers and timers for a part of their time: four workers use two processors whole.
  maxWorkers: 4,
  // A worker that has grown begins anew: with a heap of 1.4 GB it spends 30 % of its time on collecting garbage.
  workerIdleMemoryLimit: '600MB',
};
