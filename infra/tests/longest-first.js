const { relative, join } = require('node:path');
const Sequencer = require('@jest/test-sequencer').default;
const seconds = require('./seconds.json');

const repository = join(__dirname, '..', '..');

/** Begins with the files that take longest, so that the run does not end with one worker alone. */
module.exports = class LongestFirst extends Sequencer {
  sort(tests) {
    const secondsOf = ({ path }) => seconds[relative(repository, path)] ?? 0;
    return [...tests].sort((one, other) => secondsOf(other) - secondsOf(one) || (one.path < other.path ? -1 : 1));
  }
};
