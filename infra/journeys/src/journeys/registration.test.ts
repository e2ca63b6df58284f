import { admin } from '../suite/users';
import { readySuite } from '../suite/ready';

const ready = readySuite();

interface Step {
  fhirVersion: string;
  step: string;
  result: 'ok' | 'warning' | 'failed';
}

// In containers, the service cannot reach the authorization endpoint, whose address is for browsers on this machine.
(process.env['JOURNEY_ADMIN'] ? describe.skip : describe)('registration test', () => {
  it('succeeds at the sandbox in all releases', async () => {
    const output = await admin('registration', 'test', String(ready.sandbox.health_system_id), '--json');
    const found = output
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as Step);
    expect(new Set(found.map(({ fhirVersion }) => fhirVersion))).toEqual(new Set(['dstu2', 'stu3', 'r4']));
    const others = found.filter(({ result }) => result !== 'ok');
    // DSTU2 has no smart-configuration.
    expect(others.filter(({ fhirVersion }) => fhirVersion !== 'dstu2')).toEqual([]);
    expect(
      found.filter(({ step, result }) => step.startsWith('client authentication') && result === 'ok'),
    ).toHaveLength(3);
  });
});
