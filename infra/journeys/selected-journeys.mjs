/** Whether few journeys run, with few of the records. What does not depend on the deployment is tested elsewhere. */
export const isRepresentative = process.argv.includes('--representative');

/**
 * The words for jest from the command line: `--representative` stands for a few journeys.
 * @param {string[]} representative the names of these journeys, with their folder unless it is `journeys`
 */
export function selectedJourneys(representative) {
  const patterns = representative.map((name) => (name.includes('/') ? `${name}.test` : `journeys/${name}.test`));
  return process.argv.slice(2).flatMap((word) => (word === '--representative' ? patterns : [word]));
}
