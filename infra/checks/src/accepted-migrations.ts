const beforeFirstRelease = 'changes the schema before the first release, whose services stop for it';

/**
 * Migrations with statements that `findMigrationProblems` reports and that are safe all the same, with the reason. A
 * migration that contracts the schema is listed with the release that stopped using what it drops.
 */
export const acceptedMigrations: ReadonlyMap<string, string> = new Map([
  ['IndexVersion1763730000000', beforeFirstRelease],
  ['Compaction1763800000000', beforeFirstRelease],
  ['SnapshotTime1763820000000', beforeFirstRelease],
  ['StandardNames1763850000000', beforeFirstRelease],
  ['UnresolvedReferenceNames1763850000001', beforeFirstRelease],
  ['BinaryIds1763860000000', beforeFirstRelease],
  ['PartitionNames1763940000000', 'renames partitions, which the version before does not name, and locks briefly'],
  ['Users1763700000003', beforeFirstRelease],
  ['Consent1763700000007', beforeFirstRelease],
]);
