export { testCertificate, type TestCertificate } from './certificate';
export { createDatabase, type TestDatabase } from './database';
export { testRedis, type TestRedis } from './redis';
