import { errorCatalogue, exampleMessage, isErrorCode } from './catalogue';
import { exampleOutcome, issueTypeOfStatus } from './operation-outcomes';

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

  it('has a message for examples: the first sentence of the cause', () => {
    expect(exampleMessage('invalid_request')).toBe('the input violates the contract of the endpoint');
    expect(exampleOutcome(503)).toEqual({
      resourceType: 'OperationOutcome',
      issue: [
        {
          severity: 'error',
          code: 'transient',
          diagnostics: 'a part of the service is not available, or too many writers change one resource',
        },
      ],
    });
  });

  it('recognizes its codes, and no property of objects', () => {
    expect(['invalid_grant', 'constructor', 'nonsense'].map(isErrorCode)).toEqual([true, false, false]);
  });
});
