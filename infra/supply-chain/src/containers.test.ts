import { findUnconfined } from './containers';

const confined = (
  service: string,
): {
  Config: { User: string; Labels: Record<string, string> };
  HostConfig: Record<string, unknown>;
} => ({
  Config: { User: 'node', Labels: { 'com.docker.compose.service': service } },
  HostConfig: {
    CapAdd: null,
    CapDrop: ['ALL'],
    Privileged: false,
    ReadonlyRootfs: true,
    SecurityOpt: ['no-new-privileges:true'],
  },
});
const problemsOf = (...containers: object[]): string[] => findUnconfined(JSON.stringify(containers));

describe('the containers', () => {
  it('are confined', () => {
    const postgres = confined('postgres');
    Object.assign(postgres.Config, { User: '' });
    Object.assign(postgres.HostConfig, { CapAdd: ['CHOWN', 'CAP_SETUID'] });
    expect(problemsOf(confined('auth'), postgres)).toEqual([]);
  });

  it.each<[string, object, object]>([
    ['it is privileged', {}, { Privileged: true }],
    ['it does not drop all capabilities', {}, { CapDrop: null }],
    ['it does not drop all capabilities', {}, { CapDrop: ['NET_RAW'] }],
    ['it adds the capability SYS_ADMIN', {}, { CapAdd: ['SYS_ADMIN'] }],
    ['it adds the capability CHOWN', {}, { CapAdd: ['CAP_CHOWN'] }],
    ['its file system is not read-only', {}, { ReadonlyRootfs: false }],
    ['it can gain privileges', {}, { SecurityOpt: null }],
    ['it can gain privileges', {}, { SecurityOpt: ['no-new-privileges:false'] }],
    ['it runs as root', { User: '' }, {}],
    ['it runs as root', { User: '0:0' }, {}],
    ['it runs as root', { User: 'root' }, {}],
  ])('are reported when one is not: %s', (weakness, config, hostConfig) => {
    const container = confined('auth');
    Object.assign(container.Config, config);
    Object.assign(container.HostConfig, hostConfig);
    expect(problemsOf(confined('search'), container)).toEqual([`auth: ${weakness}`]);
  });
});
