import type { Goal } from './figure';

/** The project's goals, for a machine with two processors on which the databases and the load generator run as well. */
export const goals = {
  create: { least: 2000 },
  crud: { least: 2000 },
  read: { least: 4000 },
  search: { least: 1800 },
  searchP99: { most: 15 },
  ingest: { least: 5000 },
  disk: { most: 512 },
  growth: { most: 1.2 },
  bigSearch: { most: 50 },
  collection: { least: 2000 },
  collectionMemory: { most: 1.5 },
  directoryMemory: { most: 250 },
  directoryP99: { most: 20 },
  exportRate: { least: 100_000, leastOfBare: 0.8 },
  exportBytes: { least: 120 },
  manifest: { most: 1000 },
  firstByte: { most: 100 },
  exportMemory: { most: 250 },
} as const satisfies Record<string, Goal>;
