import { admin } from '../suite/users';
import { readySuite } from '../suite/ready';

const ready = readySuite();

interface Step {
  fhirVersion: string;
  fhir_base_url: string;
  step: string;
  result: 'ok' | 'warning' | 'failed';
}

const postAfterBasic = [
  'client authentication by client_secret_basic: warning',
  'client authentication by client_secret_post: warning',
];

// In containers, the service cannot reach the authorization endpoint, whose address is for browsers on this machine.
(process.env['JOURNEY_ADMIN'] ? describe.skip : describe)('registration test', () => {
  /** The steps that the command reports. A command that fails reports the steps up to the failure. */
  async function steps(healthSystem: string): Promise<Step[]> {
    const output = await admin('registration', 'test', healthSystem, '--json').catch(
      (error: { stdout?: string }) => error.stdout ?? '',
    );
    return output
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as Step);
  }
  let sandbox: string;

  it('succeeds at the sandbox in all releases', async () => {
    const found = await steps(String(ready.sandbox.health_system_id));
    expect(new Set(found.map(({ fhirVersion }) => fhirVersion))).toEqual(new Set(['dstu2', 'stu3', 'r4']));
    const others = found.filter(({ result }) => result !== 'ok');
    // DSTU2 has no smart-configuration.
    expect(others.filter(({ fhirVersion }) => fhirVersion !== 'dstu2')).toEqual([]);
    expect(
      found.filter(({ step, result }) => step.startsWith('client authentication') && result === 'ok'),
    ).toHaveLength(3);
    sandbox = new URL(found[0]?.fhir_base_url ?? '').origin;
  });

  it.each([
    ['metadata-only', ['smart-configuration: warning']],
    ['announces-basic-wants-post', ['client authentication by client_secret_basic: warning']],
    ['announces-post-wants-basic', ['client authentication by client_secret_post: warning']],
    ['well-known-only', ['smart-configuration: ok', 'client authentication by client_secret_basic: ok']],
    ['post-only', postAfterBasic],
    ['basic-401-invalid-request', postAfterBasic],
    ['basic-and-client-id', ['client authentication by client_secret_basic: ok']],
    ['not-a-scenario', ['smart-configuration: warning', 'metadata: warning', 'discovery: failed']],
  ])('explains %s', async (scenario, expected) => {
    const found = await steps(`${sandbox}/s/${scenario}/fhir/r4`);
    expect(found.map(({ step, result }) => `${step}: ${result}`)).toEqual(expect.arrayContaining(expected));
    const accepted = found.at(-1);
    if (!expected.includes('discovery: failed')) expect(accepted?.step).toMatch(/^client authentication by/);
    expect(found.filter(({ result }) => result === 'failed')).toHaveLength(scenario === 'not-a-scenario' ? 1 : 0);
  });
});
