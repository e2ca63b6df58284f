import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';

/** As PostgreSQL's own `scram_iterations`. */
const iterations = 4096;

/**
 * What PostgreSQL stores for a password (RFC 5803), in the form of `pg_authid.rolpassword`. A statement with it in
 * place of the password leaves nothing to log in with in logs, in `pg_stat_statements` or on the network.
 */
export function scramVerifier(password: string, salt = randomBytes(16)): string {
  // SASLprep (RFC 4013) changes nothing else in the passwords that this installation makes.
  const salted = pbkdf2Sync(password.normalize('NFKC'), salt, iterations, 32, 'sha256');
  const keyOf = (name: string): Buffer => createHmac('sha256', salted).update(name).digest();
  const stored = createHash('sha256').update(keyOf('Client Key')).digest('base64');
  return `SCRAM-SHA-256$${iterations}:${salt.toString('base64')}$${stored}:${keyOf('Server Key').toString('base64')}`;
}
