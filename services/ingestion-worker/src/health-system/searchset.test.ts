import { UnreadableResponse } from './request-failures';
import { readSearchset } from './searchset';

const page = (value: object): Buffer => Buffer.from(JSON.stringify(value));

describe('readSearchset', () => {
  it('keeps the text of decimals and leaves odd entries out, counted', () => {
    const body = Buffer.from(
      '\uFEFF{"resourceType":"Bundle","link":[{"relation":"self","url":"a"},{"relation":"next","url":"b"}],"entry":[{"resource":{"resourceType":"Observation","id":"1","valueQuantity":{"value":1.50}}},{"resource":null},{"fullUrl":"x"},7]}',
    );
    expect(readSearchset(body)).toEqual({
      resources: [
        { key: 'Observation/1', json: '{"resourceType":"Observation","id":"1","valueQuantity":{"value":1.50}}' },
      ],
      warnings: [],
      unreadable: 3,
      next: 'b',
    });
  });

  it('makes warnings of an OperationOutcome, without its free text', () => {
    const read = readSearchset(
      page({
        resourceType: 'Bundle',
        entry: [
          {
            resource: {
              resourceType: 'OperationOutcome',
              issue: [
                { severity: 'warning', code: 'suppressed', diagnostics: 'Jane Doe' },
                { severity: 'warning', code: 'processing' },
                { severity: 'information', code: 'informational' },
              ],
            },
            search: { mode: 'outcome' },
          },
        ],
      }),
    );
    expect(read).toEqual({
      resources: [],
      warnings: [
        { code: 'results_withheld', message: 'the health system reported: warning, suppressed' },
        { code: 'health_system_warning', message: 'the health system reported: warning, processing' },
      ],
      unreadable: 0,
      next: undefined,
    });
  });

  it.each([
    [''],
    [' \n'],
    ['{"resourceType":"OperationOutcome","issue":[{"severity":"information","code":"not-found"}]}'],
    ['{"resourceType":"OperationOutcome","issue":[{"severity":"warning","code":"not-found"}]}'],
  ])('takes %j for a page without resources', (text) => {
    expect(readSearchset(Buffer.from(text))).toEqual({
      resources: [],
      warnings: [],
      unreadable: 0,
      hasNoBundle: true,
      next: undefined,
    });
  });

  it.each([
    ['information', 'suppressed', 'results_withheld'],
    ['warning', 'too-costly', 'results_withheld'],
    ['warning', 'transient', 'results_withheld'],
    ['warning', 'processing', 'health_system_warning'],
  ])('reports a bare OperationOutcome with %s and %s', (severity, code, expected) => {
    const read = readSearchset(page({ resourceType: 'OperationOutcome', issue: [{ severity, code }] }));
    expect(read).toMatchObject({ resources: [], hasNoBundle: true });
    expect(read.warnings).toEqual([{ code: expected, message: `the health system reported: ${severity}, ${code}` }]);
  });

  it.each(['error', 'fatal'])('reports an issue of the severity %s as the error of the page', (severity) => {
    const outcome = {
      resourceType: 'OperationOutcome',
      issue: [{ severity, code: 'invalid', diagnostics: 'Jane Doe' }],
    };
    const error = { code: 'error_in_response', message: `the health system reported: ${severity}, invalid` };
    expect(readSearchset(page(outcome)).error).toEqual(error);
    expect(readSearchset(page({ resourceType: 'Bundle', entry: [{ resource: outcome }] })).error).toEqual(error);
  });

  it('takes an entry that is there twice once', () => {
    const entry = (value: number): object => ({
      resource: { resourceType: 'Observation', id: '1', valueInteger: value },
    });
    expect(
      readSearchset(page({ resourceType: 'Bundle', entry: [entry(1), entry(2), entry(1)] })).resources,
    ).toHaveLength(2);
  });

  it('survives bad UTF-8', () => {
    const body = Buffer.concat([
      Buffer.from(
        '{"resourceType":"Bundle","entry":[{"resource":{"resourceType":"Patient","id":"1","name":[{"family":"Mu',
      ),
      Buffer.from([0xfc]),
      Buffer.from('ller"}]}}]}'),
    ]);
    expect(readSearchset(body).resources[0]?.json).toContain('Mu\uFFFDller');
  });

  it.each([['<html>Sign in</html>'], ['"text"'], ['{"resourceType":"Patient"}']])('refuses %s', (text) => {
    expect(() => readSearchset(Buffer.from(text))).toThrow(UnreadableResponse);
  });
});
