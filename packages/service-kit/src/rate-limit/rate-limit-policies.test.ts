import { defaultPolicies, rateLimitConfig } from './rate-limit-policies';

describe('RATE_LIMITS', () => {
  it.each([
    [undefined, { quota: 60, windowSeconds: 600 }],
    ['', { quota: 60, windowSeconds: 600 }],
    ['export=6000/60', { quota: 6000, windowSeconds: 60 }],
    ['fhir-user=off, export=7/8', { quota: 7, windowSeconds: 8 }],
    ['export=off', undefined],
  ])('%j changes the named limits only', (text, policy) => {
    const { RATE_LIMITS } = rateLimitConfig.parse({ RATE_LIMITS: text });
    expect(RATE_LIMITS.export).toEqual(policy);
    expect(RATE_LIMITS['search-user']).toEqual(defaultPolicies['search-user'].policy);
  });

  it.each(['export', 'export=', 'export=0/60', 'export=60/0', 'export=60', 'export=-1/60', 'export=1.5/60'])(
    'refuses %j',
    (text) => expect(rateLimitConfig.safeParse({ RATE_LIMITS: text }).success).toBe(false),
  );

  it('refuses a limit that does not exist, and names those that do', () => {
    const { error } = rateLimitConfig.safeParse({ RATE_LIMITS: 'fhir-users=off' });
    expect(error?.issues[0]?.message).toContain('fhir-user, mcp-user');
  });
});
