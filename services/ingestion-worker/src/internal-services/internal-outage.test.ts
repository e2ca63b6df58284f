import { InternalCallError } from '@tributary/contracts';
import { isInternalOutage } from './internal-outage';

const withCode = (code: string): Error => Object.assign(new Error('no'), { code });

describe('isInternalOutage', () => {
  it.each([
    [new InternalCallError('fhir-store', 503, 'call_failed', ''), true],
    [new InternalCallError('fhir-store', 0, 'call_failed', ''), true],
    [new InternalCallError('fhir-store', 400, 'bad', ''), false],
    [new InternalCallError('fhir-store', 502, 'unexpected_response', ''), false],
    [withCode('ECONNREFUSED'), true],
    [withCode('57P01'), true],
    [withCode('23505'), false],
    [new AggregateError([withCode('ECONNREFUSED')]), true],
    [Object.assign(new Error('query failed'), { driverError: new Error('Connection terminated unexpectedly') }), true],
    [new TypeError('a programming error'), false],
    ['text', false],
  ])('%s', (error, expected) => {
    expect(isInternalOutage(error)).toBe(expected);
  });
});
