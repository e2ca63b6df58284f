import type { Request } from 'express';
import { bodyPairs } from './parameters-body';

const pairsOf = (body: unknown): unknown => bodyPairs({ body } as Request);

it('reads the values of a Parameters resource in their order', () => {
  expect(
    pairsOf({
      resourceType: 'Parameters',
      parameter: [
        { name: 'patient', valueReference: { reference: 'Patient/1' } },
        { name: '_type', valueString: 'Condition' },
        { name: 'patient', valueReference: { reference: 'Patient/2' } },
      ],
    }),
  ).toEqual([
    ['patient', 'Patient/1'],
    ['_type', 'Condition'],
    ['patient', 'Patient/2'],
  ]);
  expect(pairsOf(undefined)).toEqual([]);
});

it.each([[{ patient: '1' }], [{}], [[]], [{ resourceType: 'Patient' }]])(
  'says that a JSON body is a Parameters resource, in place of %j',
  (body) => {
    expect(() => pairsOf(body)).toThrow(
      /^a JSON body must be a FHIR Parameters resource, such as \{"resourceType":"Parameters"/,
    );
  },
);

it.each([
  [{ name: 'patient', valueString: 1 }],
  [{ name: 'patient', valueReference: 'Patient/1' }],
  [{ name: 'patient', valueBoolean: true }],
])('names the types of values, in place of %j', (parameter) => {
  expect(() => pairsOf({ resourceType: 'Parameters', parameter: [parameter] })).toThrow(
    /values? of type string, code, uri, instant, dateTime, date or Reference$/,
  );
});
