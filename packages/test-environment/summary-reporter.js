const { appendFileSync } = require('node:fs');
const { join, relative, sep } = require('node:path');

const workspace = join(__dirname, '..', '..');

/**
 * A jest reporter that appends the outcome of each test file, as a line of JSON, to the file TEST_SUMMARY_FILE as soon
 * as it has ended: for the progress and the summary of `npm test`. It does nothing where the variable is not set.
 */
module.exports = class SummaryReporter {
  onTestResult(_test, { testFilePath, perfStats, testResults, testExecError, failureMessage }) {
    const { TEST_SUMMARY_FILE, TEST_SUMMARY_SUFFIX = '' } = process.env;
    if (!TEST_SUMMARY_FILE) return;
    const file = relative(workspace, testFilePath);
    const [parent, folder] = file.split(sep);
    const count = (...wanted) => testResults.filter(({ status }) => wanted.includes(status)).length;
    const outcome = {
      file,
      project: `${parent}/${folder}${TEST_SUMMARY_SUFFIX}`,
      seconds: perfStats.runtime / 1000,
      passed: count('passed'),
      failed: count('failed') + (testExecError ? 1 : 0),
      skipped: count('pending', 'todo', 'disabled'),
      failedTests: testResults.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName),
      message: failureMessage ?? '',
    };
    appendFileSync(TEST_SUMMARY_FILE, `${JSON.stringify(outcome)}\n`);
  }
};
