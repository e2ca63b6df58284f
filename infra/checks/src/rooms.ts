import { posix } from 'node:path';
import type { Problem } from './find-problems';

const search = 'services/fhir-store/src/interactions/search';
const collection = 'services/ingestion-worker/src/collection';
/** Folders whose files import only files of the same and of earlier folders. */
const orders: readonly (readonly string[])[] = [
  [
    'services/ingestion-worker/src/checkpoints',
    ...['record', 'plan', 'search', 'references', 'reconcile', 'outcome'].map((room) => `${collection}/${room}`),
    collection,
  ],
  [...['parse', 'evaluate', 'page', 'render'].map((room) => `${search}/${room}`), search],
];

/** Finds imports of later folders. In tests, too. */
export function findLaterImports(path: string, text: string): Problem[] {
  return orders.flatMap((order) => {
    const room = roomOf(path, order);
    if (room < 0) return [];
    return text.split('\n').flatMap((line, index) => {
      const [, imported] = /\bfrom '(\.[^']+)'/.exec(line) ?? [];
      const other = imported === undefined ? -1 : roomOf(posix.join(posix.dirname(path), imported), order);
      return other > room
        ? [{ line: index + 1, problem: `${order[room]} comes before ${order[other]} and does not import it` }]
        : [];
    });
  });
}

/** The place of the folder that has the file, the innermost one; -1 when none has it. */
function roomOf(path: string, order: readonly string[]): number {
  return order.findIndex((folder) => path.startsWith(`${folder}/`));
}
