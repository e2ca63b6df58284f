import { errorCatalogue, isErrorCode } from './catalogue';
import { issueTypeOfStatus } from './operation-outcomes';

describe('the error catalogue', () => {
  it('has codes in snake_case, error statuses, and sentences', () => {
    for (const [code, { status, cause, remedy }] of Object.entries(errorCatalogue)) {
      expect(code).toMatch(/^[a-z]+(_[a-z]+)*$/);
      expect(status).toBeGreaterThanOrEqual(400);
      expect([cause, remedy].filter((text) => !/^[A-Z].*\.$/.test(text))).toEqual([]);
    }
  });

  it('has an issue type for the status of every code that bulk export can send', () => {
    const bulk = Object.values(errorCatalogue).filter(({ apis }) => (apis as readonly string[]).includes('bulk'));
    expect(bulk.map(({ status }) => issueTypeOfStatus(status))).not.toContain('');
    expect(issueTypeOfStatus(404)).toBe('not-found');
    expect(issueTypeOfStatus(418)).toBe('invalid');
    expect(issueTypeOfStatus(502)).toBe('transient');
    expect(issueTypeOfStatus(507)).toBe('exception');
  });

  it('knows its codes and no property of objects', () => {
    expect(['invalid_grant', 'constructor', 'nonsense'].map(isErrorCode)).toEqual([true, false, false]);
  });
});
