const { readdir, rm, stat } = require('node:fs/promises');
const { join } = require('node:path');
const { stopAbandonedServer } = require('../../local-databases/src');

const directoryPrefix = 'tributary-test-';
/** The directory of a younger run may not contain a lock file yet. */
const graceMs = 10 * 60_000;

/**
 * Stops the servers and removes the directories of runs whose serving process was killed. Active runs are not affected.
 */
async function removeAbandonedRuns(parent) {
  const names = (await readdir(parent)).filter((name) => name.startsWith(directoryPrefix));
  for (const name of names) {
    const directory = join(parent, name);
    try {
      const isOld = Date.now() - (await stat(directory)).mtimeMs > graceMs;
      let wasServing = false;
      for (const server of await readdir(directory))
        wasServing = (await stopAbandonedServer(join(directory, server))) || wasServing;
      if (wasServing || isOld) await rm(directory, { recursive: true, force: true });
    } catch {
      // The directory is in use, belongs to another user, or another process is removing it.
    }
  }
}

module.exports = { directoryPrefix, removeAbandonedRuns };
