// Starts the whole suite once for all journeys, or takes the one that JOURNEY_READY names (a ready line in a file).
// With TEST_SMOKE its sandbox serves one small record alone.
const { startSuite } = require('./start-suite');

module.exports = async () => {
  if (process.env.JOURNEY_READY) return;
  const suite = await startSuite('plain', process.env.TEST_SMOKE === undefined ? 'all' : 'small');
  Object.assign(process.env, suite.variables);
  globalThis.journeySuite = suite;
};
