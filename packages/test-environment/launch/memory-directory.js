const { existsSync, readFileSync, statfsSync } = require('node:fs');

const mountPoint = '/dev/shm';
/** What the databases of a run need at most, and as much again. */
const minimumBytes = 4 * 1024 ** 3;

/**
 * A folder in memory with room for the databases of a run: on a disk, their several hundred files take most of the time
 * of creating them. Undefined where there is none from which the programs of PostgreSQL can be run, and when TMPDIR
 * names another folder.
 */
function memoryDirectory() {
  if (process.env.TMPDIR || !existsSync('/proc/mounts')) return undefined;
  const mounts = readFileSync('/proc/mounts', 'utf8').split('\n');
  const [, , type, options = ''] = mounts.findLast((line) => line.split(' ')[1] === mountPoint)?.split(' ') ?? [];
  if (type !== 'tmpfs' || options.split(',').includes('noexec')) return undefined;
  const { bavail, bsize } = statfsSync(mountPoint);
  return bavail * bsize >= minimumBytes ? mountPoint : undefined;
}

module.exports = { memoryDirectory };
