import { Addresses } from '@tributary/local';
import { admin } from '../suite/users';

interface Step {
  step: string;
  result: 'ok' | 'warning' | 'failed';
}

const postAfterBasic = [
  'client authentication by client_secret_basic: warning',
  'client authentication by client_secret_post: warning',
];

// In containers, the service cannot reach the authorization endpoint, whose address is for browsers on this machine.
(process.env['JOURNEY_ADMIN'] ? describe.skip : describe)('registration test with scenarios of the sandbox', () => {
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
  const sandbox = new Addresses(Number(process.env['JOURNEY_PORT_BASE'] ?? 0)).url('sandbox-health-system');

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
