/**
 * Migrations with statements that `findMigrationProblems` reports and that are safe all the same, with the reason. A
 * migration that contracts the schema is listed with the release that stopped using what it drops.
 */
export const acceptedMigrations: ReadonlyMap<string, string> = new Map([
  [
    'AddOrganisations1764500000000',
    'the table has a row for each client application, and the index no entry: it is built within milliseconds',
  ],
  [
    'AddListIndex1764600100000',
    'the table has the asynchronous exports of a day: the index is built within milliseconds',
  ],
]);
