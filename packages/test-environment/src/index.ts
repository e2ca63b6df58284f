export { testCertificate, type TestCertificate } from './certificate';
export { runClientProgram, type ClientOutcome } from './client-program';
export { createDatabase, type TestDatabase } from './database';
export { freePort } from './free-port';
export { testRedis, type TestRedis } from './redis';
export { startTcpProxy, type TcpProxy } from './tcp-proxy';
export { hasPgBouncer, startPgBouncer, type TestPgBouncer } from './pgbouncer';
export { createRole, type TestRole } from './role';
export { startTlsPostgres, type TestTlsPostgres } from './tls-postgres';
