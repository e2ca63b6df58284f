/** SQL for the clock of the database in epoch milliseconds. */
export const databaseClock = `floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint`;
