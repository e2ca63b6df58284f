import type { Goal } from './figure';

/** The goals for a machine with two processors that also runs the databases and the load generator. */
export const goals = {
  create: { min: 2000 },
  crud: { min: 2000 },
  read: { min: 4000 },
  search: { min: 1800 },
  searchP99: { max: 15 },
  crowdedRead: { max: 100 },
  crowdedReadiness: { max: 50 },
  ingest: { min: 5000 },
  disk: { max: 512 },
  growth: { max: 1.2 },
  bigSearch: { max: 50 },
  collection: { min: 2000 },
  collectionMemory: { max: 1.5 },
  directoryMemory: { max: 250 },
  directoryP99: { max: 20 },
  exportRate: { min: 100_000, minOfBare: 0.8 },
  exportBytes: { min: 120 },
  manifest: { max: 1000 },
  firstByte: { max: 100 },
  exportMemory: { max: 250 },
} as const satisfies Record<string, Goal>;
