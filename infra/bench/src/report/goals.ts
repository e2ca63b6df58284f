import type { Goal } from './figure';

/** The goals for a machine with two processors that also runs the databases and the load generator. */
export const goals = {
  create: { minOfBare: 0.75, minOfEmpty: 0.25 },
  crud: { minOfBare: 0.75 },
  read: { minOfBare: 0.9, minOfEmpty: 0.5 },
  search: { minOfBare: 0.8, minOfEmpty: 0.22 },
  searchP99: { maxOfBare: 1.3 },
  bundles: { min: 10_000, minOfEmpty: 1 },
  crowdedRead: { max: 100 },
  crowdedReadiness: { max: 50 },
  ingest: { min: 5000 },
  disk: { max: 450 },
  growth: { max: 1.1 },
  searchInLargeRecord: { min: 0.6 },
  createInLargeRecord: { min: 0.8 },
  collection: { min: 6000 },
  collectionGrowth: { max: 1.1 },
  collectionMemory: { max: 1.5 },
  directoryMemory: { max: 250 },
  directoryP99: { max: 20 },
  exportRate: { min: 100_000, minOfBare: 1 },
  exportBytes: { min: 120 },
  manifest: { max: 1000 },
  firstByte: { max: 100 },
  exportMemory: { max: 250 },
} as const satisfies Record<string, Goal>;
