const censor = '[redacted]';
const secretNames = new Set(['access_token', 'refresh_token', 'client_secret', 'app_user_id', 'authorization']);

/**
 * The fields of a log line with the values of secret names replaced, at the first two levels. The redaction of pino
 * takes more time than the rest of a line, because it copies every field for the paths that begin with `*`.
 */
export function redact(fields: Record<string, unknown>): Record<string, unknown> {
  let redacted = fields;
  for (const name in fields) {
    const value = fields[name];
    // Below, a `code` is that of an error.
    const shown = secretNames.has(name) || name === 'code' ? censor : withoutSecrets(value);
    if (shown === value) continue;
    if (redacted === fields) redacted = { ...fields };
    redacted[name] = shown;
  }
  return redacted;
}

function withoutSecrets(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const found = Object.keys(value).filter((name) => secretNames.has(name));
  if (found.length === 0) return value;
  const censored = Object.fromEntries(found.map((name) => [name, censor]));
  // The serializer of errors reads what a copy would lack.
  return value instanceof Error ? Object.assign(Object.create(value), censored) : { ...value, ...censored };
}
