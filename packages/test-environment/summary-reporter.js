const { writeFileSync } = require('node:fs');
const { join, relative } = require('node:path');

const workspace = join(__dirname, '..', '..');

/**
 * A jest reporter that leaves the outcome of a project's run as a JSON file in the folder TEST_SUMMARY_FOLDER, for the
 * table that `npm test` ends with. It does nothing where the variable is not set.
 */
module.exports = class SummaryReporter {
  constructor(globalConfig) {
    const { TEST_SUMMARY_PROJECT, TEST_SUMMARY_SUFFIX = '' } = process.env;
    this.project =
      (TEST_SUMMARY_PROJECT ?? require(join(globalConfig.rootDir, 'package.json')).name) + TEST_SUMMARY_SUFFIX;
  }

  onRunComplete(_contexts, results) {
    const folder = process.env.TEST_SUMMARY_FOLDER;
    if (!folder) return;
    const summary = {
      project: this.project,
      passed: results.numPassedTests,
      failed: results.numFailedTests + results.testResults.filter(({ testExecError }) => testExecError).length,
      skipped: results.numPendingTests + results.numTodoTests,
      seconds: (Date.now() - results.startTime) / 1000,
      failures: results.testResults
        .filter(({ numFailingTests, testExecError }) => numFailingTests > 0 || testExecError)
        .map(({ testFilePath, testResults, failureMessage }) => ({
          file: relative(workspace, testFilePath),
          tests: testResults.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName),
          message: failureMessage,
        })),
    };
    writeFileSync(join(folder, `${this.project.replaceAll(/[^\w-]+/g, '-')}.json`), JSON.stringify(summary));
  }
};
