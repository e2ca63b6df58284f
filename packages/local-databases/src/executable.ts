import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Debian installs servers here, and leaves the folder out of the PATH of users. */
const serverDirectory = '/usr/sbin';

/** The path of an installed program. */
export function findExecutable(name: string): string | undefined {
  return [...(process.env['PATH'] ?? '').split(delimiter), serverDirectory]
    .filter((directory) => directory !== '')
    .map((directory) => join(directory, name))
    .find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
