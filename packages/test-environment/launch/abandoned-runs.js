const { readdir, rm, stat } = require('node:fs/promises');
const { join } = require('node:path');
const { sweepLeftover } = require('../../local-databases/src');

const directoryPrefix = 'tributary-test-';
/** A run younger than this may not yet have put its mark on its directory. */
const graceMs = 10 * 60_000;

/** Ends and removes what runs left behind whose serving process was itself killed; never touches a run that is going on. */
async function removeAbandonedRuns(place) {
  const names = (await readdir(place)).filter((name) => name.startsWith(directoryPrefix));
  for (const name of names) {
    const directory = join(place, name);
    try {
      const isOld = Date.now() - (await stat(directory)).mtimeMs > graceMs;
      let wasServing = false;
      for (const server of await readdir(directory))
        wasServing = (await sweepLeftover(join(directory, server))) || wasServing;
      if (wasServing || isOld) await rm(directory, { recursive: true, force: true });
    } catch {
      // It is in use, belongs to somebody else, or somebody else is removing it.
    }
  }
}

module.exports = { directoryPrefix, removeAbandonedRuns };
