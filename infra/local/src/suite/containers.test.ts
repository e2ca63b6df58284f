import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { nodeFlags } from './child-process';
import { sandboxBrands } from './sandbox-directory';

const infra = join(__dirname, '..', '..', '..');

describe('the suite in containers', () => {
  it('has the same flags of Node', () => {
    const command = JSON.stringify(['node', ...nodeFlags, 'dist/main.js']).replaceAll('",', '", ');
    expect(readFileSync(join(infra, 'docker', 'Dockerfile'), 'utf8')).toContain(`CMD ${command}`);
  });

  it('has the same brands bundle of the sandbox except its origin', () => {
    const bundle = sandboxBrands(join(infra, '..'), 'http://localhost:4004');
    expect(JSON.parse(bundle)).toMatchObject({ resourceType: 'Bundle', type: 'collection' });
    expect(bundle).toContain('"http://localhost:4004/fhir/r4"');
    expect(bundle).not.toContain('sandbox-health-system:4004');
  });
});
