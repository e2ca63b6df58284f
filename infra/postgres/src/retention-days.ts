/**
 * How long the audit log is kept, from AUDIT_RETENTION_DAYS; undefined when it is not set.
 * @throws Error when it is not a positive integer
 */
export function retentionDaysOf(text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined;
  if (!/^[1-9]\d{0,4}$/.test(text)) throw new Error('AUDIT_RETENTION_DAYS must be a number of days from 1 to 99999');
  return Number(text);
}
